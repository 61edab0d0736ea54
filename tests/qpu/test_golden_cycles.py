"""Golden cycle counts of the QPU. They change only on purpose, with the reason in the commit."""

import pytest

from vc4sim.backends import pysim
from vc4sim.backends.base import Ending

#: Clocks from reset until a program of N instructions without hazards has ended, less 4 N, with a memory that answers after
#: 4 clocks. Three slots pass until the first word is there, and the first instruction enters the pipeline at the end of the
#: fourth. Behind the last one comes an empty slot, which is through the pipeline 8 clocks later; the bench sees it in the next.
CONSTANT = 25
#: The first uniform is asked for behind the first instructions and comes a slot too late.
LOST = {"uniforms": {"uniforms": 4}}

STRAIGHT = {
    "nop": "nop",
    "both ALUs": "fadd r0, r1, ra1; fmul r2, r3, rb2",
    "uniforms": "add ra1, unif, r0; v8min rb1, r1, r1",
    "register files": "add ra3, ra4, rb5; mul24 rb3, ra4, rb5",
    "VPM writes": "mov vpm, r0; fmul r1, r1, r2",
    "flags and conditions": "add.setf.ifz r0, r0, r1; v8max.ifnz r1, r2, r3",
    "small immediates": "add r0, r0, 5; v8adds r1, r1, 5",
}


@pytest.mark.parametrize("kind", STRAIGHT)
def test_a_straight_line_takes_four_clocks_an_instruction(job, kind):
    count = 400 if kind == "nop" else 100
    setup = "ldi vw_setup, 0x1a00\n"
    work = job(setup + f".rep i, {count - 4}\n{STRAIGHT[kind]}\n.endr\nthrend\nnop\nnop")
    outcome = pysim.run(work)
    assert outcome.ending is Ending.DONE
    assert outcome.instructions == count
    lost = {reason: clocks for reason, clocks in outcome.stalls.items() if clocks and reason != "fetch"}
    assert lost == LOST.get(kind, {})
    assert outcome.cycles == 4 * count + CONSTANT + sum(lost.values())


@pytest.mark.parametrize("latency", [12, 28])
def test_a_slower_memory_only_delays_the_first_instruction(job, latency):
    """A line of eight instructions lasts 32 clocks, so one that is asked for when the line before begins comes in time."""
    count = 100
    work = job(f".rep i, {count - 3}\nnop\n.endr\nthrend\nnop\nnop", latency=latency)
    outcome = pysim.run(work)
    assert outcome.cycles == 4 * count + CONSTANT + latency - 4
