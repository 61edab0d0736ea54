"""What the GPU does not have is a wait with a name, in the RTL and in the model, never a wrong answer."""

import dataclasses

import pytest

from vc4.qpu.stall import UNBUILT
from vc4sim.backends.base import Ending
from vc4sim.lockstep import Lockstep
from vc4sim.model.unbuilt import lacking

NEEDS = {
    "varyings": ["mov r0, vary"],
    "fragment": ["mov r0, ms_mask", "mov rev_flag, r0"],
    "tmu": ["mov t0s, r0", "mov.ifz t1b, r0", "nop; ldtmu0", "nop; ldtmu1", "mov tmu_noswap, r0"],
    "tile_buffer": ["mov tlbc, r0", "nop; loadc", "nop; loadcv", "nop; loadam", "nop; ldcend", "nop; mov stencil, r0"],
}


def test_every_unbuilt_service_is_here():
    assert set(NEEDS) == set(UNBUILT)


@pytest.mark.parametrize("unit", NEEDS)
def test_a_program_waits_for_it_in_rtl_and_model(job, simulator, unit):
    """One run a service: each program has instructions before, which must be done, and one after, which must not."""
    for statement in NEEDS[unit][:1]:
        work = job(f"ldi r0, 1\nldi r1, 2\n{statement}\nldi r2, 3\nthrend\nnop\nnop")
        outcome = Lockstep(work).run(simulator)
        assert outcome.ending is Ending.STUCK
        assert outcome.why == f"QPU 0 at 0x00010010 {lacking([unit])}"
        assert outcome.stalls[unit] > 0


def test_who_lacks_it_is_said():
    assert lacking(["tmu"]) == "waits for tmu, which this configuration does not have"
    assert lacking(["varyings"]).endswith("only fragment shaders have that (vc4 render)")


def test_decoder_and_model_agree_on_what_every_statement_needs(job):
    """All statements of the table at once: the model stops at each, by its name."""
    from vc4sim.model.memory import Memory
    from vc4sim.model.unbuilt import Unbuilt
    from vc4sim.model.v3d import V3D

    for unit, statements in NEEDS.items():
        for statement in statements:
            work = job(statement)
            model = V3D(work.config, Memory(len(work.image), work.base, work.image))
            with pytest.raises(Unbuilt, match=f"waits for {unit}\\b"):
                list(model.run(work.launches))


def test_a_suppressed_write_needs_nothing(lockstep):
    run = lockstep("mov.never t0s, r0\nmov.never tlbc, r0\nmov.never t1b, r0")
    assert run.outcome.ending is Ending.DONE


def test_a_vector_that_never_comes(job, simulator):
    """Nobody has set up a read, or not of so many."""
    for setup, place in (("", 0x10000), ("ldi vr_setup, 0x00201a00\nmov r0, vpm\nmov r0, vpm\n", 0x10018)):
        work = job(f"{setup}mov r0, vpm\nldi r0, 1\nthrend\nnop\nnop")
        outcome = Lockstep(work).run(simulator)
        assert outcome.ending is Ending.STUCK
        assert outcome.why == f"QPU 0 at {place:#010x} waits for vpm, and no read is set up"


def test_memory_that_is_not_there(job, simulator):
    work = job("mov r0, unif\nldi r1, 1")
    away = dataclasses.replace(work, launches=(dataclasses.replace(work.launches[0], uniforms=0x9000_0000),))
    outcome = Lockstep(away).run(simulator)
    assert (outcome.ending, outcome.why) == (
        Ending.STUCK,
        "QPU 0 at 0x00010000: its next uniform lies outside of memory",
    )
    away = dataclasses.replace(work, launches=(dataclasses.replace(work.launches[0], pc=0x9000_0000),))
    outcome = Lockstep(away).run(simulator)
    assert outcome.why == "QPU 0 at 0x90000000: the instruction lies outside of memory"


def test_a_program_that_never_ends_is_given_up(job, simulator):
    work = job(":here\nbrr -, r:here\nnop\nnop\nnop", max_cycles=500)
    outcome = Lockstep(work).run(simulator)
    assert outcome.ending is Ending.TOO_LONG
    assert outcome.why.startswith("not ended after 500 cycles: QPU 0 at 0x000100")
