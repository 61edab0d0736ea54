"""Whatever the words are, the checker ends and says something sensible."""

from hypothesis import given, settings
from hypothesis import strategies as st

from vc4.isa.decode import encode
from vc4.isa.word import BranchWord
from vc4sim.checker import Subject, check

ANY_WORD = st.integers(0, (1 << 64) - 1)
NEAR_BRANCH = st.builds(
    lambda distance, condition: encode(
        BranchWord,
        signal=15,
        relative=1,
        condition=condition,
        immediate=8 * distance & 0xFFFF_FFFF,
        waddr_add=39,
        waddr_mul=39,
    ),
    st.integers(-20, 20),
    st.integers(0, 15),
)


@settings(max_examples=150)
@given(
    st.lists(ANY_WORD | NEAR_BRANCH, max_size=24),
    st.integers(0, 1 << 29).map(lambda index: 8 * index),
    st.sampled_from(Subject),
    st.booleans(),
)
def test_any_words(words, base, subject, two_tmus):
    found = check(words, base, subject=subject, two_tmus=two_tmus)
    assert found == check(words, base, subject=subject, two_tmus=two_tmus)
    assert [one.order for one in found] == sorted({one.order for one in found})
    for one in found:
        assert one.offset in range(0, 8 * len(words), 8)
        assert one.trigger in range(0, 8 * len(words), 8)
        assert one.message
        assert "\n" not in one.message
