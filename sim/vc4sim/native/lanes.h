// Words side by side: a word of every instance of a design, one instance a lane. One lane is a plain word.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>

namespace lanes {

template<size_t Lanes> struct Vector { typedef uint32_t type __attribute__((vector_size(4 * Lanes))); };
template<> struct Vector<1> { using type = uint32_t; };

// A bit for each block of a design.
using Blocks = unsigned __int128;
constexpr Blocks blocks(uint64_t high, uint64_t low) { return Blocks(high) << 64 | low; }
// Whether there are any, which is so in few clocks: what is done then lies out of the way of what the processor fetches next.
inline bool seldom(Blocks some) { return __builtin_expect(some != 0, false); }
// The readers if something has changed, without a jump: nobody can foresee where it goes.
inline Blocks wake(bool changed, Blocks readers) {
    const uint64_t all = -uint64_t(changed);
    return blocks(all & uint64_t(readers >> 64), all & uint64_t(readers));
}

inline uint32_t get(uint32_t value, size_t) { return value; }
inline void set(uint32_t &value, size_t, uint32_t word) { value = word; }
template<class V> inline uint32_t get(const V &value, size_t lane) { return value[lane]; }
template<class V> inline void set(V &value, size_t lane, uint32_t word) { value[lane] = word; }

// 0, 1, 2 and so on.
template<size_t Lanes> inline typename Vector<Lanes>::type numbers() {
    typename Vector<Lanes>::type value{};
    for (size_t lane = 0; lane < Lanes; lane++)
        set(value, lane, lane);
    return value;
}

// Whether something is so in each lane, as comparisons have it and choices want it: the word, 0 or 1, is made for those who want that.
template<class V> struct Bit {
    using Mask = decltype(V{} == V{});
    Mask mask;
    operator V() const { return (V)mask & 1; }
};
template<class T> struct IsBit : std::false_type {};
template<class V> struct IsBit<Bit<V>> : std::true_type {};
template<class V> inline V word(V value) { return value; }
template<class V> inline V word(Bit<V> bit) { return bit; }
template<class T> using Word = decltype(word(T{}));
template<class A, class B> using IfBit = std::enable_if_t<IsBit<A>::value || IsBit<B>::value, int>;

#define VC4_OF_WORDS(op) \
    template<class A, class B, IfBit<A, B> = 0> inline auto operator op(A a, B b) { return word(a) op word(b); }
VC4_OF_WORDS(+) VC4_OF_WORDS(-) VC4_OF_WORDS(*) VC4_OF_WORDS(<<) VC4_OF_WORDS(>>)
#undef VC4_OF_WORDS
#define VC4_OF_BITS(op) \
    template<class A, class B, IfBit<A, B> = 0> inline auto operator op(A a, B b) { \
        if constexpr (std::is_same_v<A, B>) \
            return A{a.mask op b.mask}; \
        else \
            return word(a) op word(b); \
    }
VC4_OF_BITS(&) VC4_OF_BITS(|) VC4_OF_BITS(^)
#undef VC4_OF_BITS
template<class V> inline V operator~(Bit<V> bit) { return ~word(bit); }
template<class V> inline V &operator|=(V &value, Bit<V> bit) { return value |= word(bit); }

// The opposite of a bit.
template<class V> inline V inverted(V bit) { return bit ^ 1; }
template<class V> inline Bit<V> inverted(Bit<V> bit) { return {~bit.mask}; }

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
template<class T> inline bool any(T value) { return any_of<sizeof(T) / 4>(word(value)); }

// A wide value has parts side by side, each a word of every lane.
template<class V, class T> inline V part(T value, size_t number) {
    const auto wide = word(value);
    V one;
    std::memcpy(&one, reinterpret_cast<const char *>(&wide) + number * sizeof one, sizeof one);
    return one;
}
template<class W, class T, class... More> inline W beside(T first, More... more) {
    const Word<T> parts[] = {first, more...};
    W wide{};
    std::memcpy(&wide, parts, sizeof parts);
    return wide;
}
template<class W, class T> inline W same(T value) {
    const auto one = word(value);
    W wide;
    for (size_t number = 0; number < sizeof wide / sizeof one; number++)
        std::memcpy(reinterpret_cast<char *>(&wide) + number * sizeof one, &one, sizeof one);
    return wide;
}

// Notes what changes.
template<class V, class T> inline void renew(V &changed, V &value, T next) {
    changed |= value ^ word(next);
    value = word(next);
}

// The same of many at once; says whether any has changed.
template<class V, size_t Size> inline bool renewed(std::array<V, Size> &values, const std::array<V, Size> &next) {
    using Words = Vector<4>::type;
    static_assert(sizeof values % sizeof(Words) == 0, "banks have no rest");
    Words changed{}, before, now;
    for (size_t at = 0; at < sizeof values; at += sizeof now) {
        std::memcpy(&before, reinterpret_cast<const char *>(&values) + at, sizeof before);
        std::memcpy(&now, reinterpret_cast<const char *>(&next) + at, sizeof now);
        changed |= before ^ now;
        std::memcpy(reinterpret_cast<char *>(&values) + at, &now, sizeof now);
    }
    return any(changed);
}

// The same of a lane of an input: its readers wake up.
template<class V> inline void give(Blocks &woken, Blocks readers, V &value, size_t lane, uint32_t next) {
    woken |= get(value, lane) == next ? 0 : readers;
    set(value, lane, next);
}

template<class V> inline auto bit_of(decltype(V{} == V{}) mask) {
    if constexpr (std::is_same_v<V, uint32_t>)
        return V(mask);
    else
        return Bit<V>{mask};
}
template<class A, class B> inline auto eq(A a, B b) { return bit_of<Word<A>>(word(a) == word(b)); }
template<class A, class B> inline auto ne(A a, B b) { return bit_of<Word<A>>(word(a) != word(b)); }
template<class A, class B> inline auto lt(A a, B b) { return bit_of<Word<A>>(word(a) < word(b)); }
template<class A, class B> inline auto le(A a, B b) { return bit_of<Word<A>>(word(a) <= word(b)); }
template<class A, class B> inline auto gt(A a, B b) { return bit_of<Word<A>>(word(a) > word(b)); }
template<class A, class B> inline auto ge(A a, B b) { return bit_of<Word<A>>(word(a) >= word(b)); }

template<class V> inline auto chosen(V bit) { return bit != 0; }
template<class V> inline auto chosen(Bit<V> bit) { return bit.mask; }
template<class B, class N, class Y> inline auto mux(B bit, N no, Y yes) {
    if constexpr (IsBit<N>::value && std::is_same_v<N, Y>)
        return N{chosen(bit) ? yes.mask : no.mask};
    else
        return chosen(bit) ? word(yes) : word(no);
}
template<class A, class B> inline auto shl(A a, B by) { return mux(word(by) >> 5, word(a) << (word(by) & 31), Word<A>{}); }
template<class A, class B> inline auto shr(A a, B by) { return mux(word(by) >> 5, word(a) >> (word(by) & 31), Word<A>{}); }

template<class T> inline auto parity(T value) {
    auto a = word(value);
    for (int half = 16; half; half /= 2)
        a ^= a >> half;
    return a & 1;
}

// Out of a sum of two words and one bit.
template<class A, class B, class C> inline auto carry(A a, B b, C more) {
    const auto sum = word(a) + word(b);
    return lt(sum, word(a)) | lt(sum + word(more), sum);
}

// The upper word of a product.
template<class A, class B> inline auto high(A one, B two) {
    const auto a = word(one), b = word(two);
    const auto low = (a & 0xffff) * (b & 0xffff), left = (a >> 16) * (b & 0xffff), right = (a & 0xffff) * (b >> 16);
    const auto middle = left + (low >> 16);
    return (a >> 16) * (b >> 16) + (middle >> 16) + ((right + (middle & 0xffff)) >> 16);
}

// The words of a table that the lanes ask for.
template<size_t Lanes> inline typename Vector<Lanes>::type gather(const int *words, typename Vector<Lanes>::type at) {
    typename Vector<Lanes>::type found;
    for (size_t lane = 0; lane < Lanes; lane++)
        found[lane] = words[at[lane]];
    return found;
}
template<> inline uint32_t gather<1>(const int *words, uint32_t at) { return words[at]; }

// A memory has a word of each instance at every address; beyond its end it reads as 0 and keeps nothing. No address is beyond it if
// it is `Full`.
template<bool Full = false, class V, size_t Size, class T> inline V load(const std::array<V, Size> &memory, T address) {
    constexpr size_t Lanes = sizeof(V) / 4;
    const auto *words = reinterpret_cast<const int *>(&memory);
    const V at = word(address);
    if constexpr (Full)
        return gather<Lanes>(words, at * Lanes + numbers<Lanes>());
    const auto inside = lt(at, same<V>(uint32_t(Size)));
    return mux(inside, V{}, gather<Lanes>(words, mux(inside, V{}, at) * Lanes + numbers<Lanes>()));
}
// Where it is not enabled, what was read before stays. In most clocks that is so in all lanes.
template<bool Full, class V, size_t Size> inline V load(const std::array<V, Size> &memory, V address, V enable, V before) {
    return any(enable) ? mux(enable, before, load<Full>(memory, address)) : before;
}
template<class V, size_t Size> inline void store(std::array<V, Size> &memory, V address, V bits, V data) {
    if (!any(bits))
        return;
    for (size_t lane = 0; lane < sizeof(V) / 4; lane++)
        if (uint32_t at = get(address, lane), wanted = get(bits, lane); wanted && at < Size)
            set(memory[at], lane, (get(memory[at], lane) & ~wanted) | (get(data, lane) & wanted));
}

}  // namespace lanes
