"""Memory for tile lists."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["USED_BITS", "BlockPort", "ListMemory"]

#: Of the bytes of all first blocks.
USED_BITS = 24

_CHUNK_BITS = 12
_PAD_BITS = 8
_SIZE_BITS = 9
#: All sizes are multiples of the smallest block.
_UNIT_BITS = 5


class BlockPort(wiring.Signature):
    """The side of whoever takes memory.

    Interface attributes
    --------------------
    size, vertices, take : strobe: so many bytes, a multiple of 32, for clipped vertices or else for a block
    busy : not now
    taken : where they are, once it is not `busy`
    """

    def __init__(self):
        super().__init__({"size": Out(_SIZE_BITS), "vertices": Out(1), "take": Out(1), "busy": In(1), "taken": In(32)})


class ListMemory(wiring.Component):
    """The pool that blocks and clipped vertices come from, and overspill (pipeline facts, 2.1 and 2.6; `TileMemory` of the model).

    Behaviour: what is taken stands after one clock, after three with a new chunk of 4 KiB, and after four more with overspill. While
    overspill is too small nothing happens; a clock in which the host writes its size counts as such. What was refused stays so until
    the size is written: the host writes the address first, which does not belong to the size that is still there.

    Interface attributes
    --------------------
    release : strobe: what is left of chunks is forgotten
    all_address, all_size, used, begin : strobe: a new pool, but for its first bytes, from the next multiple of 256 on; `used` stays for
        another clock
    port : see `BlockPort`; while it is busy, none of the other strobes
    overspill_address, overspill_size, overspill_size_stb : the host's registers
    overspill_left, pool_address, pool_size : what the host reads; a reset leaves it
    range_stb, range_busy : strobe: what the host reads is a range of memory that may be written, from now on
    spills : strobe: overspill is used now
    out_of_memory : it waits for overspill
    failed : the pool has less than the bytes that are used; stays
    """

    release: In(1)
    all_address: In(32)
    all_size: In(32)
    used: In(USED_BITS)
    begin: In(1)
    port: In(BlockPort())
    overspill_address: In(32)
    overspill_size: In(32)
    overspill_size_stb: In(1)
    overspill_left: Out(32)
    pool_address: Out(32)
    pool_size: Out(32)
    range_stb: Out(1)
    range_busy: In(1)
    spills: Out(1)
    out_of_memory: Out(1)
    failed: Out(1)

    def elaborate(self, platform):
        m = Module()
        # In units of the smallest block.
        chunk = data.StructLayout({"address": 32 - _UNIT_BITS, "left": _CHUNK_BITS + 1 - _UNIT_BITS})
        chunks = [Signal(chunk, name=name) for name in ("block_chunk", "vertex_chunk")]
        which = Signal()
        size = Signal(_SIZE_BITS - _UNIT_BITS)
        chosen = Signal(chunk)
        enough = Signal()  # the overspill of the clock before, and its address
        overspill = Signal(32)
        step, aligns, short = Signal(USED_BITS, name="step"), Signal(name="aligns"), Signal(name="short")
        m.d.comb += [
            self.port.busy.eq(1),
            chosen.eq(Mux(which, chunks[1].as_value(), chunks[0].as_value())),
        ]
        # A reset of the binner leaves what the host reads.
        self._kept_address, self._kept_size, self._kept_left = (
            Signal(32, name=f"kept_{name}", reset_less=True) for name in ("address", "size", "left")
        )
        m.d.comb += [
            *(self.pool_address.eq(self._kept_address), self.pool_size.eq(self._kept_size)),
            self.overspill_left.eq(self._kept_left),
        ]
        self._overspill(m, enough, overspill)
        self._pool(m, step, aligns, short, overspill)
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.port.busy.eq(0)
                m.d.sync += [which.eq(self.port.vertices), size.eq(self.port.size >> _UNIT_BITS)]
                with m.If(self.release):
                    m.d.sync += [one.left.eq(0) for one in chunks]
                with m.If(self.begin):
                    m.next = "FRAME"
                with m.Elif(self.port.take):
                    m.next = "TAKE"
            with m.State("FRAME"):
                m.d.comb += [self.range_stb.eq(1), step.eq(self.used)]
                m.next = "ALIGN"
                with m.If(short):
                    m.next = "FAILED"
            with m.State("FAILED"):
                m.d.comb += self.failed.eq(1)
            with m.State("ALIGN"):
                m.d.comb += aligns.eq(1)
                m.next = "IDLE"
            with m.State("ALIGN_OVERSPILL"):
                m.d.comb += aligns.eq(1)
                m.next = "CHUNK"
            self._take(m, chunks, chosen, which, size, step)
            self._spill(m, enough)
        return m

    def _take(self, m, chunks, chosen, which, size, step):
        """Some of a chunk, or another chunk."""
        with m.State("TAKE"):
            with m.If(chosen.left >= size):
                m.d.sync += self.port.taken.eq(chosen.address << _UNIT_BITS)
                for number, one in enumerate(chunks):
                    with m.If(which == number):
                        m.d.sync += [one.address.eq(chosen.address + size), one.left.eq(chosen.left - size)]
                m.next = "IDLE"
            with m.Else():
                m.next = "CHUNK"
        with m.State("CHUNK"):
            with m.If(self._kept_size[_CHUNK_BITS:].any()):
                m.d.comb += step.eq(1 << _CHUNK_BITS)
                for number, one in enumerate(chunks):
                    with m.If(which == number):
                        m.d.sync += [
                            one.address.eq(self._kept_address >> _UNIT_BITS),
                            one.left.eq(1 << _CHUNK_BITS - _UNIT_BITS),
                        ]
                m.next = "TAKE"
            with m.Else():
                m.next = "SPILL"

    def _spill(self, m, enough):
        """The pool has no chunk any more."""
        with m.State("SPILL"):
            m.d.comb += self.out_of_memory.eq(~enough)
            with m.If(enough & ~self.overspill_size_stb & ~self.range_busy):
                m.d.comb += self.spills.eq(1)
                m.next = "OVERSPILL"
        with m.State("OVERSPILL"):
            m.d.comb += self.range_stb.eq(1)
            m.next = "ALIGN_OVERSPILL"

    def _pool(self, m, step, aligns, short, overspill):
        """Its begin moves by a step, or so far as to be aligned, and not beyond its end."""
        wanted, moved = Signal.like(step, name="wanted"), Signal.like(step, name="moved")
        m.d.comb += [
            wanted.eq(Mux(aligns, (-self._kept_address[:_PAD_BITS])[:_PAD_BITS], step)),
            short.eq(self._kept_size < wanted),
            moved.eq(Mux(short, self._kept_size, wanted)),
        ]
        with m.If(self.begin):
            m.d.sync += [self._kept_address.eq(self.all_address), self._kept_size.eq(self.all_size)]
        with m.Elif(self.spills):
            m.d.sync += [self._kept_address.eq(overspill), self._kept_size.eq(self._kept_left)]
        with m.Else():
            m.d.sync += [self._kept_address.eq(self._kept_address + moved), self._kept_size.eq(self._kept_size - moved)]

    def _overspill(self, m, enough, address):
        """The host may change both registers at any time."""
        small, pad = Signal(name="small"), Signal(_PAD_BITS, name="pad")
        low = Signal(_CHUNK_BITS)
        wrote, refused, refuses = Signal(name="wrote"), Signal(name="refused"), Signal(name="refuses")
        m.d.comb += [
            refuses.eq(refused | (self.out_of_memory & ~wrote)),
            pad.eq(-self.overspill_address[:_PAD_BITS]),
            low.eq(self._kept_left),
            # From one chunk on: with two there is always room for what is left out.
            small.eq(~self._kept_left[_CHUNK_BITS + 1 :].any() & ((low < pad) | ~self._kept_left[_CHUNK_BITS])),
        ]
        m.d.sync += [
            *(wrote.eq(self.overspill_size_stb), refused.eq(refuses & ~self.overspill_size_stb)),
            address.eq(self.overspill_address),
            enough.eq(~(small | refuses) & ~self.overspill_size_stb & ~self.spills),
        ]
        with m.If(self.overspill_size_stb):
            m.d.sync += self._kept_left.eq(self.overspill_size)
        with m.Elif(self.spills):
            m.d.sync += self._kept_left.eq(0)
