"""What a QPU and the varyings interpolator say to each other."""

from amaranth.hdl import unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.registers import QUADS
from vc4.qpu.structs import THREADS, LaneWords

__all__ = ["VaryingPort", "VaryingQuad"]


class VaryingQuad(data.Struct):
    """A varying of a quad: A dx + B dy of each pixel, for both ports of the register files, and C, the same for all."""

    partials: data.ArrayLayout(LaneWords, 2)
    c: unsigned(32)


class VaryingPort(wiring.Signature):
    """The side of the QPU of its port to the varyings interpolator.

    Interface attributes
    --------------------
    there : threads whose next varying is there, all four quads; after the last varying zeros are. Falls in the clock after
        the first quad of the last one that is there is taken; means nothing until the quads of the vector have come
    take, thread, quad : a quad of the next varying is taken, 0 to 3 one after the other
    shows : ports of the register files, A and B, that show it
    taken : that quad, a clock later; partial results are zero for ports that do not show it
    ended : strobes: the program of a thread has ended, and takes nothing more
    """

    def __init__(self):
        super().__init__(
            {
                "there": In(THREADS),
                "take": Out(1),
                "shows": Out(2),
                "thread": Out(range(THREADS)),
                "quad": Out(range(QUADS)),
                "taken": In(VaryingQuad),
                "ended": Out(THREADS),
            }
        )

    def __eq__(self, other):
        return isinstance(other, VaryingPort)

    def __repr__(self):
        return "VaryingPort()"
