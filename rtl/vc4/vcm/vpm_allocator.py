"""Rows of the VPM for batches."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.vpm.allocation import RESERVATION_ROWS, VpmAllocation
from vc4.vpm.window import BLOCK_BITS

from .allocation_turn import AllocationTurn
from .structs import THREADS, Batch, FreedSpace, PlacedBatch, VertexFormat

__all__ = ["VpmAllocator"]

_ROW_BITS = RESERVATION_ROWS.bit_length() - 1


class _State(enum.Enum, shape=unsigned(3)):
    """What the allocator does."""

    REST = 0
    SEARCH = 1  # for free blocks, one after the other
    MARK = 2  # they are owned from now on
    ANSWER = 3
    FREE = 4  # these no longer are


class VpmAllocator(wiring.Component):
    """Gives each batch rows for its attributes and, after them, for its results (guide, VPMBASE and VPACNTL).

    Behaviour: walks over the blocks of four rows, a block a clock. It takes as many clocks as a batch needs blocks to find
    them, if they are free where it is, as many to mark them, and as many to free them. What is given back comes first. The
    threads take turns; if there is no room for a batch of one, the other one may go on, as often as VPACNTL says, or for
    ever if it says nothing: so a thread that waits holds up the other one only by the rows that it has. A batch for
    which there would never be room is bad.

    Parameters
    ----------
    rows : of the VPM

    Interface attributes
    --------------------
    division : how the VPM is divided; to change only while nothing is allocated
    i : stream of batches of each thread
    formats : what they need
    abandons : of each thread: its batches are dropped, and need nothing
    o : stream of `PlacedBatch`
    freed : stream of rows that are given back
    waits : a batch waits for rows to be given back
    too_big, too_many : strobes: a batch is bad, as there are not so many rows; as its thread may not have so many, a bit each
    """

    def __init__(self, rows: int):
        self._blocks = rows // RESERVATION_ROWS
        super().__init__(
            {
                "division": In(VpmAllocation),
                "i": In(stream.Signature(Batch)).array(THREADS),
                "formats": In(data.ArrayLayout(VertexFormat, THREADS)),
                "abandons": In(THREADS),
                "o": Out(stream.Signature(PlacedBatch)),
                "freed": In(stream.Signature(FreedSpace)),
                "waits": Out(1),
                "too_big": Out(1),
                "too_many": Out(THREADS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.owned = owned = LutRam(1, self._blocks)
        m.submodules.allocation_turn = turn = AllocationTurn(self._blocks)
        state = Signal(_State)
        place = Signal(range(self._blocks))
        first = Signal(BLOCK_BITS)
        start = Signal(BLOCK_BITS)  # of what was found
        thread = Signal(range(THREADS))
        needed = Signal(BLOCK_BITS)
        begins = Signal()
        dropped = Signal()
        bad = Signal()
        freed = self.freed.payload
        m.d.comb += [
            first.eq(self.division.user_rows[_ROW_BITS:]),
            owned.read_address.eq(place),
            owned.write_address.eq(place),
            owned.write_data.eq(state == _State.MARK),
            owned.write_enable.eq((state == _State.MARK) | (state == _State.FREE)),
            turn.division.eq(self.division),
            turn.formats.eq(self.formats),
            turn.abandons.eq(self.abandons),
            turn.takes.eq(begins),
            turn.waiting.eq(Cat(port.valid for port in self.i)),
            turn.freed_stb.eq(self.freed.valid & self.freed.ready),
            turn.freed_thread.eq(freed.thread),
            turn.freed.eq(freed.space.count),
            self.freed.ready.eq(state == _State.REST),
            self.too_big.eq(begins & turn.too_big),
            self.too_many.eq(Mux(begins, turn.too_many, 0)),
            self.waits.eq((state == _State.REST) & turn.waiting.any() & ~turn.any),
            begins.eq((state == _State.REST) & ~self.freed.valid & turn.any),
        ]
        m.d.sync += Assert(
            ~owned.write_enable | (owned.read_data != owned.write_data), "a block is given twice, or given back twice"
        )
        with m.If(begins):
            m.d.sync += [thread.eq(turn.thread), needed.eq(turn.needed), bad.eq(turn.bad), dropped.eq(turn.dropped)]
        self._walk(m, turn, owned.read_data, begins, state, place, first, start, needed)
        self._answer(m, state, thread, start, bad, dropped)
        return m

    def _walk(self, m, turn, is_owned, begins, state, place, first, start, needed):
        """From block to block."""
        count = Signal(BLOCK_BITS)  # free blocks in front of `place`, or those that are left to be marked or freed
        steps = Signal(range(2 * self._blocks))
        freed = self.freed.payload
        is_last = place == self._blocks - 1
        with m.Switch(state):
            with m.Case(_State.REST):
                m.d.sync += [steps.eq(0), count.eq(0)]
                with m.If(self.freed.valid & (freed.space.count != 0)):
                    m.d.sync += [place.eq(freed.space.first), count.eq(freed.space.count), state.eq(_State.FREE)]
                with m.Elif(begins):
                    m.d.sync += state.eq(Mux(turn.bad | turn.dropped, _State.ANSWER, _State.SEARCH))
                    with m.If(place < first):
                        m.d.sync += place.eq(first)
            with m.Case(_State.SEARCH):
                m.d.sync += [steps.eq(steps + 1), place.eq(Mux(is_last, first, place + 1))]
                m.d.sync += count.eq(Mux(is_owned | is_last, 0, count + 1))
                with m.If(~is_owned & (count + 1 == needed)):
                    m.d.sync += [state.eq(_State.MARK), place.eq(place - count), start.eq(place - count)]
                    m.d.sync += count.eq(needed)
                    m.d.comb += turn.gains.eq(1)
                with m.Elif(steps == 2 * self._blocks - 1):
                    m.d.sync += state.eq(_State.REST)
                    m.d.comb += turn.fails.eq(1)
            with m.Case(_State.MARK, _State.FREE):
                m.d.sync += [place.eq(Mux(is_last, first, place + 1)), count.eq(count - 1)]
                with m.If(count == 1):
                    m.d.sync += state.eq(Mux(state == _State.MARK, _State.ANSWER, _State.REST))
            with m.Case(_State.ANSWER):
                with m.If(self.o.ready):
                    m.d.sync += state.eq(_State.REST)

    def _answer(self, m, state, thread, start, bad, dropped):
        """The batch that was chosen."""
        placed = self.o.payload
        answers = state == _State.ANSWER
        m.d.comb += [self.o.valid.eq(answers), placed.bad.eq(bad), placed.dropped.eq(dropped)]
        for number, port in enumerate(self.i):
            m.d.comb += port.ready.eq(answers & self.o.ready & (thread == number))
            with m.If(thread == number):
                m.d.comb += placed.batch.eq(port.payload)
        with m.If(~(bad | dropped)):
            m.d.comb += [
                placed.attributes.first.eq(start),
                placed.attributes.count.eq(self.formats[thread].attributes),
                placed.results.first.eq(start + self.formats[thread].attributes),
                placed.results.count.eq(self.formats[thread].results),
            ]
