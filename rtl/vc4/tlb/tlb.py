"""The tile buffer."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.cle.structs import PipelineRecord

from .coverage_updates import CoverageUpdates
from .port import TlbPort
from .request_structs import TlbEvents
from .requests import TlbRequests
from .scoreboard import Scoreboard
from .stencil_set_ups import StencilSetUps
from .structs import CoverageQuad, FarthestDepth, TileForm, fragment_quad
from .tile_store import TileStore
from .transfers import TlbTransfers

__all__ = ["Tlb"]


class Tlb(wiring.Component):
    """Colours, Z and stencil, and alpha mask of a tile; who may touch them, and their way to and from memory (guide, section 5).

    Behaviour: that of its parts, see `TlbRequests`, `Scoreboard`, `CoverageUpdates` and `TlbTransfers`. A record begins when no
    vector is there, no request of a QPU and no quad of coverage is under way; quads of coverage wait until it is taken. Whoever
    hands out vectors and coverage keeps the order between them, and between them and records.

    Parameters
    ----------
    qpus : number of them; each has two threads

    Interface attributes
    --------------------
    ports : a `TlbPort` for each QPU
    quads : stream of `fragment_quad`, vectors in their order; the number of a thread is 2 · QPU + thread
    coverage : stream of `CoverageQuad`
    records : stream of `PipelineRecord`, each taken when it is carried out; others than those of the tile buffer do nothing
    stops, moves : no record begins any more; one is carried out
    form : how the tile buffer is divided
    buffer : which one is drawn, if there are two
    finished : strobe: the last store of a frame has ended
    port : the way into memory
    events : for performance counters
    farthest, farthest_stb : strobe: what a Z write has left, for early Z
    rests : no vector is there, and nothing of what they wrote is under way
    busy : something is under way, or offered
    """

    def __init__(self, qpus: int):
        self._qpus = qpus
        super().__init__(
            {
                "ports": In(TlbPort()).array(qpus),
                "quads": In(stream.Signature(fragment_quad(2 * qpus))),
                "coverage": In(stream.Signature(CoverageQuad)),
                "records": In(stream.Signature(PipelineRecord)),
                "stops": In(1),
                "moves": Out(1),
                "form": Out(TileForm),
                "buffer": Out(1),
                "finished": Out(1),
                "port": Out(MemoryPort(word_bytes=BUS_BYTES)),
                "events": Out(TlbEvents),
                "farthest": Out(FarthestDepth),
                "farthest_stb": Out(1),
                "rests": Out(1),
                "busy": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.store = store = TileStore()
        m.submodules.requests = requests = TlbRequests(self._qpus)
        m.submodules.scoreboard = scoreboard = Scoreboard(2 * self._qpus)
        m.submodules.set_ups = set_ups = StencilSetUps(2 * self._qpus)
        m.submodules.updates = updates = CoverageUpdates()
        m.submodules.transfers = transfers = TlbTransfers()
        for own, port in zip(self.ports, requests.ports, strict=True):
            connect(m, flipped(own), port)
        connect(m, flipped(self.quads), scoreboard.i)
        connect(m, requests.stencil_writes, set_ups.i)
        connect(m, transfers.clears, store.clears)
        connect(m, transfers.port, flipped(self.port))
        begins = self.quads.valid & self.quads.ready & self.quads.payload.first
        m.d.comb += [
            store.form.eq(transfers.form),
            self.form.eq(transfers.form),
            self.finished.eq(transfers.finished),
            self.events.eq(requests.events),
            requests.depth_counts.eq(store.depth_counts),
            *(self.farthest.eq(store.farthest), self.farthest_stb.eq(store.farthest_stb)),
            # A vector waits from its first quad on, and before that as well.
            requests.waits.eq(scoreboard.waits | ~scoreboard.there),
            *(port.form.eq(transfers.form) for port in self.ports),
            scoreboard.lets_go.eq(requests.lets_go),
            requests.begins.eq(Mux(begins, 1 << self.quads.payload.thread, 0)),
            set_ups.starts.eq(requests.stencil_starts),
            set_ups.thread.eq(requests.stencil_thread),
            set_ups.back.eq(requests.stencil_back),
            requests.stencil_face.eq(set_ups.face),
        ]
        self._take_turns(m, store, requests, updates, transfers, scoreboard.there.any())
        return m

    def _take_turns(self, m, store, requests, updates, transfers, drawn):
        """Records, coverage or QPUs."""
        moves = self.moves
        others = Signal()
        m.d.comb += [
            others.eq(drawn | requests.busy | updates.busy),
            transfers.records.valid.eq(self.records.valid & moves),
            transfers.records.payload.eq(self.records.payload),
            self.records.ready.eq(transfers.records.ready & moves),
            updates.i.valid.eq(self.coverage.valid & ~moves),
            updates.i.payload.eq(self.coverage.payload),
            self.coverage.ready.eq(updates.i.ready & ~moves),
            self.busy.eq(self.records.valid | self.coverage.valid | others),
        ]
        m.d.sync += self.rests.eq(~(others | store.watching | self.quads.valid))
        m.d.sync += moves.eq(Mux(moves, ~self.records.ready, self.records.valid & ~others & ~self.stops))
        own, tile = requests.tile, transfers.tile
        covers = updates.busy
        for name in ("colour_writes", "colour_reads", "mask_writes", "mask_reads"):
            _join(m, getattr(store.tile, name), [(moves, getattr(tile, name)), (~moves, getattr(own, name))])
        writes = [(moves, tile), (~moves & covers, updates), (~moves & ~covers, own)]
        _join(m, store.tile.depth_writes, [(turn, one.depth_writes) for turn, one in writes])
        for name in ("colours", "masks"):
            _split(m, getattr(store.tile, name), [(moves, getattr(tile, name)), (~moves, getattr(own, name))])
        _split(m, store.tile.depth_answers, [(turn, one.depth_answers) for turn, one in writes])


def _join(m, to, sources):
    """Items of the one whose turn it is."""
    for turn, source in sources:
        m.d.comb += source.ready.eq(to.ready & turn)
        with m.If(turn):
            m.d.comb += [to.valid.eq(source.valid), to.payload.eq(source.payload)]


def _split(m, source, targets):
    """Items to the one whose turn it is."""
    for turn, to in targets:
        m.d.comb += [to.valid.eq(source.valid & turn), to.payload.eq(source.payload)]
        with m.If(turn):
            m.d.comb += source.ready.eq(to.ready)
