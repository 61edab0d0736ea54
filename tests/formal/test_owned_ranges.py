"""`OwnedRanges`: what is found lies in a range that was added, and what lies in one is found."""

import sys

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import data
from amaranth.lib.wiring import In

from vc4.ptb import owned_ranges
from vc4.ptb.list_structs import ADDRESS_BITS, PIECE_BITS

from .proof import Proof

pytestmark = pytest.mark.thorough

#: They leave room for one in the middle.
RANGES = 3
_TOP = 1 << 32
#: Clocks of the longest answer.
_LONGEST = 2 + 2 * RANGES
_BOUNDS = data.StructLayout({"start": 32, "stop": ADDRESS_BITS})


class RangesProof(Proof):
    """Any ranges, and any pieces that are looked for; a list beside it is the specification."""

    def __init__(self, *, unbounded: bool = True):
        self._unbounded = unbounded
        super().__init__(
            "ranges",
            {
                **{name: In(1) for name in ("clear", "add", "check", "near")},
                "address": In(ADDRESS_BITS),
                "length": In(32),
            },
        )

    def _sees(self):
        if not self._unbounded:
            return {}
        entries = {f"entry_{one}": (f"ranges.memory[{one}]", _BOUNDS) for one in range(RANGES)}
        return {"held": ("known", _BOUNDS), "size": ("count", range(RANGES + 1)), **entries}

    def elaborate(self, platform):
        m = Module()
        m.submodules.ranges = dut = owned_ranges.OwnedRanges()
        for name in ("clear", "add", "check", "near", "address", "length"):
            m.d.comb += getattr(dut, name).eq(getattr(self, name))
        last = Signal(ADDRESS_BITS + 1)
        strobes = self.clear, self.add, self.check
        m.d.comb += [
            last.eq(self.address + self.length),
            *(Assume(~one | ~dut.busy) for one in strobes),
            Assume(self.clear + self.add + self.check <= 1),
            Assume(~self.add | ~self.address[-1]),
            Assume(~self.check | ((self.length != 0) & ~self.length[PIECE_BITS + 1 :].any() & ~last[-1])),
        ]
        rows, count = self._list(m)
        again = self._answers(m, dut, rows, count)
        if self._unbounded:
            self._invariants(m, dut, rows, count, again)
        return m

    def _list(self, m):
        """The ranges, by the rule."""
        rows = [Signal(_BOUNDS, name=f"row_{one}") for one in range(RANGES)]
        count = Signal(range(RANGES + 1))
        end, stop = Signal(ADDRESS_BITS + 1), Signal(ADDRESS_BITS)
        newest, added = Signal(_BOUNDS), Signal(_BOUNDS)
        follows, full = Signal(), Signal()
        m.d.comb += [
            end.eq(self.address + self.length),
            stop.eq(Mux(end > _TOP, _TOP, end)),
            newest.eq(Array(row.as_value() for row in rows)[count - 1]),
            follows.eq((count != 0) & (newest.stop == self.address)),
            full.eq((count == RANGES) & ~follows),
            added.start.eq(Mux(follows, newest.start, self.address)),
            added.stop.eq(stop),
        ]
        with m.If(full):
            m.d.comb += [
                added.start.eq(Mux(newest.start < self.address, newest.start, self.address)),
                added.stop.eq(Mux(newest.stop > stop, newest.stop, stop)),
            ]
        with m.If(self.clear):
            m.d.sync += count.eq(0)
        with m.Elif(self.add & (self.length != 0)):
            place = Mux(follows | full, count - 1, count)
            m.d.sync += count.eq(place + 1)
            for one, row in enumerate(rows):
                with m.If(place == one):
                    m.d.sync += row.eq(added)
        m.d.comb += [
            Cover(self.add & follows & (count == 2), "the newest one becomes longer"),
            Cover(self.add & full & (newest.start < self.address), "there is no room for another one"),
        ]
        return rows, count

    def _answers(self, m, dut, rows, count):
        """What was asked for, while an answer comes, and when it has come."""
        asked, near = Signal(), Signal()
        start, stop = Signal(ADDRESS_BITS), Signal(ADDRESS_BITS + 1)
        inside = Signal(RANGES)
        known = Signal()  # what is asked for was found before
        answers, checked = Signal(), Signal()
        lasts = Signal(range(_LONGEST + 1))
        changed = self._changed(m)
        with m.If(self.check):
            m.d.sync += [
                *(asked.eq(1), near.eq(self.near), start.eq(self.address), stop.eq(self.address + self.length)),
                known.eq(dut.found & (start == self.address) & (stop == self.address + self.length) & ~changed),
            ]
        with m.Elif(~dut.busy):
            m.d.sync += asked.eq(0)
        m.d.sync += [checked.eq(self.check), lasts.eq(Mux(dut.busy, lasts + 1, 0))]
        m.d.comb += [
            answers.eq(asked & ~dut.busy),
            *(
                inside[one].eq((count > one) & (row.start <= start) & (stop <= row.stop))
                for one, row in enumerate(rows)
            ),
            Assert(~answers | ~dut.found | inside.any(), "a piece is found that is in none"),
            Assert(~checked | ~dut.covered | inside.any(), "a piece is covered that is in none"),
            Assert(~answers | dut.found | ~inside.any() | near, "a piece is not found"),
            Assert(~dut.busy | (lasts < _LONGEST), "it takes too long"),
            Assert(~answers | dut.found | ~known, "a piece is not found again"),
            Cover(answers & (inside == 0b010) & (count == RANGES), "in the middle"),
            Cover(answers & ~dut.found & (count == RANGES), "in none of all"),
            Cover(answers & near & dut.found & known, "again"),
        ]
        return (
            ~dut.found | changed | ((self.held.start <= start) & (stop <= self.held.stop)) if self._unbounded else None
        )

    def _invariants(self, m, dut, rows, count, again):
        """Between two strobes."""
        one_of = [(self.held == row) & (count > one) for one, row in enumerate(rows)]
        m.d.comb += [
            Assert(dut.busy | (self.size == count), "another number of ranges"),
            Assert(dut.busy | Cat(one_of).any() | (self.held.as_value() == 0), "the one that is known is none"),
            Assert(dut.busy | again, "another one is known"),
            *(
                Assert(dut.busy | (count <= one) | (getattr(self, f"entry_{one}") == row), "another range")
                for one, row in enumerate(rows)
            ),
            *(
                Assert((count <= one) | ((row.start < row.stop) & (row.stop <= _TOP)), "a range of nothing")
                for one, row in enumerate(rows)
            ),
        ]

    def _changed(self, m):
        """There was another strobe since the last check."""
        changed = Signal(init=1)
        with m.If(self.check):
            m.d.sync += changed.eq(0)
        with m.Elif(self.clear | self.add):
            m.d.sync += changed.eq(1)
        return changed


@pytest.fixture(autouse=True)
def few_ranges(monkeypatch):
    monkeypatch.setattr(owned_ranges, "RANGES", RANGES)


def test_ranges(prover):
    prover.holds(RangesProof(), depth=_LONGEST + 3, cover=24)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("above.eq(asked.start >= known.start)", "above.eq(1)", "is in none"),
        ("below.eq(asked.stop <= known.stop)", "below.eq(asked.start <= known.stop)", "is in none"),
        ("m.d.sync += known.eq(0)", "m.d.sync += known.eq(known)", "is in none"),
        ("m.d.sync += count.eq(0)", "m.d.sync += count.eq(count)", "another"),
        ("(at != count)", "(at <= count)", "is in none"),
        ("(at != count)", "(at != 0)", "is not found"),
        ("(count != 0) & follows", "follows", "is in none"),
        ("Mux(self.add, count - 1, 0)", "0", "another"),
        ("1 << ADDRESS_BITS - 1", "(1 << ADDRESS_BITS) - 1", "is in none"),
        ("Mux(full & below, known.stop, asked.stop)", "asked.stop", "another"),
        (
            "Mux(longer | (full & above), known.start, asked.start)",
            "Mux(longer, known.start, asked.start)",
            "another",
        ),
        (
            "m.d.sync += self.found.eq(self.covered)",
            "m.d.sync += self.found.eq(self.found | self.covered)",
            "is in none",
        ),
        ("self.covered.eq(above & below)", "self.covered.eq(above)", "is covered that is in none"),
    ],
    ids=[
        *("start", "stop", "known", "clear", "behind", "others"),
        *("first", "newest", "top", "joined end", "joined start", "stays", "covered"),
    ],
)
def test_faults(prover, faulty, monkeypatch, old, new, said):
    # The invariants show at once what ports show after many ranges.
    for module in owned_ranges, sys.modules[__name__]:
        monkeypatch.setattr(module, "RANGES", 2)
    monkeypatch.setattr(owned_ranges, "OwnedRanges", faulty(owned_ranges.OwnedRanges, old, new))
    assert said in prover.refuted(RangesProof(unbounded=said == "another"), depth=17)
