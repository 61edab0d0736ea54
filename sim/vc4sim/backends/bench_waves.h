// Waves of the native bench: a VCD file of all signals in a window of clocks.

#include <cxxrtl/cxxrtl_vcd.h>
#include <fstream>

namespace bench {

class Waves {
public:
    // From clock `first` on, to the one before `last`.
    void open(Gpu &gpu, const char *path, uint32_t first, uint32_t last) {
        file.open(path);
        this->first = first;
        this->last = last;
        gpu.v3d.debug_info(&signals, nullptr, "v3d ");
        std::apply([&](auto &...kind) { (kind.name(&signals), ...); }, gpu.kinds);
        writer.timescale(1, "ns");
        writer.add_without_memories(signals);
    }

    bool wants(uint32_t clock) const { return clock >= first && clock < last; }

    // A clock in which all signals have settled; a clock takes ten nanoseconds and begins with its rising edge.
    void sample(Gpu &gpu, uint32_t clock) {
        for (bool level : {true, false}) {
            ports::clk(gpu.v3d, {level});
            writer.sample(uint64_t(clock) * 10 + (level ? 0 : 5));
        }
        file << writer.buffer;
        writer.buffer.clear();
        file.flush();
    }

private:
    std::ofstream file;
    cxxrtl::debug_items signals;
    cxxrtl::vcd_writer writer;
    uint32_t first = 0, last = 0;
};

}  // namespace bench
