"""Golden cycle counts of the QPU. They change only on purpose, with the reason in the commit."""

import pytest

from vc4.isa.registers import QUADS
from vc4sim.backends.base import Ending
from vc4sim.bench.driver import setup_writes

#: Clocks from the slot in which the host starts a program of N instructions without hazards to its end, less 4 N, with a
#: memory that answers after 4 clocks: nine slots pass until the first word is there, through instruction cache and L2 cache.
#: After the last instruction comes an empty slot, which is through the pipeline 8 clocks later; the bench sees it in the next.
START = 50
#: Clocks of a write through AXI4-Lite.
ACCESS = 3
#: Writes with which the host asks for a program.
PER_PROGRAM = 3
#: Between two programs of a QPU there are two slots: the empty one after the first, and one for the first word of the second.
BETWEEN = 8
#: The first uniform comes a slot after the first instruction.
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


def start(work):
    """Clocks that do not depend on the program, with those in which the host writes registers until it starts the first one."""
    asks = 0 if work.launches[0].threaded else PER_PROGRAM
    return ACCESS * (len(setup_writes(work.reserved)) + asks) // QUADS * QUADS + START


def lost(work, outcome):
    """Clocks beyond four an instruction and those of the start."""
    return outcome.cycles - 4 * outcome.instructions - start(work)


@pytest.mark.parametrize("kind", STRAIGHT)
def test_a_straight_line_takes_four_clocks_an_instruction(job, simulator, kind):
    count = 400 if kind == "nop" else 100
    setup = "ldi vw_setup, 0x1a00\n"
    work = job(setup + f".rep i, {count - 4}\n{STRAIGHT[kind]}\n.endr\nthrend\nnop\nnop")
    outcome = simulator(work)
    assert outcome.ending is Ending.DONE
    assert outcome.instructions == count
    stalls = {reason: clocks for reason, clocks in outcome.stalls.items() if clocks and reason != "fetch"}
    assert stalls == LOST.get(kind, {})
    assert lost(work, outcome) == sum(stalls.values())


@pytest.mark.parametrize(("latency", "clocks"), [(1, 0), (8, 4), (12, 8), (20, 16), (28, 24)])
def test_a_slower_memory(job, simulator, latency, clocks):
    """Only the first line waits for memory: the next two, 64 clocks of instructions, are fetched meanwhile."""
    work = job(".rep i, 97\nnop\n.endr\nthrend\nnop\nnop", latency=latency)
    assert lost(work, simulator(work)) == clocks


#: Instructions that read vectors. The first read waits until its vector is there, which is set up two instructions before.
VECTORS = {
    "a read in every instruction": "add r0, vpm, r1",
    "a read on both ports": "mov r0, vpm; v8min r1, vpm, vpm",
    "a narrow read": "mov r0, vpm",
    "a read and a write in every instruction": "mov vpm, vpm; fmul r1, r1, r2",
}
FIRST_VECTOR = 12


@pytest.mark.parametrize("blocks", [2, 12])
@pytest.mark.parametrize("kind", VECTORS)
def test_vectors_take_four_clocks(job, simulator, kind, blocks):
    """Two set-ups wait; after the last read of the first one there is room for the third."""
    setup = f"ldi vr_setup, {0x1C00 if 'narrow' in kind else 0x1A00:#x}\n"
    reads = f".rep i, 16\n{VECTORS[kind]}\n.endr\n"
    source = "ldi vw_setup, 0xa20\n" + 2 * setup + (blocks - 2) * (reads + setup) + 2 * reads
    work = job(source + "thrend\nnop\nnop")
    outcome = simulator(work)
    assert (outcome.ending, outcome.instructions) == (Ending.DONE, 1 + 17 * blocks + 3)
    stalls = {reason: clocks for reason, clocks in outcome.stalls.items() if clocks and reason != "fetch"}
    assert stalls == {"vpm_read": FIRST_VECTOR}
    assert lost(work, outcome) == FIRST_VECTOR


#: A loop of 50 rounds, of which 49 branch back.
LOOP = "ldi ra1, 50\nnop\n:l\nsub.setf ra1, ra1, 1\nnop\nbrr.allnz -, r:l\nnop\nnop\nnop"
NOT_TAKEN = "mov.setf -, 1\n.rep i, 20\nbrr.allz -, 0x100\nnop\nnop\nnop\n.endr"
SWITCHES = ".rep i, 20\nthrsw\nnop\nnop\nnop\nnop\nnop\n.endr"


@pytest.mark.parametrize("source", [NOT_TAKEN, LOOP, SWITCHES], ids=["not-taken", "taken", "switch-alone"])
def test_branches_and_switches_cost_their_delay_slots(job, simulator, source):
    work = job(source + "\nthrend\nnop\nnop")
    outcome = simulator(work)
    assert outcome.ending is Ending.DONE
    assert lost(work, outcome) == 0


def test_two_threads(job, simulator):
    """The forty switches cost nothing: the clocks are those of two threaded programs without any."""
    for source in (SWITCHES, "nop\n" * 120):
        work = job(source + "\nthrend\nnop\nnop", programs=2, threaded=True)
        outcome = simulator(work)
        assert (outcome.ending, outcome.instructions) == (Ending.DONE, 2 * 123)
        assert lost(work, outcome) == BETWEEN


def test_programs_one_after_the_other(job, simulator):
    work = job(".rep i, 10\nnop\n.endr\nthrend\nnop\nnop", programs=4)
    outcome = simulator(work)
    assert (outcome.ending, outcome.instructions) == (Ending.DONE, 4 * 13)
    assert lost(work, outcome) == 3 * BETWEEN


@pytest.mark.parametrize("before", [0, 1, 4])
def test_a_uniform_an_instruction(job, simulator, before):
    """Only the first one is late, if the program wants it early."""
    work = job("nop\n" * before + "mov r0, unif\n" * 100 + "thrend\nnop\nnop")
    outcome = simulator(work)
    assert lost(work, outcome) == outcome.stalls["uniforms"] == max(0, 8 - 4 * before)


@pytest.mark.parametrize(
    ("source", "reason", "clocks"),
    [
        ("mov recip, r0\nnop\nfadd r1, r4, r4", "sfu", 0),
        # A write waits until the unit has begun with the one before: three slots from one to the next.
        ("mov recip, r0\nnop", "sfu", 4),
        ("mov recip, r0", "sfu", 8),
        # What is shared is asked for in one slot, and given in the next.
        ("srel -, 1\nsacq -, 1", "semaphore", 8),
        # Freed in IO, 8 clocks after RA.
        ("read mutex\nnop\nmov mutex, r0\nnop\nnop", "mutex", 4),
    ],
    ids=["sfu-third", "sfu-second", "sfu-every", "semaphore", "mutex"],
)
def test_what_qpus_share(job, simulator, source, reason, clocks):
    """Clocks that each of twenty rounds loses, but for the first one."""
    work = job(f"{source}\n" * 20 + "thrend\nnop\nnop")
    outcome = simulator(work)
    assert lost(work, outcome) == outcome.stalls[reason]
    assert 19 * clocks <= outcome.stalls[reason] <= 20 * clocks
