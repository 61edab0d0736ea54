// The bench for rendering: a host that starts a list and waits for the interrupt of its end.
//
// It does in every clock what `DrawBench` does in hardware. In front of this file stand its constants.

namespace bench {

class Bench : public Runner {
public:
    Bench(const Options &options, const uint8_t *image, const Write *writes, uint32_t write_count)
        : Runner(options, image, writes, write_count, 0) {}

    // In the order of `DrawState`.
    uint32_t *report(uint32_t *words) override {
        const std::array<uint32_t, 3> own = {drawn, cycles, retired};
        return std::copy(own.begin(), own.end(), words);
    }

private:
    bool drawn = false;
    uint32_t still = 0, seen = 0;  // clocks since something has moved, and instructions by then

    void offer() override {
        ports::binner__items__ready(gpu.v3d, {true});
        ports::binner__finished(gpu.v3d, {true});
    }

    void observe() override {
        bool moves = written < writes.size() || !answered || high(ports::bus__requests__valid(gpu.v3d)) || seen != retired;
        seen = retired;
        drawn = high(ports::irq(gpu.v3d));
        still = moves ? 0 : still + 1;
        stopped = drawn || still >= STILL_CLOCKS + options.latency || cycles + 1 >= options.max_cycles;
    }
};

}  // namespace bench

extern "C" bench::Runner *bench_create(const bench::Options *options, const uint8_t *image, const bench::Write *writes,
                                       uint32_t write_count) {
    return new bench::Bench(*options, image, writes, write_count);
}
