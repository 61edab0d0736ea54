"""The GPU with a memory, and a host that has it draw, as one piece of hardware."""

from collections.abc import Iterable

from amaranth import *
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.axi import AxiLitePort
from vc4.config import V3DConfig
from vc4.regs.table import OFFSET_BITS

from .traced import TracedGpu
from .writer import HostWrite, HostWriter

__all__ = ["STILL_CLOCKS", "DrawBench"]

#: Clocks without a request to memory, an instruction or a quad, after the latency, after which nothing will come any more.
STILL_CLOCKS = 100_000


class DrawBench(TracedGpu):
    """`TracedGpu` for rendering: a host starts a list and waits for the interrupt of its end.

    Parameters
    ----------
    config : of the GPU, with all blocks of the pipeline and `trace`
    writes : of the host
    max_cycles : clocks after which the run is given up
    options : of `TracedGpu`

    Interface attributes
    --------------------
    reader : the host that reads registers
    drawn : the interrupt has come
    stop : it has, or nothing moves, or too many clocks
    """

    def __init__(
        self,
        config: V3DConfig,
        writes: Iterable[HostWrite],
        *,
        max_cycles: int,
        latency: int,
        **options,
    ):
        self._max_cycles, self._rest = max_cycles, STILL_CLOCKS + latency
        self._writer = HostWriter(writes)
        ports = {"reader": In(AxiLitePort(address_bits=OFFSET_BITS)), "drawn": Out(1)}
        super().__init__(config, ports, latency=latency, **options)

    def begin_and_end(self, m):
        """See `TracedGpu`."""
        v3d = self.v3d
        m.submodules.writer = writer = self._writer
        connect(m, flipped(self.reader), writer.reader)
        connect(m, writer.m_axil, v3d.s_axil)
        retires = Signal()
        moves = Signal()
        still = Signal(32)
        was_still = Signal(32)
        m.d.comb += [
            *(writer.clock.eq(self.cycles), writer.demand.eq(v3d.vertex_stalls.tile_memory)),
            self.drawn.eq(v3d.irq),
            retires.eq(Cat(trace.written_stb for trace in self.trace).any()),
            moves.eq(writer.busy | v3d.bins | v3d.bus.requests.valid | retires | v3d.activity.quad.passes),
            still.eq(Mux(moves, 0, was_still + 1)),
        ]
        m.d.sync += was_still.eq(still)
        return v3d.irq | (still >= self._rest) | (self.cycles + 1 >= self._max_cycles), []
