"""`Pipeline`: each stage sees each instruction once, quad after quad, at its distance."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from vc4.isa.registers import QUADS
from vc4.qpu import pipeline
from vc4.qpu.pipeline import STAGES, Issued

pytestmark = pytest.mark.thorough

#: Clocks in which an instruction is somewhere in the pipeline.
PASSAGE = len(STAGES) - 1 + QUADS


class PipelineProof(wiring.Component):
    """Instructions at the ends of slots; one of them, whichever `follow` chooses, is followed."""

    issue: In(1)
    issued: In(Issued)
    follow: In(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.pipeline = dut = pipeline.Pipeline()
        m.d.comb += [dut.issue.eq(self.issue), dut.issued.eq(self.issued), Assume(dut.slot_end | ~self.issue)]
        issues = Signal(PASSAGE)  # whether one was issued so many clocks ago and one more
        followed = Signal(PASSAGE)
        instruction = Signal(Issued)
        m.d.sync += issues.eq(Cat(self.issue, issues))
        follow = self.issue & self.follow & ~followed[:-1].any()
        m.d.sync += followed.eq(Cat(follow, followed))
        with m.If(follow):
            m.d.sync += instruction.eq(self.issued)

        phase = Signal(range(QUADS))
        m.d.sync += phase.eq(phase + 1)
        m.d.comb += [
            Assert(dut.slot_end == (phase == QUADS - 1), "a slot has not got four clocks"),
            Assert(dut.ra.quad == phase, "RA does not see the quads in order"),
            Assert(~(followed & ~issues).any(), "none is followed that was not issued"),
            # Without these two, the solver may search for hours.
            *(Assert(~was | (phase == age % QUADS), "issued within a slot") for age, was in enumerate(issues)),
            Assert((followed & (followed - 1)) == 0, "two are followed"),
        ]
        for distance, name in enumerate(STAGES):
            stage = getattr(dut, name)
            here = slice(distance, distance + QUADS)
            m.d.comb += [
                Assert(stage.live == issues[here].any(), f"{name} is live without a slot, or the other way round"),
                Assert(~followed[here].any() | (stage.issued == instruction), f"{name} sees another instruction"),
                *(Assert(~issues[here][quad] | (stage.quad == quad), f"wrong quad in {name}") for quad in range(QUADS)),
            ]
        m.d.comb += Cover(
            followed[-1] & issues[(PASSAGE - 1) % QUADS :: QUADS].all(), "one instruction follows the other"
        )
        return m


def test_stages(prover):
    prover.holds(PipelineProof(), depth=2, cover=PASSAGE + QUADS)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("self.ra.quad == QUADS - 1", "self.ra.quad == QUADS - 2", "four clocks"),
        ("with m.If(self.slot_end):", "with m.If(self.issue):", "live"),
        ("with m.If(self.issue):", "with m.If(self.slot_end & ~self.ra.live):", "sees another"),
        ("after.eq(before) for", "after.eq(held[0]) for", "ru"),
    ],
    ids=["quad", "live", "instruction", "distance"],
)
def test_faults(prover, faulty, monkeypatch, old, new, said):
    monkeypatch.setattr(pipeline, "Pipeline", faulty(pipeline.Pipeline, old, new))
    assert said in prover.refuted(PipelineProof(), depth=PASSAGE)
