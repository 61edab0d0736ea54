"""Golden cycle counts of the QPU. They change only on purpose, with the reason in the commit."""

import pytest

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
def test_a_straight_line_takes_four_clocks_an_instruction(job, simulator, kind):
    count = 400 if kind == "nop" else 100
    setup = "ldi vw_setup, 0x1a00\n"
    work = job(setup + f".rep i, {count - 4}\n{STRAIGHT[kind]}\n.endr\nthrend\nnop\nnop")
    outcome = simulator(work)
    assert outcome.ending is Ending.DONE
    assert outcome.instructions == count
    lost = {reason: clocks for reason, clocks in outcome.stalls.items() if clocks and reason != "fetch"}
    assert lost == LOST.get(kind, {})
    assert outcome.cycles == 4 * count + CONSTANT + sum(lost.values())


@pytest.mark.parametrize("latency", [12, 28])
def test_a_slower_memory_only_delays_the_first_instruction(job, simulator, latency):
    """A line of eight instructions lasts 32 clocks, so one that is asked for when the line before begins comes in time."""
    count = 100
    work = job(f".rep i, {count - 3}\nnop\n.endr\nthrend\nnop\nnop", latency=latency)
    outcome = simulator(work)
    assert outcome.cycles == 4 * count + CONSTANT + latency - 4


def lost(outcome):
    """Clocks beyond four an instruction and those of the start."""
    return outcome.cycles - 4 * outcome.instructions - CONSTANT


#: A loop of 50 rounds, of which 49 branch back.
LOOP = "ldi ra1, 50\nnop\n:l\nsub.setf ra1, ra1, 1\nnop\nbrr.allnz -, r:l\nnop\nnop\nnop"
NOT_TAKEN = "mov.setf -, 1\n.rep i, 20\nbrr.allz -, 0x100\nnop\nnop\nnop\n.endr"
SWITCHES = ".rep i, 20\nthrsw\nnop\nnop\nnop\nnop\nnop\n.endr"


@pytest.mark.parametrize(
    ("source", "clocks"),
    [
        (NOT_TAKEN, 0),
        # A branch is decided with the load of its last delay slot. Two slots later its target must be there, and memory
        # without a cache takes a slot more; with the target at hand there is no loss, see `test_sequencer.py`.
        (LOOP, 49 * 4),
        # Nobody is there to switch to.
        (SWITCHES, 0),
    ],
    ids=["not-taken", "taken", "switch-alone"],
)
def test_branches_and_switches(job, simulator, source, clocks):
    outcome = simulator(job(source + "\nthrend\nnop\nnop"))
    assert outcome.ending is Ending.DONE
    assert lost(outcome) == clocks


def test_two_threads(job, simulator):
    """52 slots for 40 switches: as with branches, the way to memory takes one more than the delay slots hide."""
    work = job(SWITCHES + "\nthrend\nnop\nnop", programs=2, threaded=True)
    outcome = simulator(work)
    assert (outcome.ending, outcome.instructions) == (Ending.DONE, 2 * 123)
    assert lost(outcome) == 52 * 4


def test_programs_one_after_the_other(job, simulator):
    """A program begins in the slot behind the empty one of its predecessor, but for the way to memory."""
    outcome = simulator(job(".rep i, 10\nnop\n.endr\nthrend\nnop\nnop", programs=4))
    assert (outcome.ending, outcome.instructions) == (Ending.DONE, 4 * 13)
    assert lost(outcome) == 3 * 24


def test_a_uniform_an_instruction(job, simulator):
    """Two words of the bus bring four uniforms; only the first one is late."""
    outcome = simulator(job("mov r0, unif\n" * 100 + "thrend\nnop\nnop"))
    assert lost(outcome) == outcome.stalls["uniforms"] == 8
