"""Whose batch gets rows of the VPM next."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.vpm.allocation import MOST_ALLOCATIONS, RESERVATION_ROWS, VpmAllocation
from vc4.vpm.window import BLOCK_BITS

from .structs import THREADS, VertexFormat

__all__ = ["AllocationTurn"]

_ROW_BITS = RESERVATION_ROWS.bit_length() - 1


class AllocationTurn(wiring.Component):
    """Chooses one of the threads that have a batch (guide, VPACNTL).

    Behaviour: combinational, from what happened in the clocks before. They take turns. A thread that has failed has no turn
    until rows are given back. If the host has set time-outs, one for which the other one was passed over so often has none
    until that one gets some.

    Parameters
    ----------
    blocks : of the VPM

    Interface attributes
    --------------------
    division, formats, abandons : see `VpmAllocator`
    waiting : threads that have a batch
    any, thread : one could be chosen
    takes : strobe: it is
    needed : how many blocks it needs
    bad, dropped : it cannot have them, or has no use for them
    too_big, too_many : why it cannot: there are not so many, or each thread may not have so many
    gains, fails : strobe: the one that was chosen has got them, or there is no room
    freed_stb, freed_thread, freed : blocks are given back
    """

    def __init__(self, blocks: int):
        self._blocks = blocks
        super().__init__(
            {
                "division": In(VpmAllocation),
                "formats": In(data.ArrayLayout(VertexFormat, THREADS)),
                "abandons": In(THREADS),
                "waiting": In(THREADS),
                "any": Out(1),
                "thread": Out(range(THREADS)),
                "takes": In(1),
                "needed": Out(BLOCK_BITS),
                "bad": Out(1),
                "dropped": Out(1),
                "too_big": Out(1),
                "too_many": Out(THREADS),
                "gains": In(1),
                "fails": In(1),
                "freed_stb": In(1),
                "freed_thread": In(range(THREADS)),
                "freed": In(BLOCK_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        division = self.division
        needs = Signal(data.ArrayLayout(BLOCK_BITS, THREADS))
        held = Signal(data.ArrayLayout(BLOCK_BITS + 1, THREADS))
        big = Signal(THREADS)  # more than there is for all
        many = Signal(THREADS)  # more than the limit
        bad = Signal(THREADS)
        eligible = Signal(THREADS)
        failed = Signal(THREADS)
        late = Signal(THREADS)  # it was passed over too often
        chosen = Signal(range(THREADS))
        prefers = Signal(range(THREADS))
        here = self._blocks - division.user_rows[_ROW_BITS:]
        limits = (division.binning_rows[_ROW_BITS:], division.rendering_rows[_ROW_BITS:])
        waits = (division.binning_waits, division.rendering_waits)
        for number, (limit, most) in enumerate(zip(limits, waits, strict=True)):
            passed = Signal(range(MOST_ALLOCATIONS + 1), name=f"passed_{number}")
            need, own, is_other = needs[number], held[number], chosen != number
            m.d.comb += [
                need.eq(self.formats[number].attributes + self.formats[number].results),
                big[number].eq(need > here),
                many[number].eq(division.limited & (need > limit)),
                late[number].eq(self.waiting[number] & division.timed & (passed >= most)),
                eligible[number].eq(
                    self.waiting[number]
                    & (
                        self.abandons[number]
                        | bad[number]
                        | ~(failed[number] | late[1 - number] | (division.limited & (own + need > limit)))
                    )
                ),
            ]
            with m.If(self.gains):
                m.d.sync += passed.eq(Mux(is_other & self.waiting[number], passed + (passed != MOST_ALLOCATIONS), 0))
            with m.If(self.gains & ~is_other):
                m.d.sync += own.eq(own + need)
            with m.Elif(self.freed_stb & (self.freed_thread == number)):
                m.d.sync += own.eq(own - self.freed)
        m.d.comb += [
            bad.eq(big | many),
            self.too_big.eq(big.bit_select(self.thread, 1) & ~self.dropped),
            self.too_many.eq(Mux(self.dropped, 0, many & (1 << self.thread))),
            self.any.eq(eligible.any()),
            self.thread.eq(Mux(eligible.bit_select(prefers, 1), prefers, ~prefers)),
            self.needed.eq(needs[self.thread]),
            self.dropped.eq(self.abandons.bit_select(self.thread, 1)),
            self.bad.eq(bad.bit_select(self.thread, 1) & ~self.dropped),
        ]
        with m.If(self.takes):
            m.d.sync += chosen.eq(self.thread)
        with m.If(self.gains):
            m.d.sync += prefers.eq(~chosen)
        with m.If(self.fails):
            m.d.sync += failed.bit_select(chosen, 1).eq(1)
        with m.If(self.freed_stb):
            m.d.sync += failed.eq(0)
        return m
