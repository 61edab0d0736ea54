"""Failing programs become small, and go on failing."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vc4.config import V3DConfig
from vc4.isa.decode import decode
from vc4.isa.ops import AddOp, Condition, MulOp, Signal
from vc4.isa.word import NOP_WORD, WORD_BYTES, AluWord
from vc4sim.asm import assemble
from vc4sim.cli import main
from vc4sim.events import MemoryWrite, Retirement
from vc4sim.lockstep import Difference
from vc4sim.random_programs import random_job
from vc4sim.shrink import failure, keep, shrink
from vc4sim.shrink.search import needed
from vc4sim.shrink.simpler import steps
from vc4sim.workload import load_case

from .told import stand_in


def with_fault(fault):
    """The model instead of the RTL; of each event, `fault` says what is told instead."""
    return stand_in(lambda event: [fault(event)])


def fields_of(event):
    """The fields of an instruction of the ALUs, and those of nothing for everything else."""
    fields = decode(event.word) if isinstance(event, Retirement) else None
    return (
        fields if fields and fields.layout is AluWord else SimpleNamespace(op_add=None, op_mul=None, signal=None, pm=0)
    )


def packed_fmul(event):
    """Every result of fmul that goes through a pack of file A is zero."""
    fields = fields_of(event)
    if fields.op_mul is not MulOp.FMUL or fields.pm or not fields.pack or not fields.ws or not event.writes:
        return event
    *others, last = event.writes
    is_mul = last.register == f"ra{fields.waddr_mul}" and fields.cond_mul is not Condition.NEVER
    return event._replace(writes=(*others, last._replace(values=bytes(64)))) if is_mul else event


def v8adds(event):
    """It tells the wrong flags."""
    return event._replace(flags=(1, 2, 3)) if fields_of(event).op_add is AddOp.V8ADDS else event


def second_thread(event):
    """V8adds of the second thread does."""
    return v8adds(event) if isinstance(event, Retirement) and event.thread == 1 else event


def store(event):
    """What is stored has a wrong bit."""
    if not isinstance(event, MemoryWrite):
        return event
    return event._replace(data=bytes([event.data[0] ^ 1, *event.data[1:]]))


def hardware(event):
    """A check of the hardware finds a rotation wrong."""
    fields = fields_of(event)
    assert fields.signal is not Signal.SMALL_IMMEDIATE or fields.raddr_b != 53, "no rotation by 5"
    return event


def active(job):
    """Instructions that are no nops, up to the first word of zeros."""
    words = [
        int.from_bytes(job.image[at : at + WORD_BYTES], "little") for at in range(0, len(job.image) - 7, WORD_BYTES)
    ]
    return [word for word in words if word not in (0, NOP_WORD)]


@pytest.mark.parametrize(
    ("fault", "seed", "most"),
    [
        (v8adds, 4, 3),
        pytest.param(packed_fmul, 1, 5, marks=pytest.mark.thorough),
        pytest.param(packed_fmul, 13, 5, marks=pytest.mark.thorough),
        pytest.param(store, 1, 8, marks=pytest.mark.thorough),
        pytest.param(hardware, 3, 4, marks=pytest.mark.thorough),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_fault_becomes_a_handful_of_instructions(fault, seed, most, tmp_path, capsys):
    job = random_job(seed, 300 if fault is v8adds else 600, V3DConfig())
    run = with_fault(fault)
    before = failure(run, job)
    small = shrink(run, job, 400)
    assert small
    assert small.runs <= 400
    assert len(active(small.job)) <= small.instructions + 1 <= most + 1
    assert type(small.error) is type(before)
    assert type(failure(run, small.job)) is type(before)
    # What is kept is the same run, passes without the fault, and fails with it.
    folder = tmp_path / "small"
    assert keep(small, folder, "made small") == []
    case = load_case(folder)
    again = replace(small.job, image=case.image, base=case.base, launches=case.launches)
    assert again == small.job
    assert main(["run", str(folder)]) == 0
    assert "PASS small" in capsys.readouterr().out
    listing = (folder / "listing.txt").read_text()
    assert listing.startswith(f"# {str(small.error).splitlines()[0]}\n")
    assert assemble(listing).code == (folder / "program.bin").read_bytes()


def threaded_job():
    return next(job for job in (random_job(seed, 400, V3DConfig()) for seed in range(1, 60)) if fails_threaded(job))


def fails_threaded(job):
    return len(job.launches) > 1 and failure(with_fault(second_thread), job) is not None


@pytest.mark.thorough
def test_a_fault_of_two_threads_keeps_both(tmp_path, capsys):
    job, run = threaded_job(), with_fault(second_thread)
    small = shrink(run, job, 400)
    assert small
    assert [launch.threaded for launch in small.job.launches] == [True, True]
    assert small.instructions <= 6
    keep(small, tmp_path / "two", "two threads")
    assert load_case(tmp_path / "two").launches == small.job.launches
    assert main(["run", str(tmp_path / "two")]) == 0
    assert "PASS two" in capsys.readouterr().out


@pytest.mark.thorough
def test_the_memory_becomes_plain_unless_it_matters(tmp_path):
    job = random_job(1, 600, V3DConfig(), latency=7, gap=0.3)

    def slow(job, *listeners):
        return with_fault(packed_fmul if job.latency == 7 else lambda event: event)(job, *listeners)

    small = shrink(slow, job, 50)
    assert small
    assert (small.job.latency, small.job.gap) == (7, 0.3)
    assert keep(small, tmp_path / "slow", "slow") == ["--latency", "7", "--gap", "0.3"]
    small = shrink(with_fault(packed_fmul), job, 50)
    assert small
    assert (small.job.latency, small.job.gap) == (20, 0.0)


def test_runs_are_bounded():
    runs, told = [], []

    def run(job, *listeners):
        runs.append(job)
        return with_fault(v8adds)(job, *listeners)

    small = shrink(run, random_job(4, 300, V3DConfig()), 7, lambda: told.append(1))
    assert small
    assert small.runs == len(told) == 7
    assert len(runs) == 8  # the first one shows that it fails
    assert isinstance(failure(run, small.job), Difference)


def test_what_passes_is_not_made_smaller():
    assert shrink(with_fault(lambda event: event), random_job(1, 50, V3DConfig()), 400) is None


@given(st.integers(0, 40).flatmap(lambda size: st.tuples(st.just(size), st.sets(st.integers(0, max(size - 1, 0))))))
def test_exactly_what_is_needed_stays(drawn):
    size, wanted = drawn
    wanted = {one for one in wanted if one < size}
    assert needed(range(size), lambda some: wanted <= set(some)) == sorted(wanted)


def test_nothing_is_simpler_than_a_nop():
    assert list(steps(NOP_WORD)) == []


@given(st.integers(0, (1 << 64) - 1))
def test_steps_end(word):
    """Taken again and again, the steps leave a word that they change no more; each keeps the form of the word."""
    before = None
    rounds = 0
    while word != before:
        before = word
        for step in steps(word):
            after = step(word)
            assert decode(after).layout is decode(word).layout
            word = after
        rounds += 1
        assert rounds < 10
