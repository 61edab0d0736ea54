"""The states of tiles."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.port import BUS_BYTES
from vc4.common.ram import BlockRam
from vc4.records.shaders import TILE_STATE_BYTES
from vc4.records.tile_state import TileState

from .list_structs import ListWord
from .structs import TILE_BITS

__all__ = ["STATE_WORDS", "StatePort", "TileStates"]

#: Words of the bus of a state that mean something.
STATE_WORDS = 3
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


class StatePort(wiring.Signature):
    """The side of whoever uses the states of tiles.

    Interface attributes
    --------------------
    word : of the state that is loaded
    place, stamp, vertices : strobes: which word that is; it stays until the next one
    store, store_number, store_data : strobes of the halves of a word of the tile that was loaded last, when it has come, and not
        when one of the same place is loaded; without the bits that mean nothing
    """

    def __init__(self):
        super().__init__(
            {
                "word": In(_WORD_BITS),
                "place": In(1),
                "stamp": In(1),
                "vertices": In(1),
                "store": Out(2),
                "store_number": Out(range(STATE_WORDS)),
                "store_data": Out(_WORD_BITS),
            }
        )


class TileStates(wiring.Component):
    """The tile state data array, behind a cache (docs/reference/rendering.md, memory of the binner: tile state; `TileStates` of
    the model).

    The cache has a place for each of 128 tiles that follow each other. What is stored is in memory when another tile needs the
    place, or behind a `walk`, which every flush has. A frame that is given up leaves some older states in memory: behind a reset
    or a configuration without a flush the array must be initialised, or it is anything that was in there.

    Behaviour: the first word of a state is there two clocks after `load`, the others one by one behind it; then `place`, `stamp`
    and `vertices` are high for a clock each. A state that is not in the cache takes as long as memory; whoever was there is
    written first. A walk takes three clocks for each place, and those of states that are written.

    Interface attributes
    --------------------
    base : where the array begins, without the low bits
    tile, load : strobe: the state of a tile
    short : its first two words do
    port : the words of a state, see `StatePort`
    ready : `load` or `walk` may come
    meets : `tile` has the place of the tile that was loaded last
    walk, keeps : strobe: the cache becomes empty, what memory does not have is written, or forgotten
    bus : stream of `ListWord`
    words : stream of what was asked for
    settled : all states that were written are in memory
    failed : a state lies behind the end of all addresses; stays
    """

    base: In(_UNIT_BITS)
    tile: In(TILE_BITS)
    load: In(1)
    short: In(1)
    ready: Out(1)
    meets: Out(1)
    port: In(StatePort())
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
        m.d.comb += [
            *(found.eq(_entry(store.read_data)), self.port.word.eq(store.read_data)),
            self.meets.eq(self.tile[:_SLOT_BITS] == slot),
            store.read_address.eq(Cat(wanted, slot)),
            store.write_address.eq(Cat(number, slot)),
        ]
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += [
                    self.ready.eq(1),
                    store.read_address.eq(Cat(wanted, self.tile[:_SLOT_BITS])),
                    store.read_enable.eq(self.load),
                    store.write_address.eq(Cat(self.port.store_number, slot)),
                    store.write_enable.eq(self.port.store),
                    store.write_data.eq(self.port.store_data),
                ]
                with m.If(self.port.store_number == 0):
                    m.d.comb += _entry(store.write_data).eq(_dirty(tile))
                m.d.sync += [walks.eq(self.walk), keeps.eq(self.keeps), number.eq(0)]
                with m.If(self.load):
                    m.d.sync += tile.eq(self.tile)
                    m.next = "PLACE"
                with m.Elif(self.walk):
                    m.d.sync += tile.eq(0)
                    m.next = "WALK"
            self._load(m, store, tile, wanted, found, victim)
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
                m.d.comb += store.write_enable.eq(0b11)
                m.d.sync += tile.eq(tile + 1)
                m.next = "WALK"
                with m.If(slot.all()):
                    m.next = "IDLE"
        return m

    def _load(self, m, store, tile, wanted, found, victim):
        """The state of a tile that may be in the cache."""
        with m.State("PLACE"):
            m.d.sync += [victim.eq(found), victim.dirty.eq(found.valid & found.dirty)]
            with m.If(found.valid & (found.tag == tile[_SLOT_BITS:])):
                m.d.comb += [self.port.place.eq(1), wanted.eq(1), store.read_enable.eq(1)]
                m.next = "STAMP"
            with m.Else():
                m.next = "MISS"
        with m.State("STAMP"):
            m.d.comb += [self.port.stamp.eq(1), wanted.eq(2), store.read_enable.eq(~self.short)]
            m.next = "VERTICES"
            with m.If(self.short):
                m.next = "IDLE"
        with m.State("VERTICES"):
            m.d.comb += self.port.vertices.eq(1)
            m.next = "IDLE"
        with m.State("MISS"):
            # The state may be one that is on its way to memory.
            with m.If(self.settled):
                m.next = "TRIPLE"
        with m.State("AGAIN"):
            m.d.comb += store.read_enable.eq(1)
            m.next = "PLACE"

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
            m.d.comb += [
                self.words.ready.eq(1),
                store.write_data.eq(self.words.payload),
                store.write_enable.eq(self.words.valid.replicate(2)),
            ]
            with m.If(number == 0):
                m.d.comb += _entry(store.write_data).eq(_clean(tile))
            with m.If(self.words.valid):
                m.d.sync += number.eq(number + 1)
                with m.If(number == 2):
                    m.d.sync += number.eq(0)
                    m.next = "AGAIN"
        with m.State("FAILED"):
            pass
