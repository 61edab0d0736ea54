"""Where tile lists may be."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam

from .list_structs import PIECE_BITS

__all__ = ["RANGES", "OwnedRanges"]

#: As many as the model has.
RANGES = 16
_END_BITS = 33


class OwnedRanges(wiring.Component):
    """Remembers which memory was given for tile lists, and looks whether something lies in it (docs/reference/rendering.md,
    memory of the binner: writes; `TileMemory` of the model).

    There are `RANGES` ranges. One that begins where the newest one ends makes that one longer; when there are as many as can be,
    the newest one becomes the smallest range that has both. Nothing lies behind the last address.

    Behaviour: what lies in the range that was found last, or given last, is found in two clocks, others in two clocks more for each
    range.

    Interface attributes
    --------------------
    clear : strobe: there are no ranges
    start, size, add : strobe: a range
    address, length, check : strobe: these bytes; the address has a carry in front
    near : only the range that was found last counts
    busy : none of these strobes
    found : what was asked for last lies in one range
    """

    clear: In(1)
    start: In(32)
    size: In(32)
    add: In(1)
    address: In(_END_BITS)
    length: In(PIECE_BITS + 1)
    check: In(1)
    near: In(1)
    busy: Out(1)
    found: Out(1)

    def elaborate(self, platform):
        m = Module()
        bounds = data.StructLayout({"start": 32, "stop": _END_BITS})
        m.submodules.ranges = ranges = LutRam(Shape.cast(bounds).width, RANGES)
        count = Signal(range(RANGES + 1))
        known = Signal(bounds)  # the range that was found last
        asked = Signal(data.StructLayout({"start": _END_BITS, "stop": _END_BITS}))
        only = Signal()
        at = Signal(range(RANGES + 1))
        above, below, follows = Signal(), Signal(), Signal()
        stop = Signal(_END_BITS + 1)
        written = Signal(bounds)
        m.d.comb += [
            above.eq(asked.start >= known.start),
            below.eq(asked.stop <= known.stop),
            follows.eq(asked.start == known.stop),
            ranges.read_address.eq(at),
            ranges.write_data.eq(written),
            stop.eq(self.start + self.size),
            self.busy.eq(1),
        ]
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.busy.eq(0)
                m.d.sync += at.eq(count - 1)
                with m.If(self.clear):
                    m.d.sync += [count.eq(0), known.eq(0)]
                with m.Elif(self.add):
                    m.d.sync += [asked.start.eq(self.start), asked.stop.eq(Mux(stop[32], 1 << 32, stop))]
                    with m.If(self.size != 0):
                        m.next = "NEWEST"
                with m.Elif(self.check):
                    m.d.sync += [asked.start.eq(self.address), asked.stop.eq(self.address + self.length)]
                    m.d.sync += [only.eq(self.near), at.eq(0), self.found.eq(0)]
                    m.next = "LOOK"
            with m.State("NEWEST"):
                m.d.sync += Value.cast(known).eq(ranges.read_data)
                m.next = "ADD"
            with m.State("ADD"):
                self._add(m, ranges, count, known, asked, written, follows, above, below)
            with m.State("LOOK"):
                m.d.sync += [self.found.eq(above & below)]
                with m.If(only):
                    m.next = "IDLE"
                with m.Else():
                    m.next = "FOUND"
            with m.State("FOUND"):
                m.d.sync += at.eq(at + 1)
                with m.If(self.found | (at == count)):
                    m.next = "IDLE"
                with m.Else():
                    m.d.sync += Value.cast(known).eq(ranges.read_data)
                    m.next = "LOOK"
        return m

    def _add(self, m, ranges, count, known, asked, written, follows, above, below):
        """A range, after the newest one has been read."""
        some, full = Signal(), Signal()
        m.d.comb += [
            *(some.eq(count != 0), full.eq(count == RANGES)),
            *(written.start.eq(asked.start), written.stop.eq(asked.stop)),
            ranges.write_enable.eq(1),
            ranges.write_address.eq(count - 1),
        ]
        with m.If(some & follows):
            m.d.comb += written.start.eq(known.start)
        with m.Elif(full):
            with m.If(above):
                m.d.comb += written.start.eq(known.start)
            with m.If(below):
                m.d.comb += written.stop.eq(known.stop)
        with m.Else():
            m.d.comb += ranges.write_address.eq(count)
            m.d.sync += count.eq(count + 1)
        m.d.sync += known.eq(written)
        m.next = "IDLE"
