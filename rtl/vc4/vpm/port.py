"""What a QPU says to the VPM, and what it gets from there."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["QUAD_WORDS", "VpmBeat", "VpmCommand", "VpmPort"]

#: Elements that move in one clock.
QUAD_WORDS = 4


class VpmCommand(enum.Enum, shape=unsigned(3)):
    """What a beat is about: the register that a vector was written to, or something else that an instruction does."""

    DATA = 0  # vpm
    WRITE_SETUP = 1  # vw_setup
    STORE_ADDRESS = 2  # vw_addr
    READ_SETUP = 3  # vr_setup
    LOAD_ADDRESS = 4  # vr_addr
    FETCH = 5  # nothing but what `VpmBeat.fetch` says
    CANCEL = 6  # the program has ended: what it has not read is forgotten
    RESERVED_7 = 7


class VpmBeat(data.Struct):
    """A quarter of a vector, or a command without one."""

    command: VpmCommand
    quad: unsigned(2)  # elements 4 * quad to 4 * quad + 3
    fetch: unsigned(1)  # after what the beat says itself: a vector has been read, so one more may be fetched
    data: data.ArrayLayout(unsigned(32), QUAD_WORDS)


class VpmPort(wiring.Signature):
    """The side of the QPU of its port to the VPM.

    A command that writes a register is a vector of four beats, with `quad` 0 to 3 in this order; set-ups and addresses are
    element 0. `FETCH` and `CANCEL` are one beat each. `fetch` is set in beats of `FETCH`, and may be in the last one of a
    vector.

    Interface attributes
    --------------------
    writes : stream of `VpmBeat`, the commands in the order of the program
    store_busy, load_busy : a DMA store or load of this port is under way: high from the clock after the first beat of its
        address moved, until memory has answered every write of it, or the VPM has all of its words
    fetching : a vector is on its way that a command carried out before asked for; falls when it is there
    reads : stream of the quads of the vectors that were fetched. A vector is taken in successive clocks, and only if
        `readable` was high in the clock before it begins
    readable : a vector is there of which no quad has been taken; means nothing until a `CANCEL` has moved
    """

    def __init__(self):
        super().__init__(
            {
                "writes": Out(stream.Signature(VpmBeat)),
                "store_busy": In(1),
                "load_busy": In(1),
                "fetching": In(1),
                "reads": In(stream.Signature(data.ArrayLayout(unsigned(32), QUAD_WORDS))),
                "readable": In(1),
            }
        )

    def __eq__(self, other):
        return isinstance(other, VpmPort)

    def __repr__(self):
        return "VpmPort()"
