// What all benches in C++ share: fields of ports that are wider than a word, and random pauses.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace {

// `width` bits of `words` from bit `at` on, 64 at the most.
template<size_t Words> uint64_t field(const std::array<uint32_t, Words> &words, size_t at, size_t width) {
    uint64_t bits = 0;
    for (size_t word = at / 32, done = 0; done < width; word++) {
        size_t low = word == at / 32 ? at % 32 : 0;
        bits |= uint64_t(words[word] >> low) << done;
        done += 32 - low;
    }
    return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

// Sets bits that are 0.
template<size_t Words> void set_field(std::array<uint32_t, Words> &words, size_t at, size_t width, uint64_t bits) {
    for (size_t index = 0; index < width; index++)
        words[(at + index) / 32] |= uint32_t(bits >> index & 1) << (at + index) % 32;
}

// `state` is never 0.
struct Random {
    uint32_t state;

    uint32_t next() {
        state ^= state << 13;
        state ^= state >> 17;
        return state ^= state << 5;
    }
    bool chance(uint32_t of_256) { return (next() >> 12 & 255) < of_256; }
};

}  // namespace
