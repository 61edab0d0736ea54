// Waves of a native bench: a VCD file of all signals in a window of clocks.

#include <cxxrtl/cxxrtl_vcd.h>
#include <fstream>

namespace bench {

class Waves {
public:
    // From clock `first` on, to the one before `last`. The design says the names of all its signals, and shows its clock.
    template<class Design> void open(Design &design, const char *path, uint32_t first, uint32_t last) {
        file.open(path);
        this->first = first;
        this->last = last;
        design.name(&signals);
        writer.timescale(1, "ns");
        writer.add_without_memories(signals);
    }

    bool wants(uint32_t clock) const { return clock >= first && clock < last; }

    // A clock in which all signals have settled; a clock takes ten nanoseconds and begins with its rising edge.
    template<class Design> void sample(Design &design, uint32_t clock) {
        for (bool level : {true, false}) {
            design.show_clock(level);
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
