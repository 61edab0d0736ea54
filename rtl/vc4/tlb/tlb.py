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
from .tile_turns import TileTurns
from .transfers import TlbTransfers

__all__ = ["Tlb"]


class Tlb(wiring.Component):
    """Colours, Z and stencil, and alpha mask of a tile; who may touch them, and their way to and from memory (guide, section 5).

    Behaviour: that of its parts, see `TlbRequests`, `Scoreboard`, `CoverageUpdates` and `TlbTransfers`. A record begins when no
    vector is there, no request of a QPU and no quad of coverage is under way; quads of coverage wait until it is taken. Whoever
    hands out vectors and coverage keeps the order between them, and between them and records. If there are two tile buffers, a
    store may go on beside what is drawn in the other one, see `TransferRecords`: for what both read, they take turns.

    Parameters
    ----------
    qpus : number of them; each has two threads

    Interface attributes
    --------------------
    ports : a `TlbPort` for each QPU
    quads : stream of `fragment_quad`, vectors in their order; the number of a thread is 2 · QPU + thread
    coverage : stream of `CoverageQuad`
    records : stream of `PipelineRecord`, each taken when it is carried out; others than those of the tile buffer do nothing
    stops, moves : no record begins any more; one is carried out, or its store goes on
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
            self.buffer.eq(transfers.buffer),
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
        """Records, coverage or QPUs; and a store beside what is drawn."""
        takes = Signal()  # a record may be carried out
        others = Signal()
        m.d.comb += [
            others.eq(drawn | requests.busy | updates.busy),
            transfers.records.valid.eq(self.records.valid & takes),
            transfers.records.payload.eq(self.records.payload),
            self.records.ready.eq(transfers.records.ready & takes),
            updates.i.valid.eq(self.coverage.valid & ~takes),
            updates.i.payload.eq(self.coverage.payload),
            self.coverage.ready.eq(updates.i.ready & ~takes),
            self.moves.eq(takes | transfers.beside),
            self.busy.eq(self.records.valid | self.coverage.valid | others | transfers.beside),
        ]
        m.d.sync += self.rests.eq(~(others | store.watching | self.quads.valid))
        m.d.sync += takes.eq(Mux(takes, ~self.records.ready, self.records.valid & ~others & ~self.stops))
        own, tile = requests.tile, transfers.tile
        for name in ("colour_writes", "mask_writes"):
            _join(m, getattr(store.tile, name), [(takes, getattr(tile, name)), (~takes, getattr(own, name))])
        for name, asks, answers in (
            ("colours", "colour_reads", "colours"),
            ("masks", "mask_reads", "masks"),
            ("depths", "depth_writes", "depth_answers"),
        ):
            memory, memory_answers = getattr(store.tile, asks), getattr(store.tile, answers)
            turns = TileTurns(memory.payload.shape(), memory_answers.payload.shape())
            m.submodules[f"turns_{name}"] = turns
            connect(m, turns.memory_requests, memory)
            connect(m, memory_answers, turns.memory_answers)
            connect(m, getattr(tile, asks), turns.requests[1])
            connect(m, turns.answers[1], getattr(tile, answers))
            users = [(updates.busy, updates), (~updates.busy, own)] if name == "depths" else [(Const(1), own)]
            _join(m, turns.requests[0], [(turn, getattr(one, asks)) for turn, one in users])
            _split(m, turns.answers[0], [(turn, getattr(one, answers)) for turn, one in users])


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
