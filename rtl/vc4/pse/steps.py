"""The programs of the set-up: one table of steps for all shapes."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

from .structs import EDGES, Axis, DivisionItem

__all__ = ["FIRST_STEPS", "STEPS", "Exclude", "Program", "Register", "Side", "Step", "Sum", "Turn", "Vertex"]

_Place = DivisionItem.Place


class Program(enum.Enum, shape=unsigned(3)):
    """What is run. Those of a type have its number; an RHT has two pieces, one after the other."""

    POINT = 0
    LINE = 1
    TRIANGLE = 2
    RHT_RIGHT = 3
    RHT_LEFT = 4


class Register(enum.Enum, shape=unsigned(4)):
    """Words of the register file. Pairs, from `D1_X` on, are the other way round if Y is the longer axis of a line."""

    ONE = 0
    TWO = 1
    SIZE = 2
    DZ1 = 3
    DZ2 = 4
    D1_X = 8
    D1_Y = 9
    D2_X = 10
    D2_Y = 11
    D12_X = 12
    D12_Y = 13
    TWICE_X = 14
    TWICE_Y = 15


class Vertex(enum.Enum, shape=unsigned(2)):
    """A position, of which a step takes an axis; or where a float is."""

    FIRST = 0
    SECOND = 1
    THIRD = 2
    STATE = 3  # the boundary; the size


class Sum(enum.Enum, shape=unsigned(3)):
    """What becomes of a sum that is complete."""

    NONE = 0
    SIGN = 1  # its sign is kept; a primitive for which it is 0, or whose face it says is not drawn, is dropped
    SWAP = 2  # the longer axis is Y if it is negative
    EDGE = 3  # it is c of an edge
    ITEM = 4  # it is divided


class Turn(enum.Enum, shape=unsigned(2)):
    """Whether the sign that was kept turns an edge."""

    NEVER = 0
    NEGATIVE = 1
    POSITIVE = 2


class Exclude(enum.Enum, shape=unsigned(2)):
    """Whether samples on an edge are outside."""

    NEVER = 0
    ALWAYS = 1
    RULE = 2  # unless Y falls along it, or it is level and X rises


class Side(enum.Enum, shape=unsigned(2)):
    """Where the boundary must be, or there is nothing to draw."""

    ANY = 0
    RIGHT = 1  # of the lowest X
    LEFT = 2  # of the highest X


class Step(data.Struct):
    """A clock: a difference, a product, and floats that become integers.

    writes, into : the difference of two positions, or a fixed point number, is written
    vertex, base, axis : first position less the second one
    twice : twice the difference
    fixed, relative, keeps : rather the fixed point number, less Z of the first vertex; it is that Z
    float_of : the float whose fixed point number is there in the next step
    boxes, grows, side : the first position is in the box; the box grows by half the size; where the first position must be
    multiplies, a, b : a product
    positions, of, along : b is rather a position; `sorts`: first and second vertex change places if the sign is negative
    begins, subtracts : the sum is 0 before; the product is subtracted
    terms : a is minus the coefficient of an edge along this axis
    sum : what follows, with the next ones
    divides : its magnitude is divided by from now on
    edge, turn, exclude : of an edge
    place, along, is_last : of an item; `along` is that of the position or term, too
    ends : the last step, at least four after the last edge
    """

    writes: unsigned(1)
    into: Register
    vertex: Vertex
    base: Vertex
    axis: Axis
    twice: unsigned(1)
    fixed: unsigned(1)
    relative: unsigned(1)
    keeps: unsigned(1)
    float_of: Vertex
    boxes: unsigned(1)
    grows: unsigned(1)
    side: Side
    multiplies: unsigned(1)
    a: Register
    b: Register
    positions: unsigned(1)
    of: Vertex
    along: Axis
    sorts: unsigned(1)
    begins: unsigned(1)
    subtracts: unsigned(1)
    terms: unsigned(1)
    sum: Sum
    divides: unsigned(1)
    edge: range(EDGES)
    turn: Turn
    exclude: Exclude
    place: _Place
    is_last: unsigned(1)
    ends: unsigned(1)


_X, _Y = Axis.X, Axis.Y
_FIRST, _SECOND, _THIRD, _STATE = Vertex
_ONE, _TWO, _SIZE = Register.ONE, Register.TWO, Register.SIZE


def _difference(into, vertex, base, axis, **more):
    return {"writes": 1, "into": into, "vertex": vertex, "base": base, "axis": axis} | more


def _fixed(into, **more):
    return {"writes": 1, "into": into, "fixed": 1} | more


def _product(a, b, *, begins=1, subtracts=0, **more):
    """A product of two registers, or of one and what a vertex has along an axis."""
    operand = {"positions": 1, "of": b[0], "along": b[1]} if isinstance(b, tuple) else {"b": b}
    return {"multiplies": 1, "a": a, "begins": begins, "subtracts": subtracts} | operand | more


def _term(a, vertex, axis, **more):
    return _product(a, (vertex, axis), terms=1, **more)


def _edge(edge, turn=Turn.NEVER, exclude=Exclude.NEVER):
    return {"sum": Sum.EDGE, "edge": edge, "turn": turn, "exclude": exclude}


def _item(place, along, is_last=0):
    return {"sum": Sum.ITEM, "place": place, "along": along, "is_last": is_last}


def _one_item(number, place, along, *, subtracts=0, is_last=0):
    return _product(_ONE, number, subtracts=subtracts) | _item(place, along, is_last)


_D1_X, _D1_Y, _D2_X, _D2_Y = Register.D1_X, Register.D1_Y, Register.D2_X, Register.D2_Y
_D12_X, _D12_Y, _DZ1, _DZ2 = Register.D12_X, Register.D12_Y, Register.DZ1, Register.DZ2
_TURN = {"turn": Turn.NEGATIVE}
_RULE = {"turn": Turn.NEGATIVE, "exclude": Exclude.RULE}

_TRIANGLE = (
    _difference(_D1_X, _SECOND, _FIRST, _X, boxes=1),
    _difference(_D1_Y, _SECOND, _FIRST, _Y, boxes=1),
    _difference(_D2_X, _THIRD, _FIRST, _X, boxes=1),
    _difference(_D2_Y, _THIRD, _FIRST, _Y, boxes=1) | _product(_D2_X, _D1_Y, subtracts=1),
    _difference(_D12_X, _THIRD, _SECOND, _X) | _product(_D1_X, _D2_Y, begins=0, sum=Sum.SIGN, divides=1, **_TURN),
    _difference(_D12_Y, _THIRD, _SECOND, _Y) | _term(_D1_Y, _FIRST, _X) | {"float_of": _FIRST},
    _fixed(_DZ1, keeps=1) | _term(_D1_X, _FIRST, _Y, begins=0, subtracts=1) | _edge(0, **_RULE) | {"float_of": _SECOND},
    _fixed(_DZ1, relative=1) | _term(_D12_Y, _SECOND, _X) | {"float_of": _THIRD},
    _fixed(_DZ2, relative=1) | _term(_D12_X, _SECOND, _Y, begins=0, subtracts=1) | _edge(1, **_RULE),
    _term(_D2_Y, _FIRST, _X, subtracts=1),
    _term(_D2_X, _FIRST, _Y, begins=0) | _edge(2, **_RULE),
    _one_item(_D2_Y, _Place.SECOND, _X),
    _one_item(_D1_Y, _Place.THIRD, _X, subtracts=1),
    _one_item(_D2_X, _Place.SECOND, _Y, subtracts=1),
    _one_item(_D1_X, _Place.THIRD, _Y),
    _product(_DZ1, _D2_Y),
    _product(_DZ2, _D1_Y, begins=0, subtracts=1) | _item(_Place.Z, _X),
    _product(_DZ2, _D1_X),
    _product(_DZ1, _D2_X, begins=0, subtracts=1) | _item(_Place.Z, _Y, 1) | {"ends": 1},
)

# X is the longer axis here.
_LINE = (
    _difference(_D1_X, _SECOND, _FIRST, _X, boxes=1) | {"float_of": _STATE},
    _fixed(_SIZE, grows=1) | {"float_of": _FIRST},
    _fixed(_DZ1, keeps=1) | {"float_of": _SECOND},
    _fixed(_DZ1, relative=1),
    _difference(_D1_Y, _SECOND, _FIRST, _Y, boxes=1) | _product(_D1_X, _D1_X),
    _difference(Register.TWICE_X, _SECOND, _FIRST, _X, twice=1)
    | _product(_D1_Y, _D1_Y, begins=0, subtracts=1, sum=Sum.SWAP),
    _difference(Register.TWICE_Y, _SECOND, _FIRST, _Y, twice=1),
    {},
    {},
    _product(_SIZE, _D1_X, sum=Sum.SIGN, divides=1),
    _product(_ONE, _D1_X, sum=Sum.SIGN, divides=1),
    _term(Register.TWICE_Y, _FIRST, _X),
    _term(Register.TWICE_X, _FIRST, _Y, begins=0, subtracts=1),
    _product(_SIZE, _D1_X, begins=0) | _edge(0, **_TURN),
    _term(Register.TWICE_Y, _FIRST, _X, subtracts=1),
    _term(Register.TWICE_X, _FIRST, _Y, begins=0),
    _product(_SIZE, _D1_X, begins=0) | _edge(1, Turn.NEGATIVE, Exclude.ALWAYS),
    _term(_ONE, _FIRST, _X, subtracts=1) | _edge(2, **_TURN),
    _term(_ONE, _SECOND, _X) | _edge(3, Turn.NEGATIVE, Exclude.ALWAYS),
    _one_item(_D1_Y, _Place.IMPLICIT, _X, subtracts=1),
    _one_item(_D1_X, _Place.IMPLICIT, _Y, is_last=1),
    _one_item(_ONE, _Place.SECOND, _X),
    _product(_DZ1, _ONE) | _item(_Place.Z, _X, 1) | {"ends": 1},
)

_POINT = (
    {"float_of": _STATE},
    _fixed(_SIZE, grows=1) | {"float_of": _FIRST},
    _fixed(_DZ1, keeps=1) | _product(_ONE, _SIZE, sum=Sum.SIGN, divides=1),
    _term(_TWO, _FIRST, _X, subtracts=1),
    _product(_SIZE, _ONE, begins=0) | _edge(0),
    _term(_TWO, _FIRST, _X),
    _product(_SIZE, _ONE, begins=0) | _edge(1, exclude=Exclude.ALWAYS),
    _term(_TWO, _FIRST, _Y, subtracts=1),
    _product(_SIZE, _ONE, begins=0) | _edge(2),
    _term(_TWO, _FIRST, _Y),
    _product(_SIZE, _ONE, begins=0) | _edge(3, exclude=Exclude.ALWAYS),
    _one_item(_ONE, _Place.IMPLICIT, _X, is_last=1),
    {},
    {},
    {"ends": 1},
)


def _rht(side, turn, exclude, boundary, outside):
    """A piece: how its edge turns and if samples on it are outside; the same of the boundary."""
    return (
        _difference(_D1_X, _SECOND, _FIRST, _X, boxes=1) | {"float_of": _FIRST},
        _fixed(_DZ1, keeps=1),
        _difference(_D1_Y, _SECOND, _FIRST, _Y, boxes=1),
        {"vertex": _STATE, "axis": _X, "side": side, "boxes": 1} | _product(_ONE, _D1_Y, sum=Sum.SIGN, turn=turn),
        _term(_D1_Y, _FIRST, _X),
        _term(_D1_X, _FIRST, _Y, begins=0, subtracts=1) | _edge(0, turn, exclude),
        _term(_ONE, _STATE, _X, subtracts=boundary) | _edge(1, exclude=outside),
        _term(_ONE, _FIRST, _Y, subtracts=1, sorts=1) | _edge(2),
        _term(_ONE, _SECOND, _Y, sorts=1) | _edge(3, exclude=Exclude.ALWAYS),
        {},
        {},
        {},
        {"ends": 1},
    )


_PROGRAMS = {
    Program.POINT: _POINT,
    Program.LINE: _LINE,
    Program.TRIANGLE: _TRIANGLE,
    Program.RHT_RIGHT: _rht(Side.RIGHT, Turn.POSITIVE, Exclude.NEVER, 0, Exclude.ALWAYS),
    Program.RHT_LEFT: _rht(Side.LEFT, Turn.NEGATIVE, Exclude.ALWAYS, 1, Exclude.NEVER),
}
#: All steps, one program after the other, and where each begins.
STEPS = tuple(step for steps in _PROGRAMS.values() for step in steps)
FIRST_STEPS = {
    program: sum(len(_PROGRAMS[other]) for other in list(_PROGRAMS)[:place]) for place, program in enumerate(_PROGRAMS)
}
