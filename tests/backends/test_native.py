"""Native code does what Amaranth's simulator and CXXRTL do, clock by clock, and much faster."""

import ctypes
import dataclasses
import re

import pytest
from amaranth.hdl import Assert

from vc4.config import V3DConfig
from vc4.isa.registers import QUADS
from vc4.v3d import V3D
from vc4sim.asm import assemble
from vc4sim.backends import cxxrtl, native, parts
from vc4sim.backends.base import Ending, Job, Launch, Outcome
from vc4sim.backends.engines import ENGINES
from vc4sim.cli import main
from vc4sim.lockstep import Lockstep
from vc4sim.random_programs import random_job
from vc4sim.workload import load_example

BASE, UNIFORMS = 0x1_0000, 0x1_1000
#: Words of random programs; Amaranth's simulator is slow.
SHORT, LONG = 30, 2000


pytestmark = pytest.mark.usefixtures("compiler")


def make_job(source: str, **options) -> Job:
    """A run of `source`, whose uniforms are 0."""
    image = assemble(source + "\nthrend\nnop\nnop").code.ljust(0x2000, b"\0")
    return Job(image=image, base=BASE, launches=(Launch(BASE, UNIFORMS),), config=V3DConfig(), **options)


def on_both(job: Job, other: str = "cxxrtl") -> Outcome:
    """Run the job on the native engine and on another one: same events in the same order, same outcome to the last clock."""
    seen, theirs = [], []
    outcome = native.run(job, seen.append)
    assert outcome == ENGINES[other].run(job, theirs.append, None, None)
    assert seen == theirs
    return outcome


@pytest.mark.parametrize(
    ("other", "length", "seed", "latency", "gap"),
    [
        pytest.param("pysim", SHORT, 2, 1, 0.5, marks=pytest.mark.slow),
        pytest.param("pysim", SHORT, 1, 4, 0.0, marks=pytest.mark.thorough),
        pytest.param("pysim", SHORT, 3, 40, 0.1, marks=pytest.mark.slow),
        pytest.param("cxxrtl", LONG, 1, 4, 0.0, marks=pytest.mark.thorough),
        pytest.param("cxxrtl", LONG, 2, 1, 0.5, marks=pytest.mark.thorough),
        pytest.param("cxxrtl", LONG, 3, 40, 0.1, marks=pytest.mark.thorough),
    ],
)
def test_random_programs_are_the_same(other, length, seed, latency, gap):
    outcome = on_both(random_job(seed, length, V3DConfig(), latency=latency, gap=gap), other)
    assert outcome.ending is Ending.DONE
    assert outcome.instructions >= length


@pytest.mark.thorough
def test_the_coordinate_shader_is_the_same():
    work = load_example("coordinate_shader")
    job = Job(image=work.image, base=work.base, launches=work.launches, config=V3DConfig())
    assert not work.differences(on_both(job).memory)


@pytest.mark.thorough
def test_programs_one_after_the_other():
    work = make_job("ldi r0, 1\nmov host_int, r0")
    assert on_both(dataclasses.replace(work, launches=work.launches * 3)).interrupts == 3 * QUADS


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("mov r0, vpm", "waits for vpm, and no read is set up"),
        (
            "ldi vw_setup, 0x80904000\nldi vw_addr, 0x90000000\nread vw_wait",
            "a DMA store or load went outside of memory",
        ),
        ("ldi unif_addr, 0x90000000\nnop\nnop\nmov r0, unif", "its next uniform lies outside of memory"),
        ("mov tmu0_s, r0", "which this configuration does not have"),
    ],
)
def test_programs_that_wait_for_ever(source, why):
    outcome = on_both(make_job(source))
    assert outcome.ending is Ending.STUCK
    assert why in outcome.why


@pytest.mark.thorough
def test_no_instruction():
    work = dataclasses.replace(make_job("nop"), launches=(Launch(0x9000_0000, UNIFORMS),))
    assert on_both(work).why == "QPU 0 at 0x90000000: the instruction lies outside of memory"


@pytest.mark.thorough
def test_a_program_that_never_ends():
    outcome = on_both(make_job(":here\nbrr -, r:here\nnop\nnop\nnop", max_cycles=500))
    assert outcome.ending is Ending.TOO_LONG


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["cxxrtl", "native"])
def test_two_hundred_thousand_instructions(capsys, engine):
    assert main(["lockstep", "--on", engine, "--count", "200000", "--length", "3000", "--gap", "0.1"]) == 0
    assert "no difference" in capsys.readouterr().out


@pytest.mark.parametrize("engine", ["native", pytest.param("cxxrtl", marks=pytest.mark.thorough)])
def test_lockstep_from_the_command_line(capsys, engine):
    assert main(["run", "coordinate_shader", "--on", engine, "--lockstep"]) == 0
    assert "no difference" in capsys.readouterr().out


def test_native_code_has_no_waves(capsys, tmp_path):
    assert main(["run", "coordinate_shader", "--on", "native", "--waves", str(tmp_path / "x.vcd")]) == 2
    assert "--on pysim" in capsys.readouterr().err


def test_what_the_watcher_raises_ends_the_run():
    def watch(event):
        raise KeyError

    with pytest.raises(KeyError):
        native.run(make_job("nop"), watch)


@pytest.mark.slow
def test_a_window_of_waves(tmp_path):
    """Clocks 125 to 164 of the coordinate shader, which has no branches; the GPU is compiled once more for them."""
    path = tmp_path / "window.vcd"
    window = ["--waves", str(path), "--window", "125:165"]
    assert main(["run", "coordinate_shader", "--on", "cxxrtl", *window]) == 0
    text = path.read_text()
    assert [int(time) for time in re.findall(r"^#(\d+)$", text, re.M)] == [*range(1250, 1650, 5)]
    (name,) = re.findall(r"^\$var reg 32 (\S+) trace__sp_pc \$end$", text, re.M)
    addresses = [int(value, 2) for value in re.findall(rf"^b([01]+) {re.escape(name)}$", text, re.M)]
    assert len(addresses) >= 10
    assert addresses == [addresses[0] + 8 * number for number in range(len(addresses))]


def test_a_window_needs_waves(capsys):
    assert main(["run", "coordinate_shader", "--on", "cxxrtl", "--window", "100:140"]) == 2
    assert "add --waves" in capsys.readouterr().err


def test_the_other_simulator_has_no_window(capsys, tmp_path):
    waves = ["--waves", str(tmp_path / "x.vcd"), "--window", "1:2"]
    assert main(["run", "coordinate_shader", "--on", "pysim", *waves]) == 2
    assert "--on cxxrtl" in capsys.readouterr().err


def test_the_gpu_is_compiled_once_for_all_benches(monkeypatch, tmp_path):
    compiled, linked = [], []

    class Parts:
        v3d, kinds, constants = None, (), ""

        def __init__(self, config, *, only_qpus):
            compiled.append((config.slices, only_qpus))

    def compile_parts(whole, parts, constants, folder):
        made = folder / str(len(compiled))
        made.mkdir()
        return made

    monkeypatch.setattr(native, "Gpu", Parts)
    monkeypatch.setattr(native, "compile_joined", compile_parts)
    monkeypatch.setattr(
        native, "link_joined", lambda made, driver, folder: linked.append(made) or ctypes.CDLL("libc.so.6")
    )
    for slices, bench in ((1, "one"), (1, "another"), (2, "one")):
        native.library(V3DConfig(slices=slices), tmp_path, bench)
    # With one QPU, nothing else is there several times.
    assert compiled == [(1, True), (2, False)]
    assert linked == [tmp_path / "1", tmp_path / "1", tmp_path / "2"]


@pytest.mark.thorough
@pytest.mark.parametrize("engine", [cxxrtl, native])
def test_without_a_compiler_it_runs_all_the_same(monkeypatch, capsys, engine):
    monkeypatch.setenv("CXX", "no-such-compiler")
    engine.library.cache_clear()
    job = make_job("nop")
    Lockstep(job).run(engine.run)
    assert "no C++ compiler" in capsys.readouterr().err


@pytest.mark.thorough
def test_a_check_of_the_hardware_that_fails_ends_the_run(monkeypatch, tmp_path):
    class Checked(V3D):
        def elaborate(self, platform):
            m = super().elaborate(platform)
            m.d.sync += Assert(~self.interrupts.any(), "an interrupt")
            return m

    monkeypatch.setattr(parts, "V3D", Checked)
    monkeypatch.setattr(native, "cache_folder", lambda: tmp_path)
    native.library.cache_clear()
    with pytest.raises(AssertionError, match="an interrupt"):
        native.run(make_job("mov irq, 1"))
    native.library.cache_clear()
