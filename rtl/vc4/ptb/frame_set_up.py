"""The begin of a frame."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.shaders import TILE_POINTER_BITS
from vc4.records.state import BlockSize, TileBinningModeConfiguration
from vc4.records.tile_state import TileState

from .list_memory import USED_BITS
from .list_structs import ListWord
from .state_port import STATE_WORDS
from .structs import TILE_BITS

__all__ = ["FrameSetUp"]

_UNIT_BITS = 28
_SIDE_BITS = 8
#: Bytes of the smallest block.
_SMALLEST = 5
_PAGE_BITS = 8


class FrameSetUp(wiring.Component):
    """Divides memory, and gives each tile its first block (docs/reference/rendering.md, memory of the binner; `Ptb.configure` and
    `TileStates.initialise` of the model).

    Behaviour: takes a clock for each bit of the height and some more, and three for each tile whose state is initialised.

    Interface attributes
    --------------------
    fields, start : strobe: the configuration; it stays until the end
    busy : it is not done
    base, count, initial, further : of the frame: where the array is, tiles, sizes of blocks
    used, begin, memory_busy : strobe: for `ListMemory`: bytes of all first blocks
    bus : stream of `ListWord`
    tile, number : of which state the word is, and which one of its words
    failed : a state lies after the end of all addresses; stays
    """

    fields: In(TileBinningModeConfiguration)
    start: In(1)
    busy: Out(1)
    base: Out(_UNIT_BITS)
    count: Out(TILE_BITS)
    further: Out(BlockSize)
    used: Out(USED_BITS)
    begin: Out(1)
    memory_busy: In(1)
    bus: Out(stream.Signature(ListWord))
    tile: Out(TILE_BITS)
    number: Out(range(STATE_WORDS))
    failed: Out(1)

    def elaborate(self, platform):
        m = Module()
        fields = self.fields
        step = Signal(range(_SIDE_BITS))
        left = Signal(TILE_BITS)  # tiles without a state
        address = Signal(_UNIT_BITS)
        more = Signal()  # states to come
        impossible = Signal()  # the next state would lie after the end of all addresses
        place = Signal(32)
        number = Signal(range(STATE_WORDS))
        m.d.comb += [
            self.number.eq(number),
            self.busy.eq(1),
            self.used.eq((self.count << fields.tile_allocation_initial_block_size.as_value()) << _SMALLEST),
        ]
        self._word(m, address, place, number)
        base = Signal(_UNIT_BITS)
        m.d.comb += self.base.eq(base)
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.busy.eq(0)
                m.d.sync += step.eq(0)
                with m.If(self.start):
                    m.d.sync += [
                        self.count.eq(0),
                        base.eq(fields.tile_state_data_array_address >> (32 - _UNIT_BITS)),
                        address.eq(fields.tile_state_data_array_address >> (32 - _UNIT_BITS)),
                        place.eq(fields.tile_allocation_memory_address),
                        self.further.eq(fields.tile_allocation_block_size),
                        *(self.tile.eq(0), number.eq(0)),
                    ]
                    m.next = "COUNT"
            with m.State("COUNT"):
                row = Mux(fields.height.bit_select((~step)[:3], 1), fields.width, 0)
                m.d.sync += [self.count.eq((self.count << 1) + row), step.eq(step + 1)]
                with m.If(step == _SIDE_BITS - 1):
                    m.next = "BEGIN"
            with m.State("BEGIN"):
                m.d.comb += self.begin.eq(1)
                m.d.sync += left.eq(self.count)
                m.next = "DIVIDE"
            with m.State("DIVIDE"):
                # For ever, if the first blocks do not fit.
                initialises = fields.auto_initialise_tile_state_data_array & (left != 0)
                m.d.sync += [impossible.eq(address.all()), more.eq(initialises)]
                with m.If(~self.memory_busy):
                    m.next = "STATES"
            self._states(m, address, place, number, left, more, impossible)
            with m.State("FAILED"):
                m.d.comb += self.failed.eq(1)
        return m

    def _states(self, m, address, place, number, left, more, impossible):
        """Three words for each tile."""
        fields = self.fields
        with m.State("STATES"):
            with m.If(~more & (number == 0)):
                m.next = "IDLE"
            with m.Elif(impossible & (number == 0)):
                m.next = "FAILED"
            with m.Else():
                m.d.comb += self.bus.valid.eq(1)
            with m.If(self.bus.valid & self.bus.ready):
                m.d.sync += [number.eq(number + 1), address.eq(address + number)]
                with m.If(number == 1):
                    # The next state begins three units behind, and has parts of two.
                    m.d.sync += [impossible.eq(address[2:].all()), more.eq(left != 1)]
                with m.If(number == 2):
                    size = (C(1 << _SMALLEST, 9) << fields.tile_allocation_initial_block_size.as_value())[:9]
                    m.d.sync += [number.eq(0), left.eq(left - 1), place.eq(place + size)]
                    m.d.sync += self.tile.eq(self.tile + 1)

    def _word(self, m, address, place, number):
        """Of a state."""
        state, bus = Signal(TileState, name="state"), self.bus.payload
        crosses = Signal()
        with m.If(number == 0):
            m.d.comb += [
                state.list_pointer.eq(place[:TILE_POINTER_BITS]),
                state.room.eq((C(1 << _SMALLEST, 9) << self.fields.tile_allocation_initial_block_size.as_value())[:9]),
            ]
        with m.If(number == 1):
            m.d.sync += crosses.eq(address[:_PAGE_BITS].all())
        m.d.comb += [
            bus.address.eq(Cat(number == 1, address)),
            *(bus.data.eq(state.as_value()), bus.strobes.eq(~0), bus.state.eq(1)),
        ]
        with m.If(number == 0):
            m.d.comb += [bus.first.eq(1), bus.beats.eq(Mux(address[:_PAGE_BITS].all(), 1, 2))]
        with m.Elif(number == 1):
            m.d.comb += bus.last.eq(address[:_PAGE_BITS].all())
        with m.Else():
            m.d.comb += [bus.first.eq(crosses), bus.last.eq(1)]
