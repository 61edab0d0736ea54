"""What a cache knows of the lines that it holds."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .compare import equal
from .ram import BlockRam, LutRam

__all__ = ["CacheLookup", "CacheTags"]


class CacheLookup(wiring.Signature):
    """One lookup a clock, seen from the one who asks.

    Parameters
    ----------
    sets, ways, tag_bits : of the cache

    Interface attributes
    --------------------
    enable, set : a lookup begins, and the set it is for
    tag : of the line that is looked for, in the clock of the answer
    hit, way : whether the cache holds it, and where
    victim : the way of the set that the next line takes
    """

    def __init__(self, sets: int, ways: int, tag_bits: int):
        super().__init__(
            {
                "enable": Out(1),
                "set": Out(range(sets)),
                "tag": Out(tag_bits),
                "hit": In(1),
                "way": In(range(ways)),
                "victim": In(range(ways)),
            }
        )


class CacheTags(wiring.Component):
    """The tags of a set-associative cache, with replacement in turn (first in, first out) and a clear.

    Behaviour: every port answers a lookup a clock, in the clock in which it begins, or if `registered` in the next one,
    and then keeps the answer until another one begins; a clear takes it back. A write shows in the lookups that begin in
    later clocks. Each write to a way makes the way after it the victim of its set.

    A clear, and a reset, take `sets` + 1 clocks, in which no lookup hits and writes are dropped. So what was there before
    is found by no lookup that is answered after the clock of `clear`.

    Parameters
    ----------
    sets, ways : powers of two, at least 2
    tag_bits : width of a tag
    ports : number of lookups in a clock
    registered : in block RAM; a lookup must not begin in the clock of a write to its set. Otherwise in LUT RAM

    Interface attributes
    --------------------
    lookups : the ports
    write_enable, write_set, write_way, write_valid, write_tag : a way gets another line, or none
    clear : everything is to be forgotten
    clearing : it takes its time
    """

    def __init__(self, sets: int, ways: int, tag_bits: int, *, ports: int = 1, registered: bool = False):
        for name, value in (("sets", sets), ("ways", ways)):
            if value < 2 or value & (value - 1):
                raise ValueError(f"{name} must be a power of two and at least 2, not {value!r}")
        self._sets = sets
        self._ways = ways
        self._registered = registered
        self._entry = data.StructLayout({"valid": 1, "tag": tag_bits})
        super().__init__(
            {
                "lookups": In(CacheLookup(sets, ways, tag_bits)).array(ports),
                "write_enable": In(1),
                "write_set": In(range(sets)),
                "write_way": In(range(ways)),
                "write_valid": In(1),
                "write_tag": In(tag_bits),
                "clear": In(1),
                "clearing": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # Not reset but restarted by a reset. At power-up the memories are empty.
        left = Signal(range(self._sets + 2), reset_less=True)
        sweeps = Signal()  # a set is cleared in this clock
        m.d.comb += [self.clearing.eq(left != 0), sweeps.eq(left > 1)]
        with m.If(self.clear | ResetSignal("sync", allow_reset_less=True)):
            m.d.sync += left.eq(self._sets + 1)
        with m.Elif(self.clearing):
            m.d.sync += left.eq(left - 1)

        written = Signal(self._entry)
        write_set = Signal(range(self._sets))
        writes = self.write_enable & ~self.clearing
        m.d.comb += [
            write_set.eq(Mux(self.clearing, (left - 2)[: len(write_set)], self.write_set)),
            written.valid.eq(self.write_valid & ~self.clearing),
            written.tag.eq(self.write_tag),
        ]
        for number, port in enumerate(self.lookups):
            read = port.enable & ~sweeps
            entries = []
            for way in range(self._ways):
                memory = self._memory(m, f"way_{way}_{number}", self._entry.size, port.set, read)
                entries.append(data.View(self._entry, memory.read_data))
                m.d.comb += [
                    memory.write_address.eq(write_set),
                    memory.write_data.eq(written),
                    memory.write_enable.eq(sweeps | (writes & (self.write_way == way))),
                ]
            # A sweep leaves the victims as they are, so that a lookup meanwhile still has one.
            victims = self._memory(m, f"victims_{number}", len(self.write_way), port.set, port.enable)
            m.d.comb += [
                victims.write_address.eq(self.write_set),
                victims.write_data.eq(self.write_way + 1),
                victims.write_enable.eq(writes),
                port.victim.eq(victims.read_data),
            ]
            answers = Signal(name=f"answers_{number}")
            m.d["sync" if self._registered else "comb"] += answers.eq(read)
            self._compare(m, number, port, entries, answers)
        return m

    def _memory(self, m, name, width, address, read):
        """A memory with a word for each set, and its read port connected."""
        if self._registered:
            memory = BlockRam(width, self._sets, exclusive=True)
            m.d.comb += memory.read_enable.eq(read)
        else:
            memory = LutRam(width, self._sets)
        m.submodules[name] = memory
        m.d.comb += memory.read_address.eq(address)
        return memory

    def _compare(self, m, number, port, entries, answers):
        """Whether one of the entries is the line that the port looks for; one at the most if the port `answers`."""
        match = Signal(self._ways, name=f"match_{number}")
        for way, entry in enumerate(entries):
            m.d.comb += match[way].eq(entry.valid & equal(m, entry.tag, port.tag, f"same_{way}_{number}"))
        for way in range(self._ways):
            with m.If(match[way]):
                m.d.comb += port.way.eq(way)
        forgotten = self.clearing
        if self._registered:
            # The answer may be kept for longer than a clear takes, and lookups meanwhile read nothing.
            forgotten = Signal(init=1, name=f"forgotten_{number}")
            with m.If(self.clear | self.clearing):
                m.d.sync += forgotten.eq(1)
            with m.Elif(port.enable):
                m.d.sync += forgotten.eq(0)
        m.d.comb += port.hit.eq(match.any() & ~forgotten)
        m.d.sync += Assert(~answers | ((match & (match - 1)) == 0), "a line is in two ways")
