"""What instructions say to the tile buffer."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

from vc4.isa.registers import QUADS
from vc4.tlb.port import TlbCommand

from .structs import LANES, THREADS, LaneWords

__all__ = ["TileBeat", "TileWork"]


class TileWork(enum.Enum, shape=unsigned(2)):
    """What a beat is about."""

    REQUEST = 0  # of the tile buffer
    FLAGS = 1  # new flags of the pixels, or of one of them only the side that is seen
    END = 2  # the program has ended


class TileBeat(data.Struct):
    """A quad of an instruction; or one beat without a quad: a set-up of stencil tests, an end.

    all : a colour goes to all samples
    mask : pixels where the condition holds
    sets_reverse, reverse : a write of REV_FLAG, and what all pixels have from then on
    """

    work: TileWork
    command: TlbCommand
    thread: range(THREADS)
    quad: range(QUADS)
    all: unsigned(1)
    mask: unsigned(LANES)
    sets_reverse: unsigned(1)
    reverse: unsigned(1)
    data: LaneWords
