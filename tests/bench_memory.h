// What benches with a memory share; after bench_bits.h.
#include <array>
#include <cstdint>

struct Burst {
    uint32_t address, beats, age;
};

// A stream that the design drives: what waits stays.
template<size_t Words> struct Steady {
    bool waits = false;
    std::array<uint32_t, Words> payload;
    bool broken(bool valid, bool ready, const std::array<uint32_t, Words> &now) {
        bool wrong = waits && (!valid || now != payload);
        waits = valid && !ready;
        payload = now;
        return wrong;
    }
};
