"""What a QPU says to the VPM."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["QUAD_WORDS", "VpmBeat", "VpmCommand", "VpmPort", "VpmUnbuilt"]

#: Elements that move in one clock.
QUAD_WORDS = 4


class VpmCommand(enum.Enum, shape=unsigned(3)):
    """What a vector written by a QPU is: the register it went to."""

    DATA = 0  # vpm
    WRITE_SETUP = 1  # vw_setup
    STORE_ADDRESS = 2  # vw_addr
    READ_SETUP = 3  # vr_setup
    LOAD_ADDRESS = 4  # vr_addr
    RESERVED_5 = 5
    RESERVED_6 = 6
    RESERVED_7 = 7


class VpmUnbuilt(enum.Enum, shape=unsigned(3)):
    """Why the VPM has stopped: what a program asked for that is not built."""

    NONE = 0
    WRITE_VERTICAL = 1  # a vector down a column
    WRITE_SIZE = 2  # a vector of bytes or halves, packed or laned
    STORE_VERTICAL = 3  # a DMA store of columns
    STORE_SIZE = 4  # a DMA store of bytes or halves, or laned
    STORE_BLOCK = 5  # a DMA store of units packed in the VPM
    SETUP = 6  # a set-up word of an unknown kind
    COMMAND = 7  # a command other than `DATA`, `WRITE_SETUP` and `STORE_ADDRESS`


class VpmBeat(data.Struct):
    """A quarter of a vector."""

    command: VpmCommand
    quad: unsigned(2)  # elements 4 * quad to 4 * quad + 3
    data: data.ArrayLayout(unsigned(32), QUAD_WORDS)


class VpmPort(wiring.Signature):
    """The side of the QPU of its port to the VPM.

    Every command is a vector of four beats, with `quad` 0 to 3 in this order. Set-ups and addresses are element 0.

    Interface attributes
    --------------------
    writes : stream of `VpmBeat`, the commands in the order of the program
    store_busy : a DMA store is under way: high from the clock after the first beat of a `STORE_ADDRESS` moved, until
        memory has answered every write of every store of this port
    """

    def __init__(self):
        super().__init__({"writes": Out(stream.Signature(VpmBeat)), "store_busy": In(1)})

    def __eq__(self, other):
        return isinstance(other, VpmPort)

    def __repr__(self):
        return "VpmPort()"
