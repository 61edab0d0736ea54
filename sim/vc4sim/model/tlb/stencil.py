"""The stencil test: what a shader sets up, and what the test does to eight bits (guide, tables 27 and 28; pipeline facts, 5.3).

A face is set up by a word of table 27, or 0 while it has no test, and by a mask of the bits that may change.
"""

from amaranth.lib.data import Layout

from vc4.records.stencil import StencilOperation, StencilRule, StencilSetUp

from ..compiled import kernel
from .compare import passes

__all__ = ["BYTE", "FACES", "stencil_holds", "stencil_updated", "write_mask_of"]

#: Front and back.
FACES = 2
BYTE = 0xFF
_WRITE_MASKS = (0x01, 0x03, 0x0F, 0xFF)
#: Codes of operations.
_ZERO, _KEEP, _REPLACE, _INCREMENT, _DECREMENT, _INVERT, _INCREMENT_WRAP, _ = (one.value for one in StencilOperation)
#: Where the fields of the word lie: values that are compared, the test, the codes for each way in which it may end.
_MASK, _REFERENCE, _FUNCTION, _FAIL, _Z_PASS, _Z_FAIL = (field.offset for _, field in Layout.cast(StencilRule))
_WRITE_MASK = Layout.cast(StencilSetUp)["write_mask"].offset


@kernel
def write_mask_of(word: int) -> int:
    """The bits that may change by the word itself."""
    return _WRITE_MASKS[word >> _WRITE_MASK & 3]


@kernel
def stencil_holds(word: int, old: int) -> bool:
    """Whether the test passes: the reference value is compared with the stored one, both masked."""
    return word == 0 or passes(
        word >> _FUNCTION & 7, word >> _REFERENCE & word >> _MASK & BYTE, old & word >> _MASK & BYTE
    )


@kernel
def _operated(operation: int, old: int, reference: int) -> int:
    if operation == _ZERO:
        return 0
    if operation == _KEEP:
        return old
    if operation == _REPLACE:
        return reference
    if operation == _INCREMENT:
        return min(old + 1, BYTE)
    if operation == _DECREMENT:
        return max(old - 1, 0)
    if operation == _INVERT:
        return old ^ BYTE
    return (old + 1 if operation == _INCREMENT_WRAP else old - 1) & BYTE


@kernel
def stencil_updated(word: int, write_mask: int, old: int, holds: bool, nearer: bool) -> int:
    """The stencil value after both tests."""
    if word == 0:
        return old
    place = (_Z_PASS if nearer else _Z_FAIL) if holds else _FAIL
    new = _operated(word >> place & 7, old, word >> _REFERENCE & BYTE)
    return old & ~write_mask | new & write_mask
