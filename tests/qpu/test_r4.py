"""r4: the third instruction after a write to the special function unit is the first that sees the result."""

import random
from dataclasses import dataclass, field

import numpy as np
import pytest

from vc4.isa.sfu_tables import SfuFunction
from vc4.qpu.r4 import R4
from vc4sim.model.arith.sfu import special

LANES, QUADS, DISTANCE = 4, 4, 3
#: Clocks from the end of the slot in which an instruction is issued to its first quad in RA2, and to its first result if
#: nothing is in the way: a clock later the third instruction after it is in RA2.
RA2, RESULT = 2, 13


def all_of(value):
    return (value,) * 16


def bits(value):
    """The word of a float."""
    return int(np.array(value, np.float32).view(np.uint32))


def result(function, word):
    """What the unit gives for a word in every element."""
    return all_of(special(SfuFunction[function.upper()].value, word))


def values_of(run, register):
    """All values that were written to a register, in order."""
    return [write.words for event in run.retired for write in event.writes if write.register == register]


# The component


@dataclass
class Instruction:
    """Whether it writes to the unit, the number of results that it sees, and the clock in which it is issued."""

    writes: bool
    sees: int
    clock: int = 0
    number: int = 0


@dataclass
class Plan:
    """Instructions, and quads of results by the clock in which they come."""

    instructions: list[Instruction]
    quads: dict[int, tuple[int, int, list[int]]] = field(default_factory=dict)
    vectors: list[list[list[int]]] = field(default_factory=lambda: [[[0] * LANES for _ in range(QUADS)]])


def random_plan(rng, count, late):
    """Every instruction is issued when what it sees is there; `late`: the chance that a result or a slot comes later."""
    wrote, plan = [rng.random() < 0.6 for _ in range(count)], Plan([])
    clock, comes = 3, 0
    arrivals = [0]
    for index, writes in enumerate(wrote):
        sees = sum(wrote[: max(0, index - DISTANCE + 1)])
        while arrivals[sees] >= clock + RA2 or rng.random() < late:
            clock += QUADS
        plan.instructions.append(Instruction(writes, sees, clock))
        if writes:
            comes = max(comes, clock + RESULT)
            while rng.random() < late:
                comes += 1
            arrivals.append(comes)
            plan.vectors.append([[rng.getrandbits(32) for _ in range(LANES)] for _ in range(QUADS)])
            for quad, words in enumerate(plan.vectors[-1]):
                plan.quads[comes + quad] = (len(plan.vectors) - 1, quad, words)
            comes += QUADS
        clock += QUADS
    return plan


@pytest.mark.parametrize(("seed", "late"), [(1, 0.0), (2, 0.0), (3, 0.3), (4, 0.3), (5, 0.7)])
def test_what_each_instruction_sees(simulate, seed, late):
    dut, plan = R4(), random_plan(random.Random(seed), 150, late)
    issued = {one.clock: one for one in plan.instructions}
    seen = []

    async def bench(ctx):
        reading = {}  # clock of RA2: the instruction and its quad
        for clock in range(plan.instructions[-1].clock + 10):
            one = issued.get(clock)
            ctx.set(dut.issues, one is not None)
            ctx.set(dut.writes, one is not None and one.writes)
            if one:
                one.number = ctx.get(dut.sp_vector)
                reading |= {clock + RA2 + quad: (one, quad) for quad in range(QUADS)}
            ctx.set(dut.result_stb, clock in plan.quads)
            if clock in plan.quads:
                _, quad, words = plan.quads[clock]
                ctx.set(dut.result, {"quad": quad, "data": words})
            if clock in reading:
                ctx.set(dut.ra2_vector, reading[clock][0].number)
                ctx.set(dut.ra2_quad, reading[clock][1])
            await ctx.tick()
            if clock in reading:
                one, quad = reading[clock]
                found = [ctx.get(dut.ru_r4[lane]) for lane in range(LANES)]
                assert found == plan.vectors[one.sees][quad], f"clock {clock}, quad {quad} of {one}"
                seen.append(one.sees)

    simulate(dut, bench)
    assert len(seen) == QUADS * len(plan.instructions)
    assert len(set(seen)) > 50
    # Without delays, results come just when they are read.
    if not late:
        assert any(
            one.writes and after.clock + RA2 + quad in plan.quads
            for one, after in zip(plan.instructions, plan.instructions[DISTANCE:], strict=False)
            for quad in range(QUADS)
        )


# Programs, with the model beside them


@pytest.mark.parametrize("function", [one.name.lower() for one in SfuFunction])
def test_the_third_instruction_sees_the_result(lockstep, function):
    run = lockstep(
        f"""
        mov recip, 8.0
        nop
        nop
        mov {function}, 4.0
        mov r0, r4              # the old value
        mov r1, r4              # still
        mov r2, r4              # the new one
        """
    )
    assert run.last("r0") == run.last("r1") == result("recip", bits(8.0))
    assert run.last("r2") == result(function, bits(4.0)) != run.last("r1")
    assert run.outcome.stalls["sfu"] == 0


def test_each_element_has_a_result_of_its_own(lockstep):
    run = lockstep("itof r0, elem_num\nmov recip, r0\nnop\nnop\nmov r1, r4; mov r2, r4")
    words = np.arange(16, dtype=np.float32).view(np.uint32)
    expected = tuple(special(SfuFunction.RECIP.value, int(word)) for word in words)
    assert run.last("r1") == run.last("r2") == expected
    assert len(set(expected)) == 16


def test_unpacked_r4(lockstep):
    run = lockstep("ldi exp, 1.5\nnop\nnop\nfadd r0, r4.16b, 0\nmov r1, r4; nop")
    assert run.last("r1") == result("exp", bits(1.5))
    assert run.last("r0") != run.last("r1")


def test_two_writes_in_a_row(lockstep):
    """Each result is seen three instructions later, however long the second one waits for its turn."""
    run = lockstep("mov recip, 2.0\nmov log, 8.0\n" + "mov r0, r4\n" * 4)
    first, second = result("recip", bits(2.0)), result("log", bits(8.0))
    assert values_of(run, "r0") == [all_of(0), first, second, second]


def test_a_write_in_every_instruction(lockstep):
    values = [float(value) for value in range(1, 17)]
    writes = "\n".join(f"ldi recip, {value}" for value in values[:8])
    both = "\n".join(f"mov recip, {value:.0f}.0; mov r0, r4" for value in (1, 2, 4, 8, 16, 32, 64, 128))
    run = lockstep(writes + "\n" + both + "\nnop\nnop\nmov r0, r4")
    seen = [6.0, 7.0, 8.0, 1.0, 2.0, 4.0, 8.0, 16.0]
    assert values_of(run, "r0") == [result("recip", bits(value)) for value in [*seen, 128.0]]


def test_a_write_in_every_third_instruction_waits_for_nothing(lockstep):
    run = lockstep("mov recip, 2.0\nmov r0, r4\nmov r1, r4\n" * 10)
    assert run.outcome.stalls["sfu"] == 0


def test_of_two_writes_of_an_instruction_the_mul_alu_s_counts(lockstep):
    run = lockstep("ldi r0, 3.0\nldi r1, 5.0\nmov recip, r0; mov log, r1\nnop\nnop\nmov r2, r4")
    assert run.last("r2") == result("log", bits(5.0))


def test_a_branch_does_not_write(lockstep):
    """Neither one that is taken nor one that is not."""
    run = lockstep(
        """
        mov exp, 2.0
        mov.setf r0, 0
        brr recip, r:on
        nop
        nop
        nop
        :on
        brr.allnz log, -, r:off
        nop
        nop
        mov r1, r4
        :off
        mov r2, r4
        """
    )
    assert run.last("r1") == run.last("r2") == result("exp", bits(2.0))


@pytest.mark.parametrize("condition", ["ifz", "ifnz", "ifn"])
def test_the_whole_vector_is_computed_under_any_condition(lockstep, condition):
    """`ifn` holds nowhere."""
    run = lockstep(
        f"sub.setf r0, elem_num, elem_num\nand.setf r1, elem_num, 3\nmov.{condition} recip, 4.0\nnop\nnop\nmov r2, r4"
    )
    assert run.last("r2") == result("recip", bits(4.0))


def test_never_writes_nothing(lockstep):
    run = lockstep("mov exp, 2.0\nmov.never recip, 4.0\nnop\nmov r0, r4\nmov r1, r4\nmov r2, r4")
    assert run.last("r0") == run.last("r1") == run.last("r2") == result("exp", bits(2.0))
    assert run.outcome.stalls["sfu"] == 0


@pytest.mark.parametrize("place", [1, 2, 3])
def test_waiting_instructions_do_not_count_more(lockstep, place):
    """The uniform comes long after the result: the first two instructions see the old value all the same."""
    reads = ["mov r0, r4", "mov r1, r4", "mov r2, r4"]
    reads[place - 1] += "; mov rb1, unif"
    source = "ldi r3, 0x18100\nmov unif_addr, r3\nmov recip, 4.0\n" + "\n".join(reads)
    run = lockstep(source, latency=80)
    assert run.outcome.stalls["uniforms"] > 40
    assert values_of(run, "r0") == values_of(run, "r1") == [all_of(0)]
    assert values_of(run, "r2") == [result("recip", bits(4.0))]


def test_an_instruction_cache_miss_in_between(lockstep):
    """The jump goes to a line that has yet to be fetched."""
    run = lockstep(
        """
        brr -, r:on
        nop
        nop
        mov recip, 4.0
        .rep i, 64
        nop
        .endr
        :on
        mov r0, r4
        mov r1, r4
        mov r2, r4
        """,
        latency=60,
    )
    assert [run.last(name) for name in ("r0", "r1", "r2")] == [all_of(0), all_of(0), result("recip", bits(4.0))]


@pytest.mark.parametrize("slot", [0, 1, 2])
def test_a_switch_in_between(lockstep, slot):
    """Instructions of both threads count: the other thread sees the result, and so does this one afterwards."""
    slots = ["nop; thrsw", "nop", "nop"]
    slots[slot] = "mov recip, r0; thrsw" if slot == 0 else "mov recip, r0"
    source = "\n".join(["mov r0, unif", *slots, *["mov ra1, r4"] * 4, "nop; thrsw", "nop", "nop"])
    run = lockstep(source, [2.0], programs=2, threaded=True)
    order = [(event.thread, write.words) for event in run.retired for write in event.writes if write.register == "ra1"]
    assert [thread for thread, _ in order] == [0] * 4 + [1] * 4
    # Both write the same before the first one reads: long ago the first, and the second up to two instructions before.
    assert {words for _, words in order} == {result("recip", bits(2.0))}


def test_the_other_thread_sees_the_result_two_instructions_late(lockstep):
    """The write is the last instruction of a thread: the first two of the other one still see the old value."""
    source = """
        mov r1, unif
        mov r2, r4
        mov r2, r4
        mov r2, r4
        nop; thrsw
        nop
        itof recip, r1
        nop
        nop
        nop
    """
    run = lockstep(source, [2], programs=2, threaded=True)
    order = [(event.thread, write.words) for event in run.retired for write in event.writes if write.register == "r2"]
    half, zero = result("recip", bits(2.0)), all_of(0)
    assert order == [(0, zero)] * 3 + [(1, zero), (1, half), (1, half)]


def test_a_result_goes_on_over_the_end_of_a_program(job, simulator):
    """The last slot of each program writes; the next program sees it from its third instruction on."""
    from vc4sim.events import Retirement
    from vc4sim.lockstep import Lockstep

    work = job("mov r0, r4\nmov r0, r4\nmov r0, r4\nthrend\nnop\nitof exp, qpu_num", programs=3)
    seen = []

    def watch(event):
        if isinstance(event, Retirement):
            seen.extend(write.words for write in event.writes if write.register == "r0")

    Lockstep(work).run(simulator, watch)
    zero, one = all_of(0), result("exp", 0)
    assert seen == [zero] * 3 + [zero, zero, one] + [one] * 3


def test_a_semaphore_instruction_can_write_to_the_unit(lockstep):
    """Its immediate is the operand; the special function unit is waited for as well as the semaphore."""
    run = lockstep("mov exp, 2.0\nsrel recip, 3\nnop\nnop\nmov r0, r4\nsacq -, 3")
    assert run.last("r0") == result("recip", 3)
