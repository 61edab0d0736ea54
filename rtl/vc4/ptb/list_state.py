"""The state of the tile whose list is written."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.port import BUS_BYTES
from vc4.cle.structs import VERTICES, ListFormat
from vc4.records.compressed import CODINGS, COORDINATE_CODINGS
from vc4.records.shaders import TILE_POINTER_BITS
from vc4.records.tile_state import TileState

from .list_structs import ADDRESS_BITS, CHUNK_BYTES
from .state_port import STATE_WORDS

__all__ = ["ListState"]

_WORD_BITS = 8 * BUS_BYTES
_ROOM_BITS = 16


class ListState(wiring.Component):
    """Where a list goes on, and what it has (docs/reference/rendering.md, memory of the binner: tile state; `TileState` of the
    model).

    Behaviour: everything counts from the next clock on.

    Interface attributes
    --------------------
    word, stamp, place : strobes: the second word of the state that is loaded, and after it the first one; what came with `stamp`
        counts from `place` on
    window : bits of an address that a pointer lacks
    count, moves : strobe: so many bytes are written
    target, block, jumps : strobe: the list goes on there, where it has so many bytes
    opens, closes : strobes: a compressed list begins or ends
    wanted, has_wanted, formats : strobe: it has this format, if there is one
    start : where the list of the state goes on that comes with `place`
    address, room, opened : where it goes on; the address has a carry in front
    differs : the format is not the wanted one
    stamped, stale : of the newest state that it has, which is not that of `counter`
    counter, vertices : what is stored, too
    number, stored : a word, and what it is
    """

    word: In(_WORD_BITS)
    place: In(1)
    stamp: In(1)
    window: In(32 - TILE_POINTER_BITS)
    count: In(range(CHUNK_BYTES + 1))
    moves: In(1)
    target: In(32)
    block: In(9)
    jumps: In(1)
    opens: In(1)
    closes: In(1)
    wanted: In(ListFormat)
    has_wanted: In(1)
    formats: In(1)
    start: Out(32)
    address: Out(ADDRESS_BITS)
    room: Out(_ROOM_BITS)
    opened: Out(1)
    differs: Out(1)
    stamped: Out(32)
    stale: Out(1)
    counter: In(32)
    vertices: In(data.ArrayLayout(32, VERTICES))
    number: In(range(STATE_WORDS))
    stored: Out(_WORD_BITS)

    def elaborate(self, platform):
        m = Module()
        comes, goes = Signal(TileState, name="comes"), Signal(TileState, name="goes")
        form = Signal(ListFormat)  # of what comes
        known, kind, coordinates = Signal(name="known"), Signal(2, name="kind"), Signal(name="coordinates")
        listed = Signal()  # there are compressed lists of this format
        after = Signal(_ROOM_BITS + 1)
        stamp, stale = Signal.like(self.stamped, name="loaded_stamp"), Signal(name="loaded_stale")
        m.d.comb += [
            self.start.eq(Cat(comes.list_pointer, self.window)),
            *(Value.cast(comes)[:_WORD_BITS].eq(self.word), after.eq(self.room - self.count)),
            *(form.type.eq(comes.format_type), form.coordinates.eq(comes.format_coordinates)),
            listed.eq(
                Cat(
                    (form.type == kind) & (form.coordinates == number)
                    for number, table in enumerate((CODINGS, COORDINATE_CODINGS))
                    for kind in table
                ).any()
            ),
            self.differs.eq(
                ~known | (Cat(kind, coordinates) != Cat(self.wanted.type.as_value()[:2], self.wanted.coordinates))
            ),
        ]
        with m.If(self.place):
            m.d.sync += [
                *(self.address.eq(self.start), self.stamped.eq(stamp), self.stale.eq(stale), self.room.eq(comes.room)),
                *(known.eq(comes.format_known), kind.eq(Mux(comes.format_known, comes.format_type, 0))),
                coordinates.eq(comes.format_known & comes.format_coordinates),
                self.opened.eq(comes.list_opened & comes.format_known & listed),
            ]
        with m.If(self.stamp):
            m.d.sync += [stamp.eq(self.word), stale.eq(self.word[:32] != self.counter)]
        with m.If(self.moves):
            m.d.sync += [self.address.eq(self.address + self.count), self.room.eq(Mux(after[_ROOM_BITS], 0, after))]
        with m.If(self.jumps):
            m.d.sync += [self.address.eq(self.target), self.room.eq(self.block)]
        with m.If(self.opens | self.closes):
            m.d.sync += self.opened.eq(self.opens)
        with m.If(self.formats & self.has_wanted):
            m.d.sync += [known.eq(1), kind.eq(self.wanted.type), coordinates.eq(self.wanted.coordinates)]
        m.d.comb += [
            *(goes.list_pointer.eq(self.address), goes.room.eq(self.room), goes.list_opened.eq(self.opened)),
            *(goes.format_known.eq(known), goes.format_type.eq(kind), goes.format_coordinates.eq(coordinates)),
            goes.stamp.eq(self.counter),
            goes.vertex_0.eq(self.vertices[0]),
            *(goes.vertex_1.eq(self.vertices[1]), goes.vertex_2.eq(self.vertices[2])),
        ]
        with m.Switch(self.number):
            for number in range(STATE_WORDS):
                with m.Case(number):
                    m.d.comb += self.stored.eq(goes.as_value().word_select(number, _WORD_BITS))
        return m
