"""The eight comparisons of depth and stencil tests (guide, tables 27 and 38)."""

from amaranth.hdl import Value

from vc4.records.state import DepthTest

__all__ = ["passes"]


def passes(test: DepthTest, new: Value, old: Value) -> Value:
    """Whether `new` is to `old` what the test asks for; both are unsigned. `test` is a view of `DepthTest`.

    The code of a test has a bit for each relation that it lets pass.
    """
    less, equal, greater = (
        (Value.cast(test) & one.value).any() for one in (DepthTest.LESS, DepthTest.EQUAL, DepthTest.GREATER)
    )
    is_less, is_equal = new < old, new == old
    return (less & is_less) | (equal & is_equal) | (greater & ~is_less & ~is_equal)
