// The native bench without waves.

namespace bench {

struct Waves {
    void open(Gpu &, const char *, uint32_t, uint32_t) {}
    static constexpr bool wants(uint32_t) { return false; }
    void sample(Gpu &, uint32_t) {}
};

}  // namespace bench
