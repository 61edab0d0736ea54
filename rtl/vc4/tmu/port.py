"""What a QPU and a texture unit say to each other."""

from amaranth.hdl import unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.registers import QUADS
from vc4.qpu.structs import LaneWords
from vc4.records.tmu import REQUEST_SLOTS, TmuParameterName

__all__ = ["MOST_QPUS", "Client", "TmuParameter", "TmuPort"]

#: Of a slice.
MOST_QPUS = 4


class Client(data.Struct):
    """A QPU by one of the names that programs have for the unit."""

    qpu: range(MOST_QPUS)
    second: unsigned(1)  # by the second name: where there is one unit, it serves both


class TmuParameter(data.Struct):
    """A quarter of a parameter of a lookup."""

    name: TmuParameterName  # the same for all quads
    quad: range(QUADS)
    data: LaneWords
    uniform: 32  # what it took, if it took one


class TmuPort(wiring.Signature):
    """The side of the QPU of its port to a texture unit, by one of its names; `TmuParameter` is there once for both.

    Every parameter is a vector of four quads, 0 to 3 in this order. There is a slot for each: the QPU counts.

    Interface attributes
    --------------------
    parameter_stb : a quad of a parameter, to be taken at once
    freed : slots that a lookup leaves when all of it has been read, 0: none does
    blocked : the next lookup, all of which is there, waits until results are loaded
    came_stb, done : a word of sixteen elements is there to be loaded; it is the last one of its lookup
    load : a quad of the oldest word is taken, all four of it one after the other
    result : that quad, a clock later
    """

    def __init__(self):
        super().__init__(
            {
                "parameter_stb": Out(1),
                "freed": In(range(REQUEST_SLOTS + 1)),
                "blocked": In(1),
                "came_stb": In(1),
                "done": In(1),
                "load": Out(1),
                "result": In(LaneWords),
            }
        )

    def __eq__(self, other):
        return isinstance(other, TmuPort)

    def __repr__(self):
        return "TmuPort()"
