"""The states of tiles."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.port import BUS_BYTES
from vc4.common.ram import BlockRam
from vc4.records.shaders import TILE_STATE_BYTES
from vc4.records.tile_state import TileState

from .list_structs import ListWord
from .state_port import STATE_WORDS, StatePort
from .structs import TILE_BITS

__all__ = ["TileStates"]

_SLOT_BITS = 7
_TAG_BITS = TILE_BITS - _SLOT_BITS
_WORD_BITS = 8 * BUS_BYTES
#: Of an address: the array begins at a multiple of this.
_UNIT_BITS = 28
_UNITS = TILE_STATE_BYTES >> 32 - _UNIT_BITS
_PAGE_BITS = 12 - (32 - _UNIT_BITS)
assert _UNITS == 3

_UNUSED = [data.Layout.cast(TileState)[name] for name in ("unused", "unused_56")]
_UNUSED_BITS = sum((1 << field.width) - 1 << field.offset for field in _UNUSED)


class _Entry(data.Struct):
    """What the cache keeps in the bits of the first word that have no meaning."""

    valid: unsigned(1)
    dirty: unsigned(1)
    tag: unsigned(_TAG_BITS)


def _entry(word):
    """Those bits."""
    bits = Cat(word[field.offset : field.offset + field.width] for field in _UNUSED)
    return bits[: Shape.cast(_Entry).width]


def _clean(tile):
    """What these bits are for a tile that is as memory has it."""
    return Cat(C(0b01, 2), tile[_SLOT_BITS:])


def _dirty(tile):
    """And for one that is not."""
    return Cat(C(0b11, 2), tile[_SLOT_BITS:])


class TileStates(wiring.Component):
    """The tile state data array, behind a cache (docs/reference/rendering.md, memory of the binner: tile state; `TileStates` of
    the model).

    The cache has a place for each of 128 tiles that follow each other. A frame begins with the states of tiles 0 to 127 in it. What
    is stored is in memory when another tile needs the place, or after a `walk`, which every flush has. A frame that is given up
    leaves some older states in memory: after a reset, or a configuration without a flush, the array must be initialised, or it is
    anything that was in there.

    Behaviour: words of a state are there one by one from the clock after `load` on; then `stamp`, `vertices` and `place` are high for
    a clock each. The next state is loaded from the clock of `place` on, unless it has the same place of the cache. A state that is
    not in the cache takes as long as memory, also while `port` is busy; whoever was there is written first. A walk takes three
    clocks for each place, and those of states that are written.

    Interface attributes
    --------------------
    base : where the array begins, without the low bits
    tile, load : strobe: the state of a tile
    short : its first two words do
    port : the words of a state, see `StatePort`
    ready : `load` may come
    idle : `walk` may come, all states that were loaded have come
    initial_tile, initial_number, initial_word, initial_stb : strobe: a word of a state, which memory gets as well, while nothing
        else is done
    walk, keeps : strobe: the cache becomes empty, what memory does not have is written, or forgotten
    bus : stream of `ListWord`
    words : stream of what was asked for
    settled : all states that were written are in memory
    failed : a state lies after the end of all addresses; stays
    """

    base: In(_UNIT_BITS)
    tile: In(TILE_BITS)
    load: In(1)
    short: In(1)
    ready: Out(1)
    idle: Out(1)
    port: In(StatePort())
    initial_tile: In(TILE_BITS)
    initial_number: In(range(STATE_WORDS))
    initial_word: In(_WORD_BITS)
    initial_stb: In(1)
    walk: In(1)
    keeps: In(1)
    bus: Out(stream.Signature(ListWord))
    words: In(stream.Signature(_WORD_BITS))
    settled: In(1)
    failed: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.store = store = BlockRam(_WORD_BITS, 4 << _SLOT_BITS, granularity=_WORD_BITS // 2, exclusive=True)
        tile = Signal(TILE_BITS)
        slot = tile[:_SLOT_BITS]
        number = Signal(range(STATE_WORDS))  # of a word
        found = Signal(_Entry)
        victim = Signal(_Entry)
        walks, keeps = Signal(name="walks"), Signal(name="keeps")
        wanted = Signal(range(STATE_WORDS))  # the word that is read
        self._stores(m, store, tile)
        begins, may = Signal(name="begins"), Signal(name="may")  # a state is loaded, or could be
        ahead = Signal()
        first = self._following(m, begins, may, slot)
        m.d.comb += [
            *(found.eq(_entry(store.read_data)), self.port.word.eq(store.read_data)),
            store.read_address.eq(Cat(wanted, Mux(ahead, first[:_SLOT_BITS], slot))),
        ]
        with m.If(begins):
            m.d.sync += tile.eq(first)
        with m.FSM() as fsm:
            with m.State("IDLE"):
                m.d.comb += [may.eq(1), wanted.eq(1), store.read_enable.eq(begins)]
                m.d.sync += [walks.eq(self.walk), keeps.eq(self.keeps), number.eq(0)]
                with m.If(begins):
                    m.next = "STAMP"
                with m.Elif(self.walk):
                    m.d.sync += tile.eq(0)
                    m.next = "WALK"
                m.d.comb += self.idle.eq(~self._waits)
            self._load(m, store, tile, wanted, found, victim, begins, may)
            self._transfer(m, store, tile, number, wanted, victim, walks)
            with m.State("WALK"):
                m.d.comb += store.read_enable.eq(1)
                m.next = "LOOK"
            with m.State("LOOK"):
                m.d.sync += [victim.eq(found), victim.dirty.eq(1)]
                m.next = "FORGET"
                with m.If(found.valid & found.dirty & keeps):
                    m.next = "TRIPLE"
            with m.State("FORGET"):
                m.d.comb += [
                    store.write_address.eq(Cat(number, slot)),
                    store.write_enable.eq(0b11),
                    store.write_data.eq(0),
                ]
                m.d.sync += tile.eq(tile + 1)
                m.next = "WALK"
                with m.If(slot.all()):
                    m.next = "IDLE"
        m.d.comb += ahead.eq(fsm.ongoing("IDLE") | fsm.ongoing("PLACE"))
        return m

    def _stores(self, m, store, tile):
        """Into the state of the tile whose state came last; the next one may be loaded meanwhile."""
        owner = Signal(TILE_BITS)
        port = self.port
        with m.If(port.place):
            m.d.sync += owner.eq(tile)
        m.d.comb += [
            store.write_address.eq(Cat(port.store_number, owner[:_SLOT_BITS])),
            *(store.write_enable.eq(port.store), store.write_data.eq(port.store_data)),
        ]
        with m.If(port.store_number == 0):
            m.d.comb += _entry(store.write_data).eq(_dirty(owner))
        # Of more tiles than there are places, the first ones are closed first.
        with m.If(self.initial_stb & (self.initial_tile[_SLOT_BITS:] == 0)):
            m.d.comb += [
                store.write_address.eq(Cat(self.initial_number, self.initial_tile[:_SLOT_BITS])),
                *(store.write_enable.eq(0b11), store.write_data.eq(self.initial_word)),
            ]
            with m.If(self.initial_number == 0):
                m.d.comb += _entry(store.write_data).eq(_clean(self.initial_tile))

    def _following(self, m, begins, may, slot):
        """The tile that is loaded next: one waits, or comes."""
        waiting, first = Signal(TILE_BITS, name="waiting"), Signal(TILE_BITS, name="first")
        self._waits = Signal()
        there, meets = Signal(name="there"), Signal(name="meets")
        m.d.comb += [
            *(self.ready.eq(~self._waits), first.eq(Mux(self._waits, waiting, self.tile))),
            there.eq(self._waits | self.load),
            meets.eq(first[:_SLOT_BITS] == slot),
            begins.eq(there & may & ~(meets & (self.port.busy | self.port.place))),
        ]
        m.d.sync += self._waits.eq(there & ~begins)
        with m.If(~self._waits):
            m.d.sync += waiting.eq(self.tile)
        return first

    def _load(self, m, store, tile, wanted, found, victim, begins, may):
        """The state of a tile that may be in the cache."""
        with m.State("STAMP"):
            m.d.comb += [self.port.stamp.eq(1), wanted.eq(Mux(self.short, 0, 2)), store.read_enable.eq(1)]
            m.next = "VERTICES"
            with m.If(self.short):
                m.next = "PLACE"
        with m.State("VERTICES"):
            m.d.comb += [self.port.vertices.eq(1), store.read_enable.eq(1)]
            m.next = "PLACE"
        with m.State("PLACE"):
            m.d.sync += [victim.eq(found), victim.dirty.eq(found.valid & found.dirty)]
            m.d.comb += wanted.eq(1)
            with m.If(~found.valid | (found.tag != tile[_SLOT_BITS:])):
                m.next = "MISS"
            with m.Elif(~self.port.busy):
                m.d.comb += [self.port.place.eq(1), may.eq(1), store.read_enable.eq(begins)]
                m.next = "IDLE"
                with m.If(begins):
                    m.next = "STAMP"
        with m.State("MISS"):
            # The state may be one that is on its way to memory.
            with m.If(self.settled):
                m.next = "TRIPLE"
        with m.State("AGAIN"):
            m.d.comb += [wanted.eq(1), store.read_enable.eq(1)]
            m.next = "STAMP"

    def _transfer(self, m, store, tile, number, wanted, victim, walks):
        """From and to memory: first whoever has the place."""
        address = Signal(_UNIT_BITS)
        tripled = Signal(TILE_BITS + 2)
        total = Signal(_UNIT_BITS + 1)
        other = Signal(TILE_BITS)
        crosses = Signal()  # the last word is in another page
        bus = self.bus.payload
        m.d.comb += [
            other.eq(Mux(victim.dirty, Cat(tile[:_SLOT_BITS], victim.tag), tile)),
            total.eq(self.base + tripled),
            bus.address.eq(Cat(number == 1, address)),
            *(
                bus.state.eq(1),
                bus.strobes.eq(~0),
                bus.data.eq(Mux(number == 0, store.read_data & ~_UNUSED_BITS, store.read_data)),
            ),
            bus.first.eq((number == 0) | (crosses & (number == 2))),
            bus.last.eq((number == 2) | (crosses & (number == 1))),
            bus.beats.eq(Mux(number == 0, Mux(crosses, 1, 2), 0)),
        ]
        with m.State("TRIPLE"):
            m.d.sync += tripled.eq(other + (other << 1))
            m.next = "ADDRESS"
        with m.State("ADDRESS"):
            m.d.sync += [address.eq(total), crosses.eq(total[:_PAGE_BITS].all())]
            m.next = "READ"
            with m.If(victim.dirty):
                m.next = "EVICT"
            with m.If(total[_UNIT_BITS] | total[:_UNIT_BITS].all()):
                m.d.sync += self.failed.eq(1)
                m.next = "FAILED"
        with m.State("EVICT"):
            m.d.comb += [self.bus.valid.eq(1), wanted.eq(number + 1), store.read_enable.eq(self.bus.ready)]
            with m.If(self.bus.ready):
                m.d.sync += [number.eq(number + 1), address.eq(address + (number == 1))]
                with m.If(number == 2):
                    m.d.sync += [number.eq(0), victim.dirty.eq(0)]
                    m.next = "TRIPLE"
                    with m.If(walks):
                        m.next = "FORGET"
        with m.State("READ"):
            m.d.comb += [self.bus.valid.eq(1), bus.reads.eq(1), bus.last.eq(1)]
            with m.If(self.bus.ready):
                m.d.sync += [number.eq(0), address.eq(address + 1)]
                m.next = "FILL"
                with m.If(crosses & (number == 0)):
                    m.d.sync += number.eq(2)
                    m.next = "READ"
        with m.State("FILL"):
            # The state of the tile before may be stored meanwhile, and goes first.
            m.d.comb += self.words.ready.eq(self.port.store == 0)
            with m.If(self.words.valid & self.words.ready):
                m.d.comb += [
                    store.write_address.eq(Cat(number, tile[:_SLOT_BITS])),
                    *(store.write_data.eq(self.words.payload), store.write_enable.eq(0b11)),
                ]
                with m.If(number == 0):
                    m.d.comb += _entry(store.write_data).eq(_clean(tile))
                m.d.sync += number.eq(number + 1)
                with m.If(number == 2):
                    m.d.sync += number.eq(0)
                    m.next = "AGAIN"
        with m.State("FAILED"):
            pass
