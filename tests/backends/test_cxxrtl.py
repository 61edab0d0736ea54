"""The native engine does what Amaranth's simulator does, clock by clock, and much faster."""

import dataclasses

import pytest
from amaranth import *
from amaranth.back import rtlil
from amaranth.hdl import Assert

from vc4.config import V3DConfig
from vc4.isa.registers import QUADS
from vc4sim.asm import assemble
from vc4sim.backends import cxxrtl, cxxrtl_build, pysim
from vc4sim.backends.base import Ending, Job, Launch, Outcome
from vc4sim.cxxrtl.build import NoCompiler, build, find_compiler
from vc4sim.cli import main
from vc4sim.lockstep import Lockstep
from vc4sim.problem import BadInput
from vc4sim.random_programs import random_job
from vc4sim.workload import load_example

BASE, UNIFORMS = 0x1_0000, 0x1_1000
#: A driver that steps a design `clocks` times and returns how often a check failed.
CHECKS = """
struct Counter : cxxrtl::performer {
    int failed = 0;
    void on_check(cxxrtl::flavor, bool condition, const cxxrtl::lazy_fmt &, const cxxrtl::metadata_map &) override {
        failed += !condition;
    }
};

extern "C" int failures(int clocks) {
    cxxrtl_design::p_top top;
    Counter counter;
    for (; clocks; clocks--) {
        top.p_clk.set(0u);
        top.step(&counter);
        top.p_clk.set(1u);
        top.step(&counter);
    }
    return counter.failed;
}
"""


@pytest.fixture(scope="module", autouse=True)
def _compiler():
    try:
        find_compiler()
    except NoCompiler as reason:
        pytest.skip(str(reason))


def make_job(source: str, **options) -> Job:
    """A run of `source`, whose uniforms are 0."""
    image = assemble(source + "\nthrend\nnop\nnop").code.ljust(0x2000, b"\0")
    return Job(image=image, base=BASE, launches=(Launch(BASE, UNIFORMS),), config=V3DConfig(), **options)


def on_both(job: Job) -> Outcome:
    """Run the job on both engines: same events in the same order, same outcome to the last clock."""
    native, slow = [], []
    outcome = cxxrtl.run(job, native.append)
    assert outcome == pysim.run(job, slow.append)
    assert native == slow
    return outcome


@pytest.mark.parametrize(("seed", "latency", "gap"), [(1, 4, 0.0), (2, 1, 0.5), (3, 40, 0.1)])
def test_random_programs_are_the_same(seed, latency, gap):
    outcome = on_both(random_job(seed, 300, V3DConfig(), latency=latency, gap=gap))
    assert outcome.ending is Ending.DONE
    assert outcome.instructions >= 300


def test_the_coordinate_shader_is_the_same():
    work = load_example("coordinate_shader")
    job = Job(image=work.image, base=work.base, launches=work.launches, config=V3DConfig())
    assert not work.difference(on_both(job).memory)


def test_programs_one_after_the_other():
    work = make_job("ldi r0, 1\nmov host_int, r0")
    assert on_both(dataclasses.replace(work, launches=work.launches * 3)).interrupts == 3 * QUADS


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("ldi vw_setup, 0x00000200\nmov vpm, r0\nread vw_wait", "write vertical is not built yet"),
        ("ldi vw_setup, 0x80904000\nldi vw_addr, 0x90000000\nread vw_wait", "a DMA store went outside of memory"),
        ("ldi unif_addr, 0x90000000\nnop\nnop\nmov r0, unif", "its next uniform lies outside of memory"),
        ("mov tmu0_s, r0", "which is not built yet"),
    ],
)
def test_programs_that_wait_for_ever(source, why):
    outcome = on_both(make_job(source))
    assert outcome.ending is Ending.STUCK
    assert why in outcome.why


def test_no_instruction():
    work = dataclasses.replace(make_job("nop"), launches=(Launch(0x9000_0000, UNIFORMS),))
    assert on_both(work).why == "QPU 0 at 0x90000000: the instruction lies outside of memory"


def test_a_program_that_never_ends():
    outcome = on_both(make_job(":here\nbrr -, r:here\nnop\nnop\nnop", max_cycles=500))
    assert outcome.ending is Ending.TOO_LONG


@pytest.mark.slow
def test_two_hundred_thousand_instructions(capsys):
    assert main(["lockstep", "--on", "cxxrtl", "--count", "200000", "--length", "3000", "--gap", "0.1"]) == 0
    assert "no difference" in capsys.readouterr().out


def test_lockstep_from_the_command_line(capsys):
    assert main(["run", "coordinate_shader", "--on", "cxxrtl", "--lockstep"]) == 0
    assert "no difference" in capsys.readouterr().out


def test_what_the_watcher_raises_ends_the_run():
    def watch(event):
        raise KeyError

    with pytest.raises(KeyError):
        cxxrtl.run(make_job("nop"), watch)


def test_no_waves(tmp_path):
    with pytest.raises(BadInput, match="pysim"):
        cxxrtl.run(make_job("nop"), waves=tmp_path / "x.vcd")


def test_without_a_compiler_it_runs_all_the_same(monkeypatch, capsys):
    monkeypatch.setenv("CXX", "no-such-compiler")
    cxxrtl._library.cache_clear()
    job = make_job("nop")
    watch = Lockstep(job)
    watch.conclude(cxxrtl.run(job, watch))
    assert "no C++ compiler" in capsys.readouterr().err


class Checked(Elaboratable):
    """Counts, and fails a check in its third clock."""

    def elaborate(self, platform):
        m = Module()
        count = Signal(8)
        m.d.sync += [count.eq(count + 1), Assert(count != 2, "two")]
        return m


def test_a_failed_check_does_not_end_python(tmp_path):
    library = build(rtlil.convert(Checked(), ports=[], emit_src=False), CHECKS, tmp_path)
    assert [library.failures(clocks) for clocks in (2, 3, 5)] == [0, 1, 1]


def test_the_second_build_does_not_compile(tmp_path, monkeypatch):
    text = rtlil.convert(Checked(), ports=[], emit_src=False)
    build(text, CHECKS, tmp_path)
    (library,) = tmp_path.iterdir()
    monkeypatch.setattr(cxxrtl_build, "_compile", lambda *_: pytest.fail("it compiles again"))
    build(text, CHECKS, tmp_path)
    assert list(tmp_path.iterdir()) == [library]


def test_a_compiler_that_fails_is_heard(tmp_path):
    with pytest.raises(RuntimeError, match="error"):
        build(rtlil.convert(Checked(), ports=[], emit_src=False), "this is no C++", tmp_path)
    assert list(tmp_path.iterdir()) == []
