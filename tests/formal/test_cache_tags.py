"""`CacheTags`: a line is found where it was entered, until it is replaced or everything is forgotten."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import data
from amaranth.lib.wiring import In

from vc4.common import cache_tags

from .proof import Proof

pytestmark = pytest.mark.thorough

SETS, WAYS, TAG_BITS = 2, 2, 2
_ENTRY = data.StructLayout({"valid": 1, "tag": TAG_BITS})


class TagsProof(Proof):
    """Any writes and clears, and lookups in any set of one tag, whichever `tag` chooses; a shadow knows where its lines are."""

    def __init__(self, registered: bool):
        self._registered = registered
        super().__init__(
            "tags",
            {
                **{name: In(1) for name in ("enable", "write_enable", "write_valid", "clear")},
                **{name: In(range(SETS)) for name in ("set", "write_set")},
                **{name: In(TAG_BITS) for name in ("tag", "write_tag")},
                "write_way": In(range(WAYS)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.tags = dut = cache_tags.CacheTags(SETS, WAYS, TAG_BITS, registered=self._registered)
        (lookup,) = dut.lookups
        names = ("write_enable", "write_set", "write_way", "write_valid", "write_tag", "clear")
        m.d.comb += [
            *(getattr(dut, name).eq(getattr(self, name)) for name in names),
            *(getattr(lookup, name).eq(getattr(self, name)) for name in ("enable", "set", "tag")),
        ]
        begun = Signal()
        before = Signal.like(self.tag)
        m.d.sync += [begun.eq(1), before.eq(self.tag)]
        m.d.comb += Assume(~begun | (self.tag == before))
        there = Array(Signal(name=f"there_{one}") for one in range(SETS))
        ways = Array(Signal(range(WAYS), name=f"way_{one}") for one in range(SETS))
        victims = Array(Signal(range(WAYS), name=f"victim_{one}") for one in range(SETS))
        for one in range(SETS):
            same = self.write_enable & (self.write_set == one)
            entered = same & self.write_valid & (self.write_tag == self.tag)
            with m.If(self.clear | dut.clearing):
                m.d.sync += there[one].eq(0)
            with m.Elif(entered):
                m.d.sync += [there[one].eq(1), ways[one].eq(self.write_way)]
            with m.Elif(same & (self.write_way == ways[one])):
                m.d.sync += there[one].eq(0)
            with m.If(same & ~dut.clearing):
                m.d.sync += victims[one].eq(self.write_way + 1)
            # A line is never entered while another way has it.
            m.d.comb += Assume(~(entered & there[one] & (self.write_way != ways[one])))

        answers, expected = self.enable, there[self.set] & ~dut.clearing
        way, victim = ways[self.set], victims[self.set]
        if self._registered:
            answers, expected, way, victim = self._keep(m, dut, expected, way, victim)
        m.d.comb += [
            Assert(~answers | (lookup.hit == expected), "a line is found that is not there, or the other way round"),
            Assert(~(answers & expected) | (lookup.way == way), "it is found in another way"),
            Assert(~answers | (lookup.victim == victim), "another way is the victim"),
            Cover(answers & lookup.hit & (lookup.way == 1), "a line is found"),
            Cover(answers & ~lookup.hit & begun & ~dut.clearing, "it is not"),
        ]
        self._invariants(m, dut, there, ways, victims, expected, way)
        return m

    def _keep(self, m, dut, expected, way, victim):
        """The answer to the last lookup; a clear takes it back."""
        answers, kept, kept_way, kept_victim = Signal(), Signal(), Signal(range(WAYS)), Signal(range(WAYS))
        m.d.comb += Assume(~(self.enable & self.write_enable & (self.write_set == self.set)))
        with m.If(self.enable):
            m.d.sync += [answers.eq(1), kept_way.eq(way), kept_victim.eq(victim)]
        with m.If(self.clear | dut.clearing):
            m.d.sync += kept.eq(0)
        with m.Elif(self.enable):
            m.d.sync += kept.eq(expected)
        waited = Signal()
        m.d.sync += waited.eq(answers & ~self.enable & kept)
        m.d.comb += Cover(waited & dut.lookups[0].hit, "an answer is kept")
        return answers, kept, kept_way, kept_victim


class UnboundedTagsProof(TagsProof):
    """With the invariants that make it unbounded: each entry, and what a lookup has read, is what the shadow says."""

    def _sees(self):
        pairs = [(way, one) for way in range(WAYS) for one in range(SETS)]
        entries = {f"entry_{way}_{one}": (f"way_{way}_0.memory[{one}]", _ENTRY) for way, one in pairs}
        victims = {f"victim_{one}": (f"victims_0.memory[{one}]", range(WAYS)) for one in range(SETS)}
        read = {f"read_{way}": (f"way_{way}_0.read_data", _ENTRY) for way in range(WAYS)} if self._registered else {}
        return {"left": ("left", range(SETS + 2)), **entries, **victims, **read}

    def _invariants(self, m, dut, there, ways, victims, expected, way):
        m.d.comb += Assert(self.left <= SETS + 1, "left")
        for one in range(SETS):
            m.d.comb += [
                Assert(~there[one] | ~dut.clearing, "there"),
                Assert(getattr(self, f"victim_{one}") == victims[one], "victim"),
            ]
            for number in range(WAYS):
                entry = getattr(self, f"entry_{number}_{one}")
                m.d.comb += [
                    Assert(dut.clearing | (self._found(entry) == (there[one] & (ways[one] == number))), "entry"),
                    Assert(~dut.clearing | (one + 1 < self.left) | ~entry.valid, "swept"),
                ]
        if self._registered:
            for number in range(WAYS):
                entry = getattr(self, f"read_{number}")
                m.d.comb += Assert(~expected | (self._found(entry) == (way == number)), "what has been read")

    def _found(self, entry):
        return entry.valid & (entry.tag == self.tag)


@pytest.mark.parametrize("registered", [True, False])
def test_lookups(prover, registered):
    prover.holds(UnboundedTagsProof(registered), depth=2, cover=6)


@pytest.mark.parametrize("registered", [False, True])
def test_bounded(prover, registered):
    prover.holds(TagsProof(registered), depth=9, unbounded=False)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("left.eq(self._sets + 1)", "left.eq(self._sets)", "found that is not there"),
        ("entry.valid & equal(", "equal(", "found that is not there"),
        ("port.way.eq(way)", "port.way.eq(way & 0)", "another way"),
        ("sweeps | (writes &", "(writes &", "found that is not there"),
        ("self.clear | self.clearing", "self.clear", "found that is not there"),
        ("self.write_way + 1", "self.write_way", "another way is the victim"),
    ],
    ids=["sweep", "valid", "way", "write", "forgotten", "victim"],
)
def test_faults(prover, faulty, monkeypatch, old, new, said):
    monkeypatch.setattr(cache_tags, "CacheTags", faulty(cache_tags.CacheTags, old, new))
    assert said in prover.refuted(TagsProof(registered=True), depth=9)
