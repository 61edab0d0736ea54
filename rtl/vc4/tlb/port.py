"""What a QPU and the tile buffer say to each other."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.quads import QUAD_PIXELS
from vc4.records.state import DepthTest

from .structs import SAMPLES, QuadFlags, QuadPlace, TileForm

__all__ = ["TlbAnswer", "TlbCommand", "TlbPort", "TlbRequest"]


class TlbCommand(enum.Enum, shape=unsigned(3)):
    """What a request is about."""

    DEPTH = 0  # the tests of stencil and Z; answered with the flags that are left
    STENCIL = 1  # a set-up: word 0, for the thread
    COLOUR = 2
    MASK = 3  # the low bytes of the words, where a pixel has any flag
    READ_COLOUR = 4  # this one and the next two are answered with words
    READ_MASK = 5  # the byte in all four places
    READ_COVERAGE = 6  # a level in all four bytes, or a mask


class TlbRequest(data.Struct):
    """A quad of a program.

    thread : of the QPU
    flags : samples that may change; those of pixels whose condition holds
    back : it is seen from behind
    all, sample : colours go to all samples with a flag, or only to that one, which is also the one that is read
    word : of a wide colour
    test, updates : the Z test, and whether Z is written
    clears, as_mask : a read of coverage clears it where a pixel has a flag, and gives a bit a sample instead of a level
    """

    command: TlbCommand
    thread: unsigned(1)
    place: QuadPlace
    flags: QuadFlags
    back: unsigned(1)
    all: unsigned(1)
    sample: range(SAMPLES)
    word: unsigned(1)
    test: DepthTest
    updates: unsigned(1)
    clears: unsigned(1)
    as_mask: unsigned(1)
    data: data.ArrayLayout(unsigned(32), QUAD_PIXELS)


class TlbAnswer(data.Struct):
    """By the command: flags that have passed, or words."""

    flags: QuadFlags
    data: data.ArrayLayout(unsigned(32), QUAD_PIXELS)


class TlbPort(wiring.Signature):
    """The side of the QPU of its port to the tile buffer.

    Interface attributes
    --------------------
    requests : stream of `TlbRequest`, carried out in their order; what is taken happens before what anybody asks later
    answers : stream of `TlbAnswer`, one for each request that has one, in their order
    form : how the tile buffer is divided
    waits : threads whose fragments may not touch the tile buffer yet
    done : strobes: threads whose program has ended, whose last request was taken, and whose fragments no longer wait
    """

    def __init__(self):
        super().__init__(
            {
                "requests": Out(stream.Signature(TlbRequest)),
                "answers": In(stream.Signature(TlbAnswer)),
                "form": In(TileForm),
                "waits": In(2),
                "done": Out(2),
            }
        )

    def __eq__(self, other):
        return isinstance(other, TlbPort)

    def __repr__(self):
        return "TlbPort()"
