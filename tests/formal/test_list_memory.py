"""`ListMemory`: what it gives out was given for lists, and is given out once."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import data
from amaranth.lib.wiring import In

from vc4.ptb import list_memory
from vc4.ptb.list_memory import USED_BITS

from .proof import Proof

pytestmark = pytest.mark.thorough

_UNIT_BITS = 5
_CHUNK = 4096
#: Of addresses and sizes, where nothing but the ports is seen.
_SMALL_BITS = 14
_CHUNK_LAYOUT = data.StructLayout({"address": 32 - _UNIT_BITS, "left": 8})


class MemoryProof(Proof):
    """Any frames, somebody who takes what he likes, and a host that writes its registers when it likes; one byte is followed.

    A byte that is given twice, as in overspill that lies in the memory of the configuration, is not followed. After the
    last address comes the first one.
    """

    def __init__(self, *, unbounded: bool = True):
        self._unbounded = unbounded
        super().__init__(
            "memory",
            {
                "release": In(1),
                "begin": In(1),
                "all_address": In(32),
                "all_size": In(32),
                "used": In(USED_BITS),
                "take": In(1),
                "vertices": In(1),
                "units": In(4),
                "overspill_address": In(32),
                "overspill_size": In(32),
                "stb": In(1),
                "range_busy": In(1),
                "followed": In(32),
            },
        )

    def _sees(self):
        if not self._unbounded:
            return {}
        return {name: (name, _CHUNK_LAYOUT) for name in ("block_chunk", "vertex_chunk")} | {
            "size": ("size", 4),
            "refused": ("refused", 1),
        }

    def _lies_in(self, address, size, first=0):
        """The byte that is followed does, but not before the `first` one."""
        offset = Signal(32)
        self._m.d.comb += offset.eq(self.followed - address)
        return (offset < size) & (offset >= first)

    def elaborate(self, platform):
        self._m = m = Module()
        m.submodules.memory = dut = list_memory.ListMemory()
        begins, spilt = Signal(), Signal()  # in the clock before
        asked = Signal()
        units = Signal(4)  # of what is taken
        delivers = Signal()
        m.d.comb += [
            *(getattr(dut, name).eq(getattr(self, name)) for name in ("release", "begin", "range_busy", "used")),
            *(dut.all_address.eq(self.all_address), dut.all_size.eq(self.all_size)),
            *(dut.port.take.eq(self.take), dut.port.vertices.eq(self.vertices), dut.port.size.eq(self.units << 5)),
            *(dut.overspill_address.eq(self.overspill_address), dut.overspill_size.eq(self.overspill_size)),
            dut.overspill_size_stb.eq(self.stb),
            delivers.eq(asked & ~dut.port.busy),
        ]
        m.d.sync += [
            *(begins.eq(self.begin), spilt.eq(dut.spills)),
            asked.eq(self.take | (asked & dut.port.busy)),
        ]
        with m.If(~dut.port.busy):
            m.d.sync += units.eq(self.units)
        self._environment(m, dut, begins, asked)
        over = self._host(m, dut, spilt)
        self._ranges(m, dut, begins, spilt, over)
        free = self._follow(m, dut, begins, delivers, units, over)
        if self._unbounded:
            self._invariants(m, dut, begins, spilt, asked, delivers, units, free)
        return m

    def _environment(self, m, dut, begins, asked):
        """Strobes only while it is not busy; a frame begins when all of the one before is released."""
        begun, clean = Signal(), Signal(init=1)  # there is nothing but the pool
        followed, used = Signal.like(self.followed), Signal.like(self.used)
        m.d.sync += [
            *(begun.eq(1), followed.eq(self.followed), used.eq(self.used)),
            clean.eq(~self.take & (self.release | clean)),
        ]
        m.d.comb += [
            Assume(~begun | (self.followed == followed)),
            Assume(~begins | (self.used == used)),
            Assume(~dut.port.busy | ~(self.release | self.begin | self.take)),
            Assume(~self.begin | (~self.take & (clean | self.release))),
        ]
        if not self._unbounded:
            words = self.all_address, self.all_size, self.overspill_address, self.overspill_size, self.followed
            m.d.comb += [Assume(~word[_SMALL_BITS:].any()) for word in words]
        else:
            left = self.block_chunk.left | self.vertex_chunk.left
            m.d.comb += Assert(~clean | ((left == 0) & ~asked), "something is left that was released")

    def _host(self, m, dut, spilt):
        """What the host has given: address and size in the clock before."""
        over = Signal(data.StructLayout({"address": 32, "size": 32}))
        size = Signal(32)
        wrote = Signal()
        small = Signal()
        m.d.sync += [over.address.eq(self.overspill_address), over.size.eq(size), wrote.eq(self.stb)]
        with m.If(self.stb):
            m.d.sync += size.eq(self.overspill_size)
        with m.Elif(dut.spills):
            m.d.sync += size.eq(0)
        first, last = Signal(34), Signal(34)
        self._refused = Signal()
        m.d.sync += self._refused.eq(~self.stb & (self._refused | (dut.out_of_memory & ~wrote)))
        m.d.comb += [
            first.eq((((over.address + 255) >> 8) << 8) + _CHUNK),
            last.eq(over.address + over.size),
            small.eq(last < first),
            Assert(dut.overspill_left == size, "the host reads another size"),
            Assert(~dut.spills | ~small, "overspill is used that is too small"),
            Assert(~dut.spills | ~(self.stb | wrote | self.range_busy), "overspill is used that changes"),
            Assert(~dut.spills | ~self._refused, "overspill is used that was refused"),
            Assert(~dut.out_of_memory | small | wrote | spilt | self._refused, "it waits for overspill that is there"),
            Cover(dut.spills & ~small & (over.address[:8] != 0), "overspill that is not aligned"),
        ]
        return over

    def _ranges(self, m, dut, begins, spilt, over):
        """What is given is a range in the next clock."""
        told = Signal(over.shape())
        with m.If(self.begin):
            m.d.sync += [told.address.eq(self.all_address), told.size.eq(self.all_size)]
        with m.Elif(dut.spills):
            m.d.sync += told.eq(over)
        m.d.comb += [
            Assert(dut.range_stb == (begins | spilt), "a range of nothing that was given, or none of what was"),
            Assert(
                ~dut.range_stb | ((dut.pool_address == told.address) & (dut.pool_size == told.size)),
                "a range of something else",
            ),
        ]

    def _follow(self, m, dut, begins, delivers, units, over):
        """The byte that is followed: given, free, taken."""
        given, free, spilt = Signal(), Signal(), Signal()
        in_over, in_all, taken = Signal(), Signal(), Signal()
        m.d.comb += [
            in_over.eq(dut.spills & self._lies_in(over.address, over.size)),
            in_all.eq(self._lies_in(self.all_address, self.all_size)),
            taken.eq(delivers & self._lies_in(dut.port.taken, units << _UNIT_BITS)),
            Assume(~in_over | ~given),
        ]
        with m.If(self.begin):
            m.d.sync += [
                *(given.eq(in_all), spilt.eq(0)),
                free.eq(self._lies_in(self.all_address, self.all_size, self.used)),
            ]
        with m.Else():
            m.d.sync += [*(given.eq(given | in_over), free.eq((free & ~taken) | in_over), spilt.eq(spilt | in_over))]
        m.d.comb += [
            Assert(~taken | given, "a byte is taken that nobody has given"),
            Assert(~taken | free, "a byte is taken twice, or one of the first blocks"),
            Assert(~delivers | ~dut.port.taken[:_UNIT_BITS].any(), "not a multiple of the smallest block"),
            Cover(taken & spilt & (units == 8), "a block in overspill"),
            Cover(taken & ~spilt & (dut.port.taken[8:] == 0) & (self.used != 0), "at the first address"),
            Cover(delivers & given & ~free & ~taken & (units == 15), "another one, after"),
            Cover(dut.failed, "the first blocks do not fit"),
        ]
        m.d.comb += Assert(~dut.failed | ~delivers, "something is taken after a failure")
        self._taken, self._given = taken, given
        return free

    def _invariants(self, m, dut, begins, spilt, asked, delivers, units, free):
        """The byte is in one place at most, and is free there."""
        places = Signal(4)
        aligns = Signal()
        unit = self.followed[_UNIT_BITS:]
        m.d.sync += aligns.eq(begins | spilt)
        chunks = [((unit - chunk.address)[: len(unit)] < chunk.left) for chunk in (self.block_chunk, self.vertex_chunk)]
        pool = self._lies_in(dut.pool_address, dut.pool_size, Mux(begins, self.used, 0))
        m.d.comb += [
            places.eq(Cat(pool, *chunks, self._taken)),
            Assert(~places.any() | (free & self._given), "it is not free"),
            Assert((places & (places - 1)[:4]) == 0, "it is in two places"),
            Assert(
                dut.port.busy == ((asked & ~delivers) | begins | (aligns & ~asked) | dut.failed), "busy with nothing"
            ),
            Assert(
                begins | spilt | aligns | ~dut.pool_size[12:].any() | ~dut.pool_address[:8].any(),
                "a pool that is not aligned",
            ),
            Assert((self.size == units), "another size"),
            Assert(self.refused == self._refused, "something else was refused"),
        ]


def test_memory(prover):
    prover.holds(MemoryProof(), depth=6, cover=20)


def test_bounded(prover):
    prover.holds(MemoryProof(unbounded=False), depth=12, unbounded=False, cover=20)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("one.address.eq(chosen.address + size)", "one.address.eq(chosen.address)", "taken twice"),
        ("chosen.left >= size", "chosen.left + 1 >= size", "a byte is taken"),
        ("step.eq(self.used)", "step.eq(0)", "one of the first blocks"),
        ("self._kept_address.eq(self._kept_address + moved)", "self._kept_address.eq(self._kept_address)", "taken"),
        ("self._kept_left.eq(0)", "self._kept_left.eq(self._kept_left)", "another size"),
        ("self._kept_address.eq(overspill)", "self._kept_address.eq(self.overspill_address)", "something else"),
        ("(low < pad) | ", "", "too small"),
        ("(small | refuses)", "small", "that was refused"),
        ("enough & ~self.overspill_size_stb &", "enough &", "that changes"),
        ("self.range_stb.eq(1), step.eq(self.used)", "step.eq(self.used)", "none of what was"),
    ],
    ids=["same", "longer", "used", "stays", "again", "address", "small", "refused", "changes", "range"],
)
def test_faults(prover, faulty, monkeypatch, old, new, said):
    monkeypatch.setattr(list_memory, "ListMemory", faulty(list_memory.ListMemory, old, new))
    assert said in prover.refuted(MemoryProof(unbounded=False), depth=12)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("one.left.eq(chosen.left - size)", "one.left.eq(chosen.left)", "places"),
        ("one.left.eq(0) for", "one.left.eq(one.left) for", "that was released"),
        ("self._kept_size[_CHUNK_BITS:].any()", "self._kept_size[_CHUNK_BITS - 1 :].any()", "not free"),
        ("one.left.eq(1 << _CHUNK_BITS - _UNIT_BITS)", "one.left.eq(~0)", "places"),
    ],
    ids=["endless", "released", "pool", "chunk"],
)
def test_faults_behind_many_blocks(prover, faulty, monkeypatch, old, new, said):
    """Which the ports show only after more of them; the invariants do at once."""
    monkeypatch.setattr(list_memory, "ListMemory", faulty(list_memory.ListMemory, old, new))
    assert said in prover.refuted(MemoryProof(), depth=12)
