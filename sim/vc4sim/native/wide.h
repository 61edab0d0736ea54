// What is one instruction of the processor, for several lanes at once.

#ifdef __AVX2__
#include <immintrin.h>

namespace lanes {

template<> inline bool any_of<8>(Vector<8>::type value) { return !_mm256_testz_si256((__m256i)value, (__m256i)value); }
template<> inline Vector<4>::type gather<4>(const int *words, Vector<4>::type at) {
    return (Vector<4>::type)_mm_i32gather_epi32(words, (__m128i)at, 4);
}
template<> inline Vector<8>::type gather<8>(const int *words, Vector<8>::type at) {
    return (Vector<8>::type)_mm256_i32gather_epi32(words, (__m256i)at, 4);
}
#ifdef __AVX512F__
template<> inline bool any_of<16>(Vector<16>::type value) { return _mm512_test_epi32_mask((__m512i)value, (__m512i)value); }
template<> inline Vector<16>::type gather<16>(const int *words, Vector<16>::type at) {
    return (Vector<16>::type)_mm512_i32gather_epi32((__m512i)at, words, 4);
}
#endif

}  // namespace lanes
#endif
