"""Questions about what an instruction reads: registers that were just written, and values that ports and ALUs show again."""

from collections.abc import Sequence

from vc4.isa.ops import Condition, Signal
from vc4.isa.registers import ELEMENTS, QUADS

from .image import UNIFORMS, Address
from .program import R3, rows, vector, word

__all__ = ["QUESTIONS"]

_PAGE, _FUNCTIONS = "choices.md#instructions", "choices.md#special-functions-and-r4"
_ELEMENTS = range(ELEMENTS)
_LAST = ELEMENTS - QUADS
#: The small immediate of a rotation by 0, were there one.
_FIRST_ROTATION = 48
#: A value with another number in each element, and what r3 holds where nothing writes it.
_VALUE = [3 * element + 5 for element in _ELEMENTS]
_BEFORE = [9] * ELEMENTS
_BEGIN = "mov r3, 9\nmov r0, elem_num\nadd r1, r0, r0\nadd r1, r1, r0\nadd r1, r1, 5\n"
#: A nop of the mul ALU that writes r3.
_MUL_NOP = "mnop r3\n"


def _rotated_nop(rotation: int) -> str:
    """A nop of the mul ALU that writes r3, with a rotation."""
    turn = _FIRST_ROTATION + rotation
    return word(signal=Signal.SMALL_IMMEDIATE, raddr_b=turn, cond_mul=Condition.ALWAYS, waddr_mul=R3)


def _turned(values: Sequence[int], rotation: int) -> list[int]:
    """A vector whose elements have moved up."""
    return [values[(element - rotation) % ELEMENTS] for element in _ELEMENTS]


def _again(values: Sequence[int], rotation: int = 0) -> list[int]:
    """The last quad of a vector in every quad, its elements moved up within it."""
    return [values[_LAST + (element - rotation) % QUADS] for element in _ELEMENTS]


_SHOW = "mov vpm, r3\n"
_UNWRITTEN = {"nothing: it does not write": [_BEFORE], "0": [[0] * ELEMENTS]}
_MUL = rows(
    "mul_nop",
    "a nop of the mul ALU with a destination writes",
    _PAGE,
    f"{_BEGIN}nop; v8min r2, r1, r1\n{_MUL_NOP}{_SHOW}",
    {
        "elements 12 to 15 of the result before, in every quad": [_again(_VALUE)],
        "the whole result before": [_VALUE],
        **_UNWRITTEN,
    },
)
_MUL_BEHIND_ROTATION = rows(
    "mul_nop_after_rotation",
    "a nop of the mul ALU, after a result that was rotated by 5, writes of its elements 12 to 15",
    _PAGE,
    f"{_BEGIN}nop\nnop; v8min r2, r1 >> 5, r1 >> 5\n{_MUL_NOP}{_SHOW}",
    {
        "those before they moved within the quad": [_again(_turned(_VALUE, 5), -1)],
        "those that were written": [_again(_turned(_VALUE, 5))],
        "those before any rotation": [_again(_VALUE)],
        **_UNWRITTEN,
    },
)
_MUL_ROTATED = rows(
    "mul_nop_rotated",
    "a nop of the mul ALU with a rotation by 2 writes elements 12 to 15 of the result before",
    _PAGE,
    f"{_BEGIN}nop; v8min r2, r1, r1\n{_rotated_nop(2)}{_SHOW}",
    {
        "rotated within the quad": [_again(_VALUE, 2)],
        "as they were": [_again(_VALUE)],
        "rotated over all elements: that result as a whole": [_turned(_VALUE, 2)],
        **_UNWRITTEN,
    },
)
_ADD = rows(
    "add_nop",
    "a nop of the add ALU with a destination writes",
    _PAGE,
    # Its operands are r0.
    f"{_BEGIN}add r2, r1, 1\n{word(cond_add=Condition.ALWAYS, waddr_add=R3)}{_SHOW}",
    {
        "nothing": [_BEFORE],
        "r0, its operand": [list(_ELEMENTS)],
        "elements 12 to 15 of the result before, in every quad": [_again([one + 1 for one in _VALUE])],
        "the whole result before": [[one + 1 for one in _VALUE]],
        "0": [[0] * ELEMENTS],
    },
)
_PORT_A = rows(
    "port_a_again",
    "reading address 39 on port A gives",
    _PAGE,
    f"{_BEGIN}mov ra5, r1\nnop\nnop\nmov r2, ra5\nmov r3, ra39\n{_SHOW}",
    {
        "elements 12 to 15 of the value before, in every quad": [_again(_VALUE)],
        "the whole value before": [_VALUE],
        "the element number": [list(_ELEMENTS)],
        "0": [[0] * ELEMENTS],
    },
)
_PORT_B = rows(
    "port_b_again",
    "reading address 39 on port B gives",
    _PAGE,
    f"{_BEGIN}mov rb5, r1\nnop\nnop\nmov r2, rb5\nmov r3, rb39\n{_SHOW}",
    {
        "elements 12 to 15 of the value before, in every quad": [_again(_VALUE)],
        "the whole value before": [_VALUE],
        "the QPU number, or 0": [[0] * ELEMENTS],
    },
)
_PORT_B_IMMEDIATE = rows(
    "port_b_again_immediate",
    "reading address 39 on port B, after a small immediate,",
    _PAGE,
    f"{_BEGIN}mov rb5, r1\nnop\nnop\nmov r2, rb5\nadd r2, r0, 3\nmov r3, rb39\n{_SHOW}",
    {"gives the immediate": [[3] * ELEMENTS], "gives the register that was read before": [_again(_VALUE)]},
)


def _early(file: str, name: str) -> str:
    """Writes r1 and then r0 to a register, and reads it at once."""
    return f"{_BEGIN}mov {file}{name}, r1\nnop\nnop\nmov {file}{name}, r0\nmov r3, {file}{name}"


_OLD_OR_NEW = {"the old value": [_VALUE], "the new value": [list(_ELEMENTS)]}
_EARLY_A, _EARLY_B = (
    rows(
        f"early_read_{file[1]}",
        f"the instruction after a write to a register of file {file[1].upper()} reads",
        _PAGE,
        f"{_early(file, '5')}\n{_SHOW}",
        _OLD_OR_NEW,
        breaks=["R1"],
    )
    for file in ("ra", "rb")
)
_EARLY_WAITING = rows(
    "early_read_waiting",
    "the instruction after a write to a register, if it waits for a lookup, reads",
    _PAGE,
    f"shl r0, elem_num, 2\nadd t0s, r0, unif\n{_early('ra', '5')}; ldtmu0\n{_SHOW}",
    _OLD_OR_NEW,
    uniforms=[Address("looked up")],
    buffers={"looked up": vector([1])},
    breaks=["R1"],
)
_ROTATED_EARLY = rows(
    "early_rotation",
    "the instruction after a write to an accumulator, if it rotates it,",
    _PAGE,
    f"{_BEGIN}mov r2, r1\nnop\nmov r2, r0\nnop; v8min r3, r2 >> 5, r2 >> 5\n{_SHOW}",
    {
        "sees the new value": [_turned(_ELEMENTS, 5)],
        "sees the old value where elements come from a later quad": [
            [
                (_VALUE if (element - 5) % ELEMENTS // QUADS > element // QUADS else _ELEMENTS)[
                    (element - 5) % ELEMENTS
                ]
                for element in _ELEMENTS
            ]
        ],
        "sees the old value": [_turned(_VALUE, 5)],
    },
    breaks=["R2"],
)
_ROTATED_BY_EARLY = rows(
    "early_rotation_by_r5",
    "the instruction after a write to r5, if it rotates by r5,",
    _PAGE,
    f"{_BEGIN}mov r5rep, 2\nnop\nmov r5rep, 6\nnop; v8min r3, r1 >> r5, r1 >> r5\n{_SHOW}",
    {"sees the new value": [_turned(_VALUE, 6)], "sees the old value": [_turned(_VALUE, 2)]},
    breaks=["R3"],
)
#: r4 holds 1 before, and then the reciprocal of 3: rows with 0 while it is the old one.
_SHOW_R4 = "".join(f"sub.setf -, r{number}, 1\nmov r3, 1\nmov.ifz r3, 0\nmov vpm, r3\n" for number in (0, 1, 2))
_EARLY_R4 = rows(
    "early_r4",
    "the instructions after a write to the special function unit see a new r4 from",
    _FUNCTIONS,
    "shl r0, elem_num, 2\nadd t0s, r0, unif\nmov r1, unif\nnop; ldtmu0\nmov recip, r1\nmov r0, r4\nmov r1, r4\nmov r2, r4\n"
    + _SHOW_R4,
    {
        "the third one on": [[0] * ELEMENTS, [0] * ELEMENTS, [1] * ELEMENTS],
        "the second one on": [[0] * ELEMENTS, [1] * ELEMENTS, [1] * ELEMENTS],
        "the first one on: they wait": [[1] * ELEMENTS] * 3,
    },
    uniforms=[Address("looked up"), 0x4040_0000],
    buffers={"looked up": vector([1])},
    breaks=["R5"],
)
_STREAM = [0x100 + number for number in range(3)]
_OTHERS = [0x200, 0x201]


def _uniforms(*words: int) -> list[list[int]]:
    return [[word] * ELEMENTS for word in words]


# The address is written again, without haste, so that the last uniform is the one where the answer goes.
_EARLY_UNIFORM = rows(
    "early_uniform",
    "after a write of their address, uniforms are those of the new address from",
    _PAGE,
    "mov r3, unif\nmov unif_addr, r3\nmov r0, unif\nmov r1, unif\nmov r2, unif\nmov vpm, r0\nmov vpm, r1\nmov vpm, r2\n"
    "mov unif_addr, r3\nnop\nnop\nmov r0, unif\nmov r0, unif\nmov r0, unif\n",
    {
        "the first one that is read: it waits": _uniforms(*_STREAM),
        "the second one that is read": _uniforms(_OTHERS[0], *_STREAM[:2]),
        "the third one that is read": _uniforms(*_OTHERS, _STREAM[0]),
    },
    uniforms=[Address(UNIFORMS, 3 * 4), *_OTHERS, *_STREAM],
    breaks=["R6"],
)
_UNPACKED = rows(
    "unpack_of_uniform",
    "an unpack of a uniform that is read through port A",
    _PAGE,
    "mov r3, unif.16a\nmov vpm, r3\n",
    {"is applied": _uniforms(0xFFFF_9234), "is not applied": _uniforms(0x1234_9234)},
    uniforms=[0x1234_9234],
)
QUESTIONS = (
    _MUL,
    _MUL_BEHIND_ROTATION,
    _MUL_ROTATED,
    _ADD,
    _PORT_A,
    _PORT_B,
    _PORT_B_IMMEDIATE,
    _EARLY_A,
    _EARLY_B,
    _EARLY_WAITING,
    _ROTATED_EARLY,
    _ROTATED_BY_EARLY,
    _EARLY_R4,
    _EARLY_UNIFORM,
    _UNPACKED,
)
