// The GPU as Verilator compiles it from the exported Verilog, for the same benches as the other simulators have.
//
// In front of this file stands `VerilatedV3d`, the class that Verilator has made. The access to its ports is put in at the end.

#include <memory>
#include <type_traits>
#include <vector>

namespace bench {

using V3d = VerilatedV3d;

// The ports of a QPU are ports of the GPU with its number.
struct Qpu {
    const V3d &v3d;
    size_t number;
};

template<size_t Words, class Port> std::array<uint32_t, Words> get(const Port &port) {
    std::array<uint32_t, Words> words;
    if constexpr (std::is_integral_v<Port>)
        for (size_t word = 0; word < Words; word++)
            words[word] = uint64_t(port) >> 32 * word;
    else
        std::copy_n(&port[0], Words, words.begin());
    return words;
}

template<size_t Words, class Port> void set(Port &port, const std::array<uint32_t, Words> &words) {
    if constexpr (std::is_integral_v<Port>) {
        uint64_t bits = 0;
        for (size_t word = 0; word < Words; word++)
            bits |= uint64_t(words[word]) << 32 * word;
        port = bits;
    } else
        std::copy_n(words.begin(), Words, &port[0]);
}

class Gpu {
public:
    V3d v3d;
    std::vector<Qpu> qpus;

    Gpu() {
        for (size_t number = 0; number < joints::qpu::COUNT; number++)
            qpus.push_back({v3d, number});
        v3d.rst = 0;
    }
    Gpu(const Gpu &) = delete;

    void settle(Checks &) {
        v3d.clk = 0;
        v3d.eval();
    }

    void eval(Checks &checks) { settle(checks); }

    void commit() {
        v3d.clk = 1;
        v3d.eval();
    }
};

}  // namespace bench

// PORTS

namespace bench {

namespace ports = v3d_ports;

}  // namespace bench
