"""The cache of a texture unit."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .cache_lookups import CacheLookups
from .cache_reads import CacheReads
from .line_fetches import LINE_BUS, LineFetches
from .structs import CacheRequest, CacheWords

__all__ = ["TmuCache"]


class TmuCache(wiring.Component):
    """A cache of 4 KiB that is read at four addresses in a clock (addendum, cache details).

    Behaviour: a request a clock, answered in the order of the requests; the first answer comes seven clocks after its request
    if its lines are there. Lookups go on after one that misses, with up to eight lines on their way.

    Parameters
    ----------
    note : shape of what a request carries along

    Interface attributes
    --------------------
    i : requests
    o, o_stb : answers, to be taken at once; one with turns is there before, too
    bus : the port to memory, reads of whole lines
    clear : forget every line
    error : a line comes that memory does not have as a whole
    miss : performance counter: a line is fetched
    """

    def __init__(self, note):
        self._note = note
        super().__init__(
            {
                "i": In(stream.Signature(CacheRequest(note))),
                "o": Out(CacheWords(note)),
                "o_stb": Out(1),
                "bus": Out(LINE_BUS),
                "clear": In(1),
                "error": Out(1),
                "miss": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.lookups = lookups = CacheLookups(self._note)
        m.submodules.fetches = fetches = LineFetches()
        m.submodules.reads = reads = CacheReads(self._note)
        connect(m, flipped(self.i), lookups.i)
        connect(m, lookups.fetches, fetches.fetches)
        connect(m, lookups.o, reads.i)
        connect(m, fetches.bus, flipped(self.bus))
        m.d.comb += [
            *(lookups.clear.eq(self.clear), lookups.answered.eq(reads.answered)),
            *(getattr(reads, name).eq(getattr(fetches, name)) for name in ("word", "word_stb", "line_stb")),
            self.o.eq(reads.o),
            self.o_stb.eq(reads.o_stb),
            self.error.eq(fetches.error),
            self.miss.eq(lookups.fetches.valid & lookups.fetches.ready),
        ]
        return m
