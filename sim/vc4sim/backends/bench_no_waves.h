// A native bench without waves.

namespace bench {

struct Waves {
    template<class Design> void open(Design &, const char *, uint32_t, uint32_t) {}
    static constexpr bool wants(uint32_t) { return false; }
    template<class Design> void sample(Design &, uint32_t) {}
};

}  // namespace bench
