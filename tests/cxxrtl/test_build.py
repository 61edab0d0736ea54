"""Compiling of designs, what is kept of it, and checks that fail."""

import pytest
from amaranth import *
from amaranth.back import rtlil
from amaranth.hdl import Assert

from vc4sim.cxxrtl import build as build_module
from vc4sim.cxxrtl.build import Kind, Part, build_once, build_parts, flatten

#: A driver that steps a design `clocks` times and returns how often a check failed.
CHECKS = """
struct Counter : cxxrtl::performer {
    int failed = 0;
    void on_check(cxxrtl::flavor, bool condition, const cxxrtl::lazy_fmt &, const cxxrtl::metadata_map &) override {
        failed += !condition;
    }
};

extern "C" int failures(int clocks) {
    checked::p_top top;
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


pytestmark = pytest.mark.usefixtures("compiler")


class Checked(Elaboratable):
    """Counts, and fails a check in its third clock."""

    def elaborate(self, platform):
        m = Module()
        count = Signal(8)
        m.d.sync += [count.eq(count + 1), Assert(count != 2, "two")]
        return m


def text():
    return rtlil.convert(Checked(), ports=[], emit_src=False)


def build(folder, driver=CHECKS, kind=Kind.FAST):
    return build_parts({"checked": Part(text())}, driver, folder, kind=kind)


@pytest.mark.parametrize("kind", [Kind.FAST, pytest.param(Kind.WAVES, marks=pytest.mark.thorough)])
def test_a_failed_check_does_not_end_python(tmp_path, kind):
    library = build(tmp_path, kind=kind)
    assert [library.failures(clocks) for clocks in (2, 3, 5)] == [0, 1, 1]


@pytest.mark.thorough
def test_the_second_build_compiles_the_driver_alone(tmp_path, monkeypatch):
    build(tmp_path)
    (library,) = tmp_path.glob("*.so")
    commands, compile_quietly = [], build_module.compile_quietly
    monkeypatch.setattr(
        build_module,
        "compile_quietly",
        lambda command, work: commands.append(command) or compile_quietly(command, work),
    )
    assert build(tmp_path).failures(5) == 1
    assert list(tmp_path.glob("*.so")) == [library]
    (compiled,) = [
        [word for word in command if word.endswith(".cc")] for command in commands if "-std=c++17" in command
    ]
    assert compiled == ["driver.cc"]


def test_a_design_is_flattened_once(tmp_path, monkeypatch):
    """Also for another library, in another folder beside."""
    works = [tmp_path / name for name in ("one", "other")]
    for work in works:
        work.mkdir()
    first = flatten(Part(text()), "design", works[0]).write()
    monkeypatch.setattr(build_module, "_yosys", lambda *_: pytest.fail("it is flattened again"))
    assert flatten(Part(text()), "other", works[1]).write() == first


@pytest.mark.thorough
def test_what_is_made_of_the_same_is_made_once(tmp_path):
    made = []

    def make():
        made.append(1)
        return build(tmp_path)

    first = build_once(["a", "b"], make, tmp_path)
    again = build_once(["a", "b"], make, tmp_path)
    assert (len(made), first._name) == (1, again._name)
    build_once(["a", "c"], make, tmp_path)
    assert len(made) == 2


@pytest.mark.thorough
def test_a_library_that_is_gone_is_made_again(tmp_path):
    build_once(["a"], lambda: build(tmp_path), tmp_path)
    for library in tmp_path.glob("*.so"):
        library.unlink()
    assert build_once(["a"], lambda: build(tmp_path), tmp_path).failures(5) == 1


@pytest.mark.thorough
def test_a_compiler_that_fails_is_heard(tmp_path):
    with pytest.raises(RuntimeError, match="error"):
        build(tmp_path, "this is no C++")
    assert not list(tmp_path.glob("*.so"))
