"""Where tile lists may be."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam

from .list_structs import ADDRESS_BITS, PIECE_BITS

__all__ = ["RANGES", "OwnedRanges", "RangePort"]

#: As many as the model has.
RANGES = 16


class RangePort(wiring.Signature):
    """The side of whoever asks.

    Interface attributes
    --------------------
    address, length, check : strobe: some bytes, with a carry in front of the address
    near : only the range that was found last counts
    busy : not now
    found : what was asked for last lies in one range
    covered : the same of `near`, in the clock after it
    """

    def __init__(self):
        super().__init__(
            {
                "address": Out(ADDRESS_BITS),
                "length": Out(PIECE_BITS + 1),
                "check": Out(1),
                "near": Out(1),
                "busy": In(1),
                "found": In(1),
                "covered": In(1),
            }
        )


class OwnedRanges(wiring.Component):
    """Remembers which memory was given for tile lists, and looks whether something lies in it (docs/reference/rendering.md,
    memory of the binner: writes; `TileMemory` of the model).

    There are `RANGES` ranges. One that begins where the newest one ends makes that one longer; when there are as many as can be,
    the newest one becomes the smallest range that has both. Nothing lies after the last address.

    Behaviour: what lies in the range that was found last, or given last, is found in two clocks, others in two clocks more for each
    range.

    Interface attributes
    --------------------
    clear : strobe: there are no ranges
    address, length : bytes, with a carry in front of the address
    add : strobe: they are a range
    check : strobe: they are looked for
    near : only the range that was found last counts
    busy : none of these strobes
    found : what was asked for last lies in one range
    covered : it lies in the range that was found last; in the clock after `check`
    """

    clear: In(1)
    address: In(ADDRESS_BITS)
    length: In(32)
    add: In(1)
    check: In(1)
    near: In(1)
    busy: Out(1)
    found: Out(1)
    covered: Out(1)

    def elaborate(self, platform):
        m = Module()
        bounds = data.StructLayout({"start": 32, "stop": ADDRESS_BITS})
        m.submodules.ranges = ranges = LutRam(Shape.cast(bounds).width, RANGES)
        count = Signal(range(RANGES + 1))
        known = Signal(bounds)  # the range that was found last
        asked = Signal(data.StructLayout({"start": ADDRESS_BITS, "stop": ADDRESS_BITS}))
        only = Signal()
        at = Signal(range(RANGES + 1))
        above, below, follows = Signal(name="above"), Signal(name="below"), Signal(name="follows")
        reads = Signal()
        m.d.comb += [
            above.eq(asked.start >= known.start),
            below.eq(asked.stop <= known.stop),
            follows.eq(asked.start == known.stop),
            ranges.read_address.eq(at),
            self.covered.eq(above & below),
            self.busy.eq(1),
        ]
        with m.If(self.clear):
            m.d.sync += known.eq(0)
        with m.Elif(reads):
            m.d.sync += Value.cast(known).eq(ranges.read_data)
        self._write(m, ranges, known, asked, above, below, follows, count)
        self._look(m, asked, at, only, reads, ranges, count)
        return m

    def _look(self, m, asked, at, only, reads, ranges, count):
        """For a range, one by one, or where another one goes."""
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.busy.eq(0)
                m.d.sync += [
                    asked.start.eq(self.address),
                    asked.stop.eq(self.address + self.length),
                    only.eq(self.near),
                ]
                m.d.sync += at.eq(Mux(self.add, count - 1, 0))
                with m.If(self.clear):
                    m.d.sync += count.eq(0)
                with m.Elif(self.add & (self.length != 0)):
                    m.next = "NEWEST"
                with m.Elif(self.check):
                    m.next = "LOOK"
            with m.State("NEWEST"):
                m.d.comb += reads.eq(1)
                m.next = "ADD"
            with m.State("ADD"):
                m.d.comb += ranges.write_enable.eq(1)
                m.d.sync += [at.eq(ranges.write_address), count.eq(ranges.write_address + 1)]
                m.next = "ADDED"
            with m.State("ADDED"):
                m.d.comb += reads.eq(1)
                m.next = "IDLE"
            with m.State("LOOK"):
                m.d.sync += self.found.eq(self.covered)
                m.next = "FOUND"
                with m.If(only):
                    m.next = "IDLE"
            with m.State("FOUND"):
                m.d.sync += at.eq(at + 1)
                m.d.comb += reads.eq(~self.found & (at != count))
                m.next = "IDLE"
                with m.If(reads):
                    m.next = "LOOK"

    def _write(self, m, ranges, known, asked, above, below, follows, count):
        """A range, after the newest one has been read."""
        written = Signal(known.shape())
        longer, full = Signal(name="longer"), Signal(name="full")
        m.d.comb += [
            *(longer.eq((count != 0) & follows), full.eq((count == RANGES) & ~longer)),
            written.start.eq(Mux(longer | (full & above), known.start, asked.start)),
            written.stop.eq(Mux(full & below, known.stop, asked.stop)),
            ranges.write_address.eq(Mux(longer | full, count - 1, count)),
            ranges.write_data.eq(written),
        ]
        with m.If(asked.stop[-1]):
            # Nothing is after the last address.
            m.d.comb += written.stop.eq(1 << ADDRESS_BITS - 1)
