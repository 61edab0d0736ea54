// What benches in C++ around a native design share: fields of ports, and pauses.

#include <array>
#include <cstddef>
#include <cstdint>

namespace {

template<size_t Words> uint64_t field(const std::array<uint32_t, Words> &words, size_t at, size_t width) {
    uint64_t bits = 0;
    for (size_t index = 0; index < width; index++)
        bits |= uint64_t(words[(at + index) / 32] >> (at + index) % 32 & 1) << index;
    return bits;
}

template<size_t Words> void set_field(std::array<uint32_t, Words> &words, size_t at, size_t width, uint64_t bits) {
    for (size_t index = 0; index < width; index++)
        words[(at + index) / 32] |= uint32_t(bits >> index & 1) << (at + index) % 32;
}

struct Random {
    uint32_t state;
    bool chance(uint32_t of_256) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        return (state >> 12 & 255) < of_256;
    }
};

}  // namespace
