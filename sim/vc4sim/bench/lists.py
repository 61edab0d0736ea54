"""The GPU with a memory and a watch for control lists, as one piece of hardware."""

from collections.abc import Iterable

from amaranth import *
from amaranth.lib import data
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.axi import AxiLitePort
from vc4.config import V3DConfig
from vc4.regs.table import OFFSET_BITS
from vc4.vcm.structs import THREADS, VcmItem
from vc4.vertex_pipe import FRONT_STALLS

from ..retired import ITEM, QUAD
from .memory import chance_of, seed_of
from .taker import TakenQuad, Taker
from .traced import TracedGpu
from .writer import HostWrite, HostWriter

__all__ = ["REST_CLOCKS", "SEED_FACTORS", "ListBench"]

#: Clocks in which nothing moves, after the latency of memory, after which nothing will.
REST_CLOCKS = 600
#: What the seed of memory is multiplied with for the pauses of binner and renderer.
SEED_FACTORS = (3, 5)
_STALLS = FRONT_STALLS.size


class ListBench(TracedGpu):
    """`TracedGpu` for control lists, with something in place of the renderer, and of the binner if there is none, and a host that writes registers.

    Parameters
    ----------
    config : of the GPU, with `lists` and `trace`
    writes : of the host
    reads, pipeline_gap : of what takes the place of binner and renderer: whether it reads vertices, and the chance of a pause
    max_cycles : clocks after which the run is given up
    options : of `TracedGpu`

    Interface attributes
    --------------------
    reader : the host that reads registers
    items, items_count : the last item that binner and renderer took, and how many, of each thread
    quads, quads_count : the last words of vertices that they read, and how many
    vertex_stalls : clocks in which something waited, in the order of `FRONT_STALLS`
    still : clocks since something has moved
    rests : nothing moves any more
    stop : it rests, or too many clocks
    """

    def __init__(
        self,
        config: V3DConfig,
        writes: Iterable[HostWrite],
        *,
        reads: bool,
        pipeline_gap: float,
        max_cycles: int,
        latency: int,
        seed: int,
        **options,
    ):
        self._max_cycles, self._rest = max_cycles, REST_CLOCKS + latency
        self._writer = HostWriter(writes)
        self._takers = {
            thread: Taker(
                thread, reads=reads, chance=chance_of(pipeline_gap), seed=seed_of(seed) * factor & 0xFFFF_FFFF
            )
            for thread, factor in enumerate(SEED_FACTORS)
            if not (config.binner and thread == 0)
        }
        ports = {
            "reader": In(AxiLitePort(address_bits=OFFSET_BITS)),
            "items": Out(VcmItem).array(THREADS),
            "items_count": Out(32).array(THREADS),
            "quads": Out(TakenQuad).array(THREADS),
            "quads_count": Out(32).array(THREADS),
            "vertex_stalls": Out(data.ArrayLayout(32, _STALLS)),
            "still": Out(32),
            "rests": Out(1),
        }
        super().__init__(config, ports, latency=latency, seed=seed, **options)

    @property
    def told(self):
        """See `TracedGpu`; of these, with the thread instead of a QPU."""
        found = super().told
        for thread in range(THREADS):
            found.append((QUAD, thread, self.quads_count[thread], (self.quads[thread],)))
            found.append((ITEM, thread, self.items_count[thread], (self.items[thread],)))
        return found

    def begin_and_end(self, m):
        """See `TracedGpu`."""
        v3d = self.v3d
        m.submodules.writer = writer = self._writer
        connect(m, flipped(self.reader), writer.reader)
        connect(m, writer.m_axil, v3d.s_axil)
        m.d.comb += [writer.clock.eq(self.cycles), writer.demand.eq(v3d.vertex_stalls.tile_memory)]
        events = [strobe for thread in self._takers for strobe in self._take(m, thread)]
        for count, waits in zip(self.vertex_stalls, v3d.vertex_stalls.as_value(), strict=True):
            m.d.sync += count.eq(count + waits)
        moves = Signal()
        still = Signal(32)
        running = [trace.running for trace in self.trace]
        bins = getattr(v3d, "bins", Const(0))
        taken = [taker.moves for taker in self._takers.values()]
        m.d.comb += [
            moves.eq(Cat(writer.busy, v3d.bus.requests.valid, running, taken, bins).any()),
            still.eq(Mux(moves, 0, self.still + 1)),
            self.rests.eq(self.still >= self._rest),
        ]
        m.d.sync += self.still.eq(still)
        return (still >= self._rest) | (self.cycles + 1 >= self._max_cycles), events

    def _take(self, m, thread):
        """What takes the place of a pipeline; returns the strobes of its events."""
        m.submodules[f"taker_{thread}"] = taker = self._takers[thread]
        name = ("binner", "renderer")[thread]
        pipeline = getattr(self.v3d, name)
        connect(m, pipeline, taker.pipeline)
        connect(m, taker.asks, getattr(self.v3d, f"{name}_reads"))
        m.d.comb += taker.words.eq(self.v3d.vertex_words)
        for strobe, value, last, count in (
            (taker.item_stb, pipeline.items.payload, self.items[thread], self.items_count[thread]),
            (taker.quad_stb, taker.quad, self.quads[thread], self.quads_count[thread]),
        ):
            with m.If(strobe):
                m.d.sync += [last.eq(value), count.eq(count + 1)]
        return taker.item_stb, taker.quad_stb
