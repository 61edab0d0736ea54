// Words side by side: a word of every instance of a design, one instance a lane. One lane is a plain word.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>

namespace lanes {

template<size_t Lanes> struct Vector { typedef uint32_t type __attribute__((vector_size(4 * Lanes))); };
template<> struct Vector<1> { using type = uint32_t; };

// A bit for each block of a design.
using Blocks = unsigned __int128;
constexpr Blocks blocks(uint64_t high, uint64_t low) { return Blocks(high) << 64 | low; }

inline uint32_t get(uint32_t value, size_t) { return value; }
inline void set(uint32_t &value, size_t, uint32_t word) { value = word; }
template<class V> inline uint32_t get(const V &value, size_t lane) { return value[lane]; }
template<class V> inline void set(V &value, size_t lane, uint32_t word) { value[lane] = word; }

template<size_t Lanes> inline bool any_of(typename Vector<Lanes>::type value) {
    if constexpr (Lanes <= 2) {
        uint64_t all = 0;
        std::memcpy(&all, &value, sizeof value);
        return all;
    } else {
        typename Vector<Lanes / 2>::type half[2];
        std::memcpy(half, &value, sizeof value);
        return any_of<Lanes / 2>(half[0] | half[1]);
    }
}
template<class V> inline bool any(V value) { return any_of<sizeof(V) / 4>(value); }

// A wide value has parts side by side, each a word of every lane.
template<class V, class W> inline V part(const W &wide, size_t number) {
    V one;
    std::memcpy(&one, reinterpret_cast<const char *>(&wide) + number * sizeof one, sizeof one);
    return one;
}
template<class W, class V, class... More> inline W beside(V first, More... more) {
    const V parts[] = {first, more...};
    W wide{};
    std::memcpy(&wide, parts, sizeof parts);
    return wide;
}
template<class W, class V> inline W same(V value) {
    W wide;
    for (size_t number = 0; number < sizeof wide / sizeof value; number++)
        std::memcpy(reinterpret_cast<char *>(&wide) + number * sizeof value, &value, sizeof value);
    return wide;
}

// Notes what changes.
template<class V> inline void renew(V &changed, V &value, V next) {
    changed |= value ^ next;
    value = next;
}

// The same of a lane of an input: its readers wake up.
template<class V> inline void give(Blocks &woken, Blocks readers, V &value, size_t lane, uint32_t next) {
    woken |= get(value, lane) == next ? 0 : readers;
    set(value, lane, next);
}

template<class V> inline V mux(V bit, V no, V yes) { return bit != 0 ? yes : no; }
template<class V> inline V eq(V a, V b) { return (V)(a == b) & 1; }
template<class V> inline V ne(V a, V b) { return (V)(a != b) & 1; }
template<class V> inline V lt(V a, V b) { return (V)(a < b) & 1; }
template<class V> inline V le(V a, V b) { return (V)(a <= b) & 1; }
template<class V> inline V gt(V a, V b) { return (V)(a > b) & 1; }
template<class V> inline V ge(V a, V b) { return (V)(a >= b) & 1; }
template<class V> inline V shl(V a, V by) { return mux(gt(by, V{} + 31), a << (by & 31), V{}); }
template<class V> inline V shr(V a, V by) { return mux(gt(by, V{} + 31), a >> (by & 31), V{}); }

template<class V> inline V parity(V a) {
    for (int half = 16; half; half /= 2)
        a ^= a >> half;
    return a & 1;
}

// Out of a sum of two words and one bit.
template<class V> inline V carry(V a, V b, V more) {
    V sum = a + b;
    return lt(sum, a) | lt(sum + more, sum);
}

// The upper word of a product.
template<class V> inline V high(V a, V b) {
    V low = (a & 0xffff) * (b & 0xffff), left = (a >> 16) * (b & 0xffff), right = (a & 0xffff) * (b >> 16);
    V middle = left + (low >> 16);
    V other = right + (middle & 0xffff);
    return (a >> 16) * (b >> 16) + (middle >> 16) + (other >> 16);
}

// A memory has a word of each instance at every address; beyond its end it reads as 0 and keeps nothing.
template<class V, size_t Size> inline V load(const std::array<V, Size> &memory, V address) {
    V found{};
    for (size_t lane = 0; lane < sizeof(V) / 4; lane++)
        if (uint32_t at = get(address, lane); at < Size)
            set(found, lane, get(memory[at], lane));
    return found;
}
// Where it is not enabled, what was read before stays. In most clocks that is so in all lanes.
template<class V, size_t Size> inline V load(const std::array<V, Size> &memory, V address, V enable, V before) {
    return any(enable) ? mux(enable, before, load(memory, address)) : before;
}
template<class V, size_t Size> inline void store(std::array<V, Size> &memory, V address, V bits, V data) {
    if (!any(bits))
        return;
    for (size_t lane = 0; lane < sizeof(V) / 4; lane++)
        if (uint32_t at = get(address, lane), wanted = get(bits, lane); wanted && at < Size)
            set(memory[at], lane, (get(memory[at], lane) & ~wanted) | (get(data, lane) & wanted));
}

}  // namespace lanes
