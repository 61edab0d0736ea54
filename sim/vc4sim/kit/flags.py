"""Questions about flags and carries."""

from ..model.arith.float import SIGN
from .program import cases, rows

__all__ = ["QUESTIONS"]

_PAGE = "choices.md#arithmetic"
_24_BITS = 0xFF_FFFF


def _carry(bits: int):
    """Whether a product of 24 by 24 bits needs more."""
    return lambda a, b: int((a & _24_BITS) * (b & _24_BITS) >> bits != 0)


_MUL24 = cases(
    "mul24_carry",
    "mul24 sets C where its product",
    _PAGE,
    "mul24.setf -, r1, r2\nmov r3, 0\nmov.ifc r3, 1\nmov vpm, r3\n",
    [(0x1000, 0x1000), (0xFFF, 0x1000), (0x10000, 0x10000), (0xFFFF, 0x10001), (0xFFFFFF, 0xFFFFFF), (0, 5), (3, 5)]
    + [(0xFF000003, 0xFF000005), (0xFFFFFF, 1), (0x800000, 2), (0x800000, 0x200), (0xFFFFFF, 0x100)],
    {
        "needs more than 32 bits": _carry(32),
        "needs more than 24 bits": _carry(24),
        "is never looked at": lambda a, b: 0,
    },
)
#: Writes 1 for Z and 2 for N.
_SHOW = "mov r3, 0\nmov.ifz r3, 1\nnop\nmov r2, 2\nor.ifn r3, r3, r2\nmov vpm, r3\n"


def _zero_and_sign(word: int) -> int:
    return int(word == 0) + 2 * (word >> 31)


_OF_COLOUR = cases(
    "flags_of_colour",
    "an instruction that packs a colour sets flags from",
    _PAGE,
    f"mov r2, 0\nfmul.setf r2.8abcd, r1, 1.0\n{_SHOW}",
    [0x3A000000, 0xBF800000, 0x3F800000, 0x3F000000, 0],
    {
        "the float": _zero_and_sign,
        "the four bytes of the colour": lambda a: _zero_and_sign(
            {0x3F800000: 0xFFFFFFFF, 0x3F000000: 0x80808080}.get(a, 0)
        ),
        "the byte of the colour": lambda a: _zero_and_sign({0x3F800000: 0xFF, 0x3F000000: 0x80}.get(a, 0)),
    },
)
_OF_PACKED = cases(
    "flags_of_packed",
    "an instruction that packs into file A sets flags from",
    _PAGE,
    f"fmul.setf ra1.16a, r1, 1.0\n{_SHOW}",
    [0x33800000, 0xB3800000, 0x3F800000, 0xBF800000],
    {
        "the result before": _zero_and_sign,
        "the half float": lambda a: _zero_and_sign(a if abs(a & ~SIGN) > 0x38800000 else 0),
    },
)
_LEFT = [int(element < 5) for element in range(16)]
_OF_ROTATED = rows(
    "flags_of_rotated",
    "flags and carry of a rotated result are those of the element",
    _PAGE,
    # 0 in elements 0 to 4, rotated up by 5.
    "sub.setf r1, elem_num, 5\nmov r0, 7\nmov.ifn r0, 0\nmov r3, 0\nnop\nmov.setf r2, r0 >> 5\nmov.ifz r3, 1\nmov vpm, r3\n",
    {
        "where it arrives": [[_LEFT[(element - 5) % 16] for element in range(16)]],
        "where it comes from": [_LEFT],
    },
)
_OF_NEVER = rows(
    "flags_under_never",
    "an add operation that is never written, and sets flags,",
    "choices.md#instructions",
    # The flags say zero before; the add ALU would make them not zero and negative, the mul ALU not zero.
    "mov r0, 1\nsub.setf r1, r0, r0\nsub.never.setf r1, elem_num, 15; v8min r2, r0, r0\nmov r3, 0\nmov.ifz r3, 1\n"
    "nop\nmov r2, 2\nor.ifn r3, r3, r2\nmov vpm, r3\n",
    {
        "changes none": [[1] * 16],
        "sets those of the mul ALU": [[0] * 16],
        "sets its own": [[2] * 15 + [1]],
    },
)
QUESTIONS = (_MUL24, _OF_COLOUR, _OF_PACKED, _OF_ROTATED, _OF_NEVER)
