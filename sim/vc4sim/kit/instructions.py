"""Questions about instructions: codes that are reserved, and both ALUs at once."""

from vc4.isa.ops import AddOp, BranchCondition, Condition, LoadMode, MulOp, Mux, Signal
from vc4.isa.registers import ELEMENTS
from vc4.isa.word import BranchWord, LoadWord

from .program import NOTHING, R3, rows, word

__all__ = ["QUESTIONS"]

_PAGE, _ARITHMETIC = "choices.md#instructions", "choices.md#arithmetic"
_ELEMENTS = range(ELEMENTS)
_ALWAYS = Condition.ALWAYS
_BYTES = 8
#: The write address of vectors.
_VPM = 48
_SHOW = "mov vpm, r3\n"


def _same(*words: int) -> list[list[int]]:
    """Rows of one word each."""
    return [[one] * ELEMENTS for one in words]


_RESERVED = [one for one in AddOp if "RESERVED" in one.name]
_OPERATIONS = rows(
    "reserved_operations",
    "reserved operations of the add ALU give",
    _ARITHMETIC,
    "mov r1, 5\nmov r2, 6\n"
    + "".join(
        "mov r3, 9\n" + word(op_add=one, add_a=Mux.R1, add_b=Mux.R2, cond_add=_ALWAYS, waddr_add=R3) + _SHOW
        for one in _RESERVED
    ),
    {
        "nothing: they do not write": _same(*[9] * len(_RESERVED)),
        "0": _same(*[0] * len(_RESERVED)),
        "operand A": _same(*[5] * len(_RESERVED)),
        "operand B": _same(*[6] * len(_RESERVED)),
    },
)
_HALF, _HALF_BYTES = 0x3F00_0000, 0x8080_8080
_PACKS = rows(
    "reserved_colour_packs",
    "colour packs 1, 2, 8 and 11 are",
    _ARITHMETIC,
    "ldi r1, 0.5\nldi r2, 1.0\n"
    + "".join(
        "mov r3, 9\n"
        + word(op_mul=MulOp.FMUL, mul_a=Mux.R1, mul_b=Mux.R2, pm=1, pack=mode, cond_mul=_ALWAYS, waddr_mul=R3)
        + _SHOW
        for mode in (1, 2, 8, 11)
    ),
    {
        "those without bit 3, where 1 and 2 are 3": _same(_HALF_BYTES, _HALF_BYTES, _HALF, _HALF_BYTES),
        "none: the float is written": _same(*[_HALF] * 4),
        "none, but for 11, which is 3": _same(_HALF, _HALF, _HALF, _HALF_BYTES),
        "such that nothing is written": _same(*[9] * 4),
    },
)
_IMMEDIATE = 0x0003_8005
_LOAD_WORD = LoadWord.const(
    {
        "immediate": _IMMEDIATE,
        "waddr_add": R3,
        "waddr_mul": NOTHING,
        "cond_add": _ALWAYS,
        "mode": LoadMode.RESERVED_2,
        "signal": Signal.LOAD_IMMEDIATE,
    }
).as_bits()
_LOAD = rows(
    "reserved_load_mode",
    "a load immediate in mode 2 gives",
    _PAGE,
    f".long {_LOAD_WORD:#x}\n{_SHOW}",
    {
        "the word": _same(_IMMEDIATE),
        "two bits an element, without sign": [
            [_IMMEDIATE >> one & 1 | (_IMMEDIATE >> 16 + one & 1) << 1 for one in _ELEMENTS]
        ],
        "two bits an element, with sign": [
            [(_IMMEDIATE >> one & 1) - 2 * (_IMMEDIATE >> 16 + one & 1) for one in _ELEMENTS]
        ],
        "0": _same(0),
    },
)


def _branch(condition: BranchCondition) -> str:
    """A branch over one instruction after its slots."""
    fields = {
        "immediate": _BYTES,
        "waddr_add": NOTHING,
        "waddr_mul": NOTHING,
        "relative": 1,
        "condition": condition,
        "signal": Signal.BRANCH,
    }
    return f".long {BranchWord.const(fields).as_bits():#x}\n"


_BRANCHES = rows(
    "reserved_branch_conditions",
    "branches under conditions 12 to 14 are",
    _PAGE,
    "".join(
        f"mov r3, 1\n{_branch(one)}nop\nnop\nnop\nmov r3, 0\n{_SHOW}"
        for one in BranchCondition
        if "RESERVED" in one.name
    ),
    {"never taken": _same(0, 0, 0), "always taken": _same(1, 1, 1)},
)
_BY_BOTH = {
    "op_add": AddOp.OR,
    "add_a": Mux.R1,
    "add_b": Mux.R1,
    "op_mul": MulOp.V8MIN,
    "mul_a": Mux.R0,
    "mul_b": Mux.R0,
}
_BY_BOTH |= {"cond_add": _ALWAYS, "cond_mul": _ALWAYS}
_OPERANDS = "mov r0, elem_num\nmov r1, 4\nmov r3, 9\n"
_ACCUMULATOR = rows(
    "accumulator_by_both",
    "an accumulator that both ALUs write gets the result of",
    _PAGE,
    f"{_OPERANDS}{word(waddr_add=R3, waddr_mul=R3, **_BY_BOTH)}{_SHOW}",
    {
        "the mul ALU": [list(_ELEMENTS)],
        "the add ALU": _same(4),
        "both, bit by bit or": [[one | 4 for one in _ELEMENTS]],
        "neither": _same(9),
    },
    breaks=["R22"],
)
_VECTORS = rows(
    "vpm_by_both",
    "of two vectors that one instruction writes to the VPM, it gets that of",
    _PAGE,
    f"mov vpm, 0\nmov vpm, 0\nmov vpm, 0\nldi vw_setup, 0x1a00\n{_OPERANDS}{word(waddr_add=_VPM, waddr_mul=_VPM, **_BY_BOTH)}{_SHOW}",
    {
        "the mul ALU": [list(_ELEMENTS), *_same(9, 0)],
        "the add ALU": _same(4, 9, 0),
        "the add ALU, and then that of the mul ALU": [*_same(4), list(_ELEMENTS), *_same(9)],
        "the mul ALU, and then that of the add ALU": [list(_ELEMENTS), *_same(4, 9)],
    },
    breaks=["R22"],
)
QUESTIONS = (_OPERATIONS, _PACKS, _LOAD, _BRANCHES, _ACCUMULATOR, _VECTORS)
