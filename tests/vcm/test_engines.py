"""Amaranth's simulator, with a bench in hardware, does what native code does with one in C++, clock by clock."""

import dataclasses

import pytest

from vc4sim.backends import native
from vc4sim.backends.base import Waves
from vc4sim.clist import load_capture
from vc4sim.frames.captures import front_jobs
from vc4sim.frames.front import run_front
from vc4sim.problem import BadInput

from .test_frames import CONFIG
from .test_resets import RESETS

STATUS = ("CT0CS", "CT1CS", "CT0CA", "CT1CA", "INTCTL")


def job_of(recorded, **options):
    """Both threads of the smallest frame; memory and pipelines pause."""
    capture = load_capture(recorded / "cases/gl/tri_color")
    ((_, job),) = front_jobs(capture, CONFIG, latency=20, gap=0.3, pipeline_gap=0.3, seed=7, **options)
    return job


def run(job, on):
    """All that came of a run, with all records."""
    records = []
    found = run_front(job, on, follow=lambda rows: records.extend(map(bytes, rows)), read=STATUS)
    return found, records


def compare(job, other):
    """Returns what came of it."""
    found, records = run(job, "native")
    assert run(job, other) == (found, records)
    assert records
    return found


OTHERS = ["pysim", "cxxrtl"]


@pytest.mark.slow
@pytest.mark.parametrize("other", OTHERS)
def test_a_frame_is_the_same(recorded, compiler, other):
    found = compare(job_of(recorded), other)
    assert found.rests
    assert sum(map(len, found.items)) == 90
    assert found.instructions == 123


@pytest.mark.slow
@pytest.mark.parametrize("other", OTHERS)
def test_resets_in_a_run_that_is_given_up(recorded, compiler, other):
    """The host writes later, in the middle of a frame, and everything goes on while it reads."""
    job = job_of(recorded, reads=False, max_cycles=900)
    later = tuple((clock, *write) for clock in (200, 450) for write in (*RESETS, *job.registers))
    found = compare(dataclasses.replace(job, later=later), other)
    assert not found.rests
    assert found.read["CT0CS"] or found.read["CT1CS"]


@pytest.mark.thorough
def test_without_a_compiler_it_runs_all_the_same(recorded, monkeypatch, capsys):
    monkeypatch.setenv("CXX", "no-such-compiler")
    native.library.cache_clear()
    assert not run_front(job_of(recorded, max_cycles=20)).rests
    assert "no C++ compiler" in capsys.readouterr().err


@pytest.mark.parametrize(("on", "first"), [("native", 0), ("pysim", 1)])
def test_waves_that_it_does_not_write(recorded, tmp_path, on, first):
    with pytest.raises(BadInput, match="--on cxxrtl"):
        run_front(job_of(recorded), on, waves=Waves(tmp_path / "x.vcd", first))
