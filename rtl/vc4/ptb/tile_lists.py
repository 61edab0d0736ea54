"""The lists of all tiles."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.cle.structs import VERTICES, fields_of
from vc4.common.select import select
from vc4.common.slack import Slack
from vc4.errata import Erratum
from vc4.records import compressed
from vc4.records.control import ControlCode
from vc4.records.shaders import TILE_POINTER_BITS
from vc4.records.state import TileBinningModeConfiguration

from .frame_set_up import FrameSetUp
from .list_bytes import ListBytes
from .list_memory import ListMemory
from .list_port import ListPort
from .list_structs import ListTask, ListWord
from .list_writer import ListWriter
from .newest_form import NewestForm
from .owned_ranges import OwnedRanges
from .state_cache import StateCache
from .structs import CLIPPED_WORDS, TILE_BITS, TileItem, TileKind, TilePrimitive
from .tile_states import TileStates

__all__ = ["GIVEN", "TOLD", "TileLists"]

_FLUSHES = (ControlCode.FLUSH, ControlCode.FLUSH_ALL_STATE)
#: What its memory gets from the host, and tells it.
GIVEN = ("overspill_address", "overspill_size", "overspill_size_stb")
TOLD = ("pool_address", "pool_size", "overspill_left", "out_of_memory")


class TileLists(wiring.Component):
    """Writes what tiles have to draw into memory (guide, sections 8 and 9; docs/reference/rendering.md, tile lists and memory of the
    binner; `TileLists` of the model, and the half of its `Ptb` that is after the tiles).

    Behaviour: a primitive takes three clocks, and its vertices that clipping has made one for each word of their 32 bytes, and some.
    A tile takes three clocks if its state is in the cache, its list has all state, and the primitive is coded in four bytes or less:
    each four bytes more take a clock. The state of the next tile is loaded while a list is written. Records of state are looked
    up only in front of the first primitive of a tile after a change. What has failed stops.

    Nothing is written but the tile state data array, and what the configuration and the host have given for lists. All of it is in
    memory when a flush is done, not earlier.

    Parameters
    ----------
    errata : see `Erratum`

    Interface attributes
    --------------------
    i : stream of `TileItem`; a primitive comes only between a start and a flush
    words : stream of words of vertices that clipping has made
    port : the way into memory
    overspill_address, overspill_size, overspill_size_stb : what the host writes to BPOA and BPOS
    overspill_left, pool_address, pool_size : what it reads from BPOS, BPCA and BPCS
    out_of_memory : it waits for overspill
    raises_out_of_memory, raises_spill_use : strobes for the interrupts, the first one while it waits
    flushed : strobe: a flush is done
    busy : there is something to do
    failed : an address was wrong, or memory has answered with an error; nothing moves until a reset
    owes : memory has not answered everything
    """

    i: In(stream.Signature(TileItem))
    words: In(stream.Signature(unsigned(32)))
    port: Out(MemoryPort(word_bytes=BUS_BYTES))
    overspill_address: In(32)
    overspill_size: In(32)
    overspill_size_stb: In(1)
    overspill_left: Out(32)
    pool_address: Out(32)
    pool_size: Out(32)
    out_of_memory: Out(1)
    raises_out_of_memory: Out(1)
    raises_spill_use: Out(1)
    flushed: Out(1)
    busy: Out(1)
    failed: Out(1)
    owes: Out(1)

    def __init__(self, errata: frozenset[Erratum] = frozenset()):
        self._errata = errata
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.frame_set_up = self._set_up = FrameSetUp()
        m.submodules.newest_form = self._form = NewestForm()
        m.submodules.tile_states = self._states = TileStates()
        m.submodules.state_cache = self._cache = StateCache(self._errata)
        m.submodules.list_writer = self._writer = ListWriter()
        m.submodules.list_memory = self._memory = ListMemory()
        m.submodules.owned_ranges = self._ranges = OwnedRanges()
        m.submodules.list_bytes = self._bytes = ListBytes()
        m.submodules.list_words = self._words = Slack(ListWord, full_rate=False)
        m.submodules.list_port = self._port = ListPort()
        self._primitive = Signal(TilePrimitive)
        self._lives = Signal()  # there is a frame
        self._clean = Signal()  # nothing is in the cache
        self._tile = Signal(TILE_BITS)
        self._left = Signal(range(CLIPPED_WORDS * VERTICES + 1))  # words that nobody wants
        self._can = Signal()  # the parts can do something
        self._drops, self._closes = Signal(name="drops"), Signal(name="closes")
        self._connect_memory(m)
        self._connect_states(m)
        self._connect_writer(m)
        waits = Signal()  # nothing is loaded, and no state is on its way into lists
        m.d.comb += waits.eq(self._states.idle & self._cache.idle & ~self.failed)
        m.d.comb += [self.busy.eq(1), self._can.eq(~self._writer.busy & waits)]
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.busy.eq(~self._can | self.i.valid | self.owes)
                m.d.sync += self._tile.eq(0)
                with m.If(self.i.valid):
                    self._item(m, self.i.payload, waits)
            self._primitives(m)
            self._frame(m)
            self._flush(m)
        return m

    def _connect_memory(self, m):
        states, set_up, bytes_, port, memory = self._states, self._set_up, self._bytes, self._port, self._memory
        connect(m, port.port, flipped(self.port))
        connect(m, port.words, states.words)
        connect(m, bytes_.o, self._words.i)
        words = self._words.o
        # A request of several words is not interrupted: its words come one after the other.
        others = Signal()
        other = Mux(set_up.bus.valid, set_up.bus.payload.as_value(), states.bus.payload.as_value())
        m.d.comb += [
            *(states.bus.ready.eq(port.i.ready), set_up.bus.ready.eq(port.i.ready)),
            others.eq(states.bus.valid | set_up.bus.valid),
            words.ready.eq(port.i.ready & ~others),
            port.i.valid.eq(others | words.valid),
            port.i.payload.eq(Mux(others, other, words.payload.as_value())),
            states.settled.eq(port.settled),
            self.owes.eq(~port.idle),
            *(memory.used.eq(set_up.used), memory.begin.eq(set_up.begin), set_up.memory_busy.eq(memory.port.busy)),
            memory.all_address.eq(set_up.fields.tile_allocation_memory_address),
            memory.all_size.eq(set_up.fields.tile_allocation_memory_size),
            *(getattr(memory, name).eq(getattr(self, name)) for name in GIVEN),
            *(getattr(self, name).eq(getattr(memory, name)) for name in TOLD),
            self.raises_out_of_memory.eq(memory.out_of_memory),
            self.raises_spill_use.eq(memory.spills),
        ]
        m.d.sync += self.failed.eq(Cat(part.failed for part in (set_up, memory, states, self._writer, port)).any())

    def _connect_states(self, m):
        states, writer, set_up = self._states, self._writer, self._set_up
        connect(m, writer.states, states.port)
        m.d.comb += [
            states.base.eq(set_up.base),
            states.tile.eq(Mux(self._closes, self._tile, self.i.payload.body.tile)),
            states.short.eq(self._closes),
            *(states.initial_tile.eq(set_up.tile), states.initial_number.eq(set_up.number)),
            *(states.initial_word.eq(set_up.bus.payload.data), states.initial_stb.eq(set_up.bus.valid)),
            writer.window.eq(set_up.base[-(32 - TILE_POINTER_BITS) :]),
            writer.further.eq(set_up.further),
            set_up.fields.eq(fields_of(self.i.payload.body.record, TileBinningModeConfiguration)),
        ]

    def _connect_writer(self, m):
        writer, cache, memory, ranges = self._writer, self._cache, self._memory, self._ranges
        connect(m, cache.o, writer.records)
        connect(m, writer.o, self._bytes.i)
        connect(m, writer.memory, memory.port)
        asks = writer.ranges
        m.d.comb += [
            writer.primitive.eq(self._primitive),
            self._form.record.eq(self.i.payload.body.record),
            *(writer.form.eq(self._form.form), writer.has_form.eq(self._form.known)),
            *(writer.counter.eq(cache.counter), writer.scanning.eq(cache.scanning), cache.scan.eq(writer.scan)),
            *(cache.stamp.eq(writer.newer_than), cache.everything.eq(writer.everything)),
            cache.shader.eq(writer.shader),
            cache.records.payload.eq(self.i.payload.body.record),
            *(memory.range_busy.eq(ranges.busy), asks.busy.eq(ranges.busy)),
            *(asks.found.eq(ranges.found), asks.covered.eq(ranges.covered), ranges.near.eq(asks.near)),
            *(ranges.check.eq(asks.check), ranges.add.eq(memory.range_stb)),
            # Those that a primitive of no tile has are for nobody.
            writer.words.valid.eq(self.words.valid & ~self._drops),
            writer.words.payload.eq(self.words.payload),
            self.words.ready.eq(self._drops | writer.words.ready),
        ]
        with m.If(memory.range_stb):
            m.d.comb += [ranges.address.eq(memory.pool_address), ranges.length.eq(memory.pool_size)]
        with m.Else():
            m.d.comb += [ranges.address.eq(asks.address), ranges.length.eq(asks.length)]

    def _item(self, m, item, waits):
        """An item is taken, or begins something longer."""
        writer, states = self._writer, self._states
        with m.Switch(item.kind):
            with m.Case(TileKind.RECORD):
                with m.If(self._can):
                    self._record(m, item.body.record)
            with m.Case(TileKind.PRIMITIVE):
                with m.If(waits & (~writer.busy | writer.frees)):
                    m.d.comb += [self.i.ready.eq(1), self._cache.use.eq(1)]
                    self._keep(m, item.body.primitive)
                    with m.If(item.body.primitive.made.any()):
                        m.next = "KEEP"
            with m.Case(TileKind.TILE):
                with m.If(states.ready & ~self.failed):
                    m.d.comb += [self.i.ready.eq(1), writer.start.eq(1), states.load.eq(1)]
                    m.d.sync += self._clean.eq(0)
            with m.Case(TileKind.DROP):
                with m.If(self._can):
                    made = item.body.primitive.made
                    counts = [CLIPPED_WORDS * value.bit_count() for value in range(1 << len(made))]
                    m.d.sync += self._left.eq(select(made, [Const(words) for words in counts]))
                    m.d.comb += self.i.ready.eq(1)
                    m.next = "DROP"

    def _record(self, m, record):
        """A record is taken, or begins something longer."""
        m.next = "STATE"
        with m.Switch(record.code):
            with m.Case(ControlCode.TILE_BINNING_MODE_CONFIGURATION):
                m.next = "CLEAN"
            with m.Case(ControlCode.START_TILE_BINNING):
                m.d.comb += [self.i.ready.eq(1), self._cache.advance.eq(1)]
                m.next = "IDLE"
            with m.Case(*_FLUSHES):
                m.next = "CLOSE"
                with m.If(~self._lives):
                    m.next = "FLUSH"
        with m.If(self._form.says):
            m.d.comb += [self.i.ready.eq(1), self._form.take.eq(1)]
            m.next = "IDLE"

    def _keep(self, m, primitive):
        """A primitive, without vertices that do not count."""
        m.d.sync += self._primitive.eq(primitive)
        for kind, count in compressed.VERTICES.items():
            with m.If(primitive.type == kind):
                m.d.sync += [self._primitive.vertices[number].eq(0) for number in range(count, VERTICES)]

    def _primitives(self, m):
        writer, records = self._writer, self._cache.records
        with m.State("STATE"):
            m.d.comb += [records.valid.eq(1), self.i.ready.eq(records.ready)]
            with m.If(records.ready):
                m.next = "IDLE"
        with m.State("KEEP"):
            m.d.comb += [writer.start.eq(self._can), writer.task.eq(ListTask.KEEP)]
            with m.If(self._can):
                m.next = "KEPT"
        with m.State("KEPT"):
            with m.If(self._can):
                m.next = "IDLE"
        with m.State("DROP"):
            m.d.comb += self._drops.eq(self._left != 0)
            m.d.sync += self._left.eq(self._left - (self.words.valid & self._drops))
            with m.If(~self._drops):
                m.next = "IDLE"

    def _frame(self, m):
        """A frame begins; perhaps one has not been flushed."""
        states, set_up = self._states, self._set_up
        with m.State("CLEAN"):
            m.d.comb += [states.walk.eq(~self._clean), states.keeps.eq(self._lives)]
            m.next = "SET_UP"
        with m.State("SET_UP"):
            with m.If(states.idle):
                m.d.comb += [set_up.start.eq(1), self._cache.begin.eq(1)]
                m.d.comb += [self._ranges.clear.eq(1), self._memory.release.eq(1)]
                m.d.sync += [self._clean.eq(1), self._lives.eq(0)]
                m.next = "SETTING_UP"
        with m.State("SETTING_UP"):
            with m.If(~set_up.busy & self._cache.idle):
                m.d.comb += self.i.ready.eq(1)
                m.d.sync += [self._lives.eq(1), self._clean.eq(0)]
                m.next = "IDLE"

    def _flush(self, m):
        """All lists end, and memory gets everything."""
        states, writer, last = self._states, self._writer, Signal(name="last")
        m.d.comb += last.eq(self._tile == self._set_up.count)
        with m.State("CLOSE"):
            is_all = self.i.payload.body.record.code == ControlCode.FLUSH_ALL_STATE
            m.d.comb += [self._closes.eq(1), writer.task.eq(Mux(is_all, ListTask.CLOSE_ALL, ListTask.CLOSE))]
            with m.If(~last & states.ready & ~self.failed):
                m.d.comb += [writer.start.eq(1), states.load.eq(1)]
                m.d.sync += [self._tile.eq(self._tile + 1), self._clean.eq(0)]
            with m.If(last & self._can):
                m.d.comb += [states.walk.eq(1), states.keeps.eq(1)]
                m.d.sync += self._clean.eq(1)
                m.next = "FLUSH"
        with m.State("FLUSH"):
            with m.If(states.idle & ~self.failed & ~self._port.failed):
                m.d.comb += self._bytes.flush.eq(1)
                with m.If(~self._bytes.busy & ~self._words.o.valid & ~self.owes):
                    m.d.comb += [self.flushed.eq(1), self.i.ready.eq(1)]
                    m.d.comb += [self._ranges.clear.eq(1), self._memory.release.eq(1)]
                    m.d.sync += self._lives.eq(0)
                    m.next = "IDLE"
