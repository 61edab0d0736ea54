"""Questions about what is outside of the ALUs: special functions, vectors under a condition, what the mutex reads."""

from vc4.isa.registers import ELEMENTS
from vc4.isa.sfu_tables import SfuFunction

from ..model.arith.sfu import special
from .image import Address
from .program import VECTORS, rows, vector

__all__ = ["QUESTIONS"]

_PAGE, _FUNCTIONS = "choices.md#instructions", "choices.md#special-functions-and-r4"
_ELEMENTS = range(ELEMENTS)
_THREE, _TWO = 0x4040_0000, 0x4000_0000
_RECIP, _EXP = special(SfuFunction.RECIP.value, _THREE), special(SfuFunction.EXP.value, _TWO)
_SHOW = "mov vpm, r3\n"
#: Z in elements 0 to 4 only; it leaves r2 alone.
_FIRST_FIVE = "mov r0, 0\nsub.setf -, elem_num, 5\nmov.ifnn r0, 1\nmov.setf -, r0\n"


def _nops(count: int) -> str:
    return "nop\n" * count


def _same(*words: int) -> list[list[int]]:
    """Rows of one word each."""
    return [[one] * ELEMENTS for one in words]


def _in_five(then: int, otherwise: int) -> list[list[int]]:
    """A row with one word in elements 0 to 4, and another one after them."""
    return [[then if one < 5 else otherwise for one in _ELEMENTS]]


_OLD = "shl r0, elem_num, 2\nadd t0s, r0, unif\nnop; ldtmu0\n"
_LOOKED_UP = {"looked up": vector([1])}
_CLOSE = rows(
    "sfu_close_writes",
    "of two writes to the special function unit one after another, r4 shows",
    _FUNCTIONS,
    f"{_OLD}mov r1, unif\nmov r2, unif\nmov recip, r1\nmov exp, r2\nnop\nmov r0, r4\nmov r1, r4\nnop\nnop\nmov r2, r4\n"
    "mov vpm, r0\nmov vpm, r1\nmov vpm, r2\n",
    {
        "both results, three instructions after its write each": _same(_RECIP, _EXP, _EXP),
        "the second result only": _same(1, _EXP, _EXP),
        "the second result only, as soon as the first one is due": _same(_EXP, _EXP, _EXP),
        "the first result only": _same(_RECIP, _RECIP, _RECIP),
    },
    uniforms=[Address("looked up"), _THREE, _TWO],
    buffers=_LOOKED_UP,
    breaks=["R5"],
)
_CONDITION = rows(
    "sfu_under_condition",
    "a write to the special function unit under a condition computes",
    _FUNCTIONS,
    f"{_OLD}mov r1, unif\n{_FIRST_FIVE}mov.ifz recip, r1\nnop\nnop\nmov r3, r4\n{_SHOW}",
    {
        "all elements": _same(_RECIP),
        "those that meet it; r4 keeps the others": _in_five(_RECIP, 1),
        "those that meet it; the others become infinity": _in_five(_RECIP, 0x7F80_0000),
    },
    uniforms=[Address("looked up"), _THREE],
    buffers=_LOOKED_UP,
    breaks=["R23"],
)
_VECTOR = rows(
    "vpm_under_condition",
    "a vector that is written to the VPM under a condition is written",
    _PAGE,
    f"mov vpm, 7\nldi vw_setup, {VECTORS:#x}\nmov r3, 9\n{_FIRST_FIVE}mov.ifz vpm, r3\n",
    {"as a whole": _same(9), "where elements meet it": _in_five(9, 7), "as a whole, with 0 elsewhere": _in_five(9, 0)},
    breaks=["R23"],
)


_LOAD = rows(
    "r4_by_both",
    "where the result of a lookup and one of the special function unit reach r4 at once, it holds that of",
    "tmu.md#requests",
    f"mov r1, unif\nshl r0, elem_num, 2\nadd t0s, r0, unif\n{_nops(40)}mov recip, r1\nnop\nnop; ldtmu0\nmov r3, r4\n{_SHOW}",
    {"the lookup": _same(1), "the special function unit": _same(_RECIP)},
    uniforms=[_THREE, Address("looked up")],
    buffers=_LOOKED_UP,
    breaks=["R5"],
)
_SEMAPHORE = rows(
    "semaphore_value",
    "an instruction that counts semaphore 5 up from 0, and has a destination, writes",
    "choices.md#semaphores-and-mutex",
    f"srel r3, 5\nsacq -, 5\n{_SHOW}",
    {"its immediate": _same(5), "the count before": _same(0), "the count after": _same(1)},
)


def _read(name: str, asks: str, page: str, port: str, rules: dict[str, list[list[int]]], after: str = ""):
    """What an address reads, after a 5 on the same port."""
    return rows(name, asks, page, f"mov ra5, 5\nnop\nnop\nmov r0, ra5\nmov r3, {port}\n{after}{_SHOW}", rules)


_NUMBERS = {"the element number": [list(_ELEMENTS)]}
_MUTEX = _read(
    "mutex_value",
    "the mutex, read on port A, gives",
    "choices.md#semaphores-and-mutex",
    "ra51",
    {**_NUMBERS, "fc2ff000": _same(0xFC2F_F000), "0": _same(0), "the value before": _same(5)},
    "mov mutex, 0\n",
)
_NOTHING = _read(
    "nothing_read",
    "address 33, which names nothing, read on port A, gives",
    _PAGE,
    "ra33",
    {**_NUMBERS, "0": _same(0), "the value before": _same(5)},
)
_WAIT = _read(
    "wait_value",
    "a wait for loads, address 50 on port A, gives",
    _PAGE,
    "ra50",
    {**_NUMBERS, "0": _same(0), "the value before": _same(5)},
)
_BUSY = _read(
    "busy_value",
    "whether loads are busy, address 49 on port A, reads, where none was asked for,",
    "qpu_facts.md#52-reads",
    "ra49",
    {"0": _same(0), **_NUMBERS, "the value before": _same(5)},
)
QUESTIONS = (_CLOSE, _CONDITION, _LOAD, _VECTOR, _SEMAPHORE, _MUTEX, _NOTHING, _WAIT, _BUSY)
