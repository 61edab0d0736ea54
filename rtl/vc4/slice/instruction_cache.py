"""The instruction cache of a slice."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.qpu.structs import FetchedWord, Redirect

from .fetch import Fetch
from .line_cache import LineCache
from .line_fills import LINE_BUS

__all__ = ["InstructionCache", "InstructionPort"]

#: Bytes; four ways (addendum, cache details).
_SIZE = 4096
#: A line is eight instructions, or 32 clocks: with two of them on the way, memory may take almost twice as long.
_LINES_AHEAD = 2


class InstructionPort(wiring.Signature):
    """The instruction stream of a QPU, seen from the QPU.

    Interface attributes
    --------------------
    redirect, redirect_stb : where the stream goes on
    words : the words, each with its address
    """

    def __init__(self):
        super().__init__(
            {
                "redirect": Out(Redirect),
                "redirect_stb": Out(1),
                "words": In(stream.Signature(FetchedWord)),
            }
        )


class InstructionCache(wiring.Component):
    """The instruction streams of up to four QPUs, out of a cache of 4 KiB in four ways (guide, section 2; addendum).

    Behaviour: that of `Fetch` and `LineCache`. QPU n has its turn in the clocks n, n + 4, n + 8 after a reset. A word is
    offered four to seven clocks after its redirection, four if the turn comes in the clock after it, and then one every
    four clocks. Lines are fetched two ahead.

    Parameters
    ----------
    qpus : 1 to 4
    size : bytes of all lines

    Interface attributes
    --------------------
    qpus : the streams
    bus : the port to memory, reads of whole lines
    clear : forget every line
    hit, miss : performance counters: a word was found; a line is fetched for a word that was not there
    """

    def __init__(self, qpus: int, *, size: int = _SIZE):
        self._size = size
        super().__init__(
            {
                "qpus": In(InstructionPort()).array(qpus),
                "bus": Out(LINE_BUS),
                "clear": In(1),
                "hit": Out(1),
                "miss": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.lines = cache = LineCache(len(self.qpus), size=self._size, ahead=_LINES_AHEAD)
        connect(m, cache.bus, flipped(self.bus))
        m.d.comb += [cache.clear.eq(self.clear), self.hit.eq(cache.hit), self.miss.eq(cache.miss)]
        for number, (qpu, reader) in enumerate(zip(self.qpus, cache.readers, strict=True)):
            m.submodules[f"fetch_{number}"] = fetch = Fetch()
            connect(m, fetch.cache, reader)
            connect(m, fetch.o, flipped(qpu.words))
            m.d.comb += [fetch.redirect.eq(qpu.redirect), fetch.redirect_stb.eq(qpu.redirect_stb)]
        return m
