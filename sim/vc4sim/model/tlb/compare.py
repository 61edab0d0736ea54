"""The eight comparisons of depth and stencil tests (guide, tables 27 and 38)."""

from vc4.records.state import DepthTest

from ..compiled import kernel

__all__ = ["GREATER", "passes"]

#: The code of a test has a bit for each relation that it lets pass.
_LESS, _EQUAL, GREATER = (test.value for test in (DepthTest.LESS, DepthTest.EQUAL, DepthTest.GREATER))


@kernel
def passes(test: int, new: int, old: int) -> bool:
    """Whether `new` is to `old` what the test (`DepthTest`) asks for; both are unsigned."""
    relation = _LESS if new < old else GREATER if new > old else _EQUAL
    return test & relation != 0
