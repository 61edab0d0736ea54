"""The programs of the clipper: one table of steps, each of which is an operation."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

__all__ = [
    "CORNER_BITS",
    "CORNER_WORDS",
    "FIRST_STEPS",
    "FIRST_WORD",
    "MOST_CORNERS",
    "NUMBER_WORDS",
    "STEPS",
    "WORD_BITS",
    "ClipAction",
    "ClipOperand",
    "ClipProgram",
    "ClipSign",
    "ClipStep",
    "CornerBase",
    "CornerWord",
    "NumberWord",
    "Operation",
    "SpareCorner",
]

#: Six planes cut a triangle, each of them at most this often if rounding bends its edges: 3, 4, 6, 9, 13, 19, 28.
MOST_CORNERS = 28
#: Of the number of a corner in its half of the memory, and of that of a word in a corner.
CORNER_BITS, WORD_BITS = 5, 3
CORNER_WORDS = 1 << WORD_BITS


class CornerWord(enum.IntEnum):
    """Words of a corner. On the screen, X and Y are as `screen_half` takes them, Z is Zs, and W is 1/W."""

    X = 0
    Y = 1
    Z = 2
    W = 3
    WEIGHTS = 4
    NUMBER = 7


#: The word with which those who take all words of a corner begin.
FIRST_WORD = CornerWord.W
#: What `CornerWord.NUMBER` is of a vertex of the primitive; it is 0 of a new one. Floats: they pass through a sum.
NUMBER_WORDS = (0x4000_0000, 0x4040_0000, 0x4080_0000)


class SpareCorner(enum.IntEnum):
    """Corners of the first half that are none."""

    SCRATCH = 29
    NUMBERS = 30
    DIFFERENCES = 31


class NumberWord(enum.IntEnum):
    """Words of `SpareCorner.NUMBERS`. The last four are what records say."""

    ZERO = 0
    ONE = 1
    REACH = 2  # the largest X and Y on the screen
    SHIFT = 3  # 2^23: a sum with it is an integer
    X_SCALE = 4
    Y_SCALE = 5
    Z_SCALE = 6
    Z_OFFSET = 7


class CornerBase(enum.Enum, shape=unsigned(3)):
    """Which corner an operand is of."""

    THIS = 0
    NEXT = 1
    INNER = 2  # that of this one and the next one which is inside of the plane
    OUTER = 3
    NEW = 4  # the next one of those that are left
    SCRATCH = 5
    NUMBERS = 6
    DIFFERENCES = 7


class Operation(enum.Enum, shape=unsigned(2)):
    """What is done with a and b."""

    ADD = 0
    MUL = 1
    DIV = 2


class ClipSign(enum.Enum, shape=unsigned(3)):
    """What happens to the sign of b. The lowest bit inverts."""

    OWN = 0
    MINUS = 1
    SIDE = 2  # inverted if that of the plane is -1
    MINUS_SIDE = 3
    LIKE = 4  # it is that of a
    UNLIKE = 5


class ClipAction(enum.Enum, shape=unsigned(3)):
    """What else becomes of a result."""

    NONE = 0
    OUTCODE = 1  # whether W + X or W - X is negative
    REACH = 2  # how large the next ones can be, on the screen
    CHECK = 3  # whether it is as small as that
    DISTANCE = 4  # of the next corner from the plane


class ClipOperand(data.Struct):
    """A word of a corner.

    word : this one; or of a step that repeats, with `varies`, every one; or that of the plane, with `along`
    """

    base: CornerBase
    word: unsigned(WORD_BITS)
    varies: unsigned(1)
    along: unsigned(1)


class ClipStep(data.Struct):
    """A clock.

    operation, a, b, sign : what is computed
    writes, into : it is written
    action : and what else is done with it
    repeats : for all words of a corner
    waits : first all before it is done
    loops : if there is another corner, the program begins again with it
    ends : the last step
    """

    operation: Operation
    a: ClipOperand
    b: ClipOperand
    sign: ClipSign
    writes: unsigned(1)
    into: ClipOperand
    action: ClipAction
    repeats: unsigned(1)
    waits: unsigned(1)
    loops: unsigned(1)
    ends: unsigned(1)


class ClipProgram(enum.Enum, shape=unsigned(3)):
    """What is run."""

    CLASSIFY = 0  # each corner
    DISTANCE = 1  # of the next corner
    KEEP = 2  # the same, and this corner is copied
    CROSS = 3  # where the edge between both crosses the plane
    SCREEN = 4  # where this one is on the screen, in its place


def _word(base, word):
    return {"base": base, "word": word}


def _every(base):
    return {"base": base, "varies": 1}


def _along(base):
    return {"base": base, "along": 1}


def _step(operation, a, b, into=None, sign=ClipSign.OWN, action=ClipAction.NONE, **more):
    written = {"writes": 1, "into": into} if into else {}
    return {"operation": operation, "a": a, "b": b, "sign": sign, "action": action} | written | more


_ADD, _MUL, _DIV = Operation
_THIS, _NEXT, _INNER, _OUTER, _NEW = (
    CornerBase.THIS,
    CornerBase.NEXT,
    CornerBase.INNER,
    CornerBase.OUTER,
    CornerBase.NEW,
)
_ZERO, _ONE, _REACH, _SHIFT, _X_SCALE, _Y_SCALE, _Z_SCALE, _Z_OFFSET = (
    _word(CornerBase.NUMBERS, word) for word in NumberWord
)
_X, _Y, _Z, _W = (_word(_THIS, word) for word in (CornerWord.X, CornerWord.Y, CornerWord.Z, CornerWord.W))
_INSIDE, _OUTSIDE, _TOTAL, _PART = (_word(CornerBase.SCRATCH, word) for word in range(4))
_SCREEN_X, _SCREEN_Y, _SCREEN_Z = (_word(CornerBase.DIFFERENCES, word) for word in range(3))
_DIFFERENCE = _every(CornerBase.DIFFERENCES)


def _outcode(axis, **more):
    return _step(_ADD, _W, axis, sign=ClipSign.UNLIKE, action=ClipAction.OUTCODE, **more)


def _check(axis, scale):
    return _step(_MUL, axis, scale, action=ClipAction.CHECK)


def _distance(base, into=None, **more):
    return _step(_ADD, _word(base, CornerWord.W), _along(base), into, ClipSign.SIDE, **more)


# Words are loaded in the order W, X, Y, Z: the first corner is classified while that happens.
_CLASSIFY = (
    _step(_MUL, _W, _REACH, action=ClipAction.REACH),
    _check(_X, _X_SCALE),
    _outcode(_X),
    _check(_Y, _Y_SCALE),
    _outcode(_Y),
    _outcode(_Z, loops=1, ends=1),
)
_DISTANCE = (_distance(_NEXT, action=ClipAction.DISTANCE, ends=1),)
_KEEP = (
    _distance(_NEXT, action=ClipAction.DISTANCE),
    _step(_ADD, _every(_THIS), _ZERO, _every(_NEW), repeats=1, ends=1),
)
# What repeats takes eight clocks, so what is written by one is there for the next.
_CROSS = (
    _distance(_INNER, _INSIDE),
    _distance(_OUTER, _OUTSIDE),
    _step(_ADD, _every(_OUTER), _every(_INNER), _DIFFERENCE, ClipSign.MINUS, repeats=1),
    _step(_ADD, _INSIDE, _OUTSIDE, _TOTAL, ClipSign.MINUS),
    _step(_DIV, _INSIDE, _TOTAL, _PART, waits=1),
    _step(_MUL, _PART, _DIFFERENCE, _DIFFERENCE, waits=1, repeats=1),
    _step(_ADD, _every(_INNER), _DIFFERENCE, _every(_NEW), repeats=1),
    _step(_ADD, _ZERO, _word(_NEW, CornerWord.W), _along(_NEW), ClipSign.MINUS_SIDE),
    _step(_ADD, _ZERO, _ZERO, _word(_NEW, CornerWord.NUMBER), ends=1),
)
_SCREEN = (
    _step(_MUL, _X, _X_SCALE, _SCREEN_X),
    _step(_MUL, _Y, _Y_SCALE, _SCREEN_Y),
    _step(_DIV, _Z, _W, _SCREEN_Z),
    _step(_DIV, _SCREEN_X, _W, _SCREEN_X, waits=1),
    _step(_DIV, _SCREEN_Y, _W, _SCREEN_Y, waits=1),
    _step(_DIV, _ONE, _W, _W, waits=1),
    _step(_MUL, _SCREEN_Z, _Z_SCALE, _SCREEN_Z),
    _step(_ADD, _SCREEN_X, _SHIFT, _X, ClipSign.LIKE),
    _step(_ADD, _SCREEN_Y, _SHIFT, _Y, ClipSign.LIKE),
    _step(_ADD, _SCREEN_Z, _Z_OFFSET, _Z, waits=1, ends=1),
)
_PROGRAMS = {
    ClipProgram.CLASSIFY: _CLASSIFY,
    ClipProgram.DISTANCE: _DISTANCE,
    ClipProgram.KEEP: _KEEP,
    ClipProgram.CROSS: _CROSS,
    ClipProgram.SCREEN: _SCREEN,
}
#: All steps, one program after the other, and where each begins. `ClipProgram.CLASSIFY` is the first one.
STEPS = tuple(step for steps in _PROGRAMS.values() for step in steps)
FIRST_STEPS = {
    program: sum(len(_PROGRAMS[other]) for other in list(_PROGRAMS)[:place]) for place, program in enumerate(_PROGRAMS)
}
