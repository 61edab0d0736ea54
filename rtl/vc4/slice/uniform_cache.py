"""The uniforms cache of a slice."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .line_cache import LineCache
from .line_fills import LINE_BUS
from .uniform_reader import UniformPort, UniformReader

__all__ = ["UniformCache"]

#: Bytes. Nothing is known of the size; half of an instruction cache, in as many ways.
_SIZE = 2048


class UniformCache(wiring.Component):
    """The uniform streams of up to four QPUs, out of a cache (guide, section 3, uniforms).

    Behaviour: that of `UniformReader` and `LineCache`. QPU n has its turn in the clocks n, n + 4, n + 8 after a reset.

    Parameters
    ----------
    qpus : 1 to 4
    size : bytes of all lines

    Interface attributes
    --------------------
    qpus : the streams
    bus : the port to memory, reads of whole lines
    clear : forget every line
    hit, miss : performance counters: a word of two uniforms was found; a line is fetched for one that was not there
    """

    def __init__(self, qpus: int, *, size: int = _SIZE):
        self._size = size
        super().__init__(
            {
                "qpus": In(UniformPort()).array(qpus),
                "bus": Out(LINE_BUS),
                "clear": In(1),
                "hit": Out(1),
                "miss": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.lines = cache = LineCache(len(self.qpus), size=self._size)
        connect(m, cache.bus, flipped(self.bus))
        m.d.comb += [cache.clear.eq(self.clear), self.hit.eq(cache.hit), self.miss.eq(cache.miss)]
        for number, (qpu, reader) in enumerate(zip(self.qpus, cache.readers, strict=True)):
            m.submodules[f"reader_{number}"] = uniforms = UniformReader()
            connect(m, uniforms.cache, reader)
            connect(m, flipped(qpu), uniforms.qpu)
        return m
