"""Profiles: every clock of a run is in them once, where it belongs."""

import pytest

from vc4.config import preset
from vc4sim.asm import assemble
from vc4sim.backends.base import Ending, Job
from vc4sim.cli import main
from vc4sim.profiler import profile
from vc4sim.profiler.hot import by_instruction, by_label, by_line
from vc4sim.profiler.report import COLUMNS
from vc4sim.profiler.work import Work, work_of
from vc4sim.timeline import Names
from vc4sim.workload import Start, load_source

PASSES = 6
#: A loop with a lookup in each pass, which it waits for, and two instructions that one line makes.
PROGRAM = f"""
.set passes, {PASSES}
mov r0, unif
ldi r1, passes
shl r2, elem_num, 2
:loop
add t0s, r0, r2
nop; ldtmu0
sub.setf r1, r1, 1
brr.anynz -, r:loop
.rep i, 2
    fadd r3, r4, r4; fmul rb5, r4, r4
.endr
nop
thrend
nop
nop
"""


@pytest.fixture
def workload(tmp_path):
    (tmp_path / "loop.qasm").write_text(PROGRAM)
    return load_source(str(tmp_path / "loop.qasm"), [Start(uniforms=("&data",))], ["data=64"])


def job_of(workload, config="slice", **options):
    given = {"image": workload.image, "base": workload.base, "launches": workload.launches, "config": preset(config)}
    return Job(**given | options)


@pytest.fixture
def found(workload, simulator):
    return profile(job_of(workload, qpus=1), simulator, Names.of(workload))


@pytest.mark.thorough
class TestCounts:
    def test_every_clock_is_there_once(self, found):
        outcome, counts = found.outcome, found.counts
        assert outcome.ending is Ending.DONE
        assert counts.instructions == outcome.instructions == 3 + 7 * PASSES + 3
        assert dict(counts.stalls) == {name: clocks for name, clocks in outcome.stalls.items() if clocks}
        for parts in (by_instruction, by_line, by_label):
            assert sum(part.clocks for part in parts(counts, found.names)) == counts.running

    def test_what_is_lost_counts_for_the_instruction_that_waits(self, found):
        lost = {part.text: part.lost for part in by_line(found.counts, found.names) if "tmu_result" in part.lost}
        assert list(lost) == ["nop; ldtmu0"]
        assert lost["nop; ldtmu0"]["tmu_result"] == found.outcome.stalls["tmu_result"] > 4 * PASSES

    def test_a_repetition_is_one_line(self, found):
        (line,) = (part for part in by_line(found.counts, found.names) if part.text.startswith("fadd r3"))
        assert (line.size, line.issued, line.place) == (2, 2 * PASSES, "12")
        each = [part for part in by_instruction(found.counts, found.names) if part.text.startswith("fadd r3")]
        assert [part.issued for part in each] == [PASSES] * 2

    def test_labels_hold_what_is_behind_them(self, found):
        issued = {part.label: part.issued for part in by_label(found.counts, found.names)}
        assert issued == {"program at 0x00010000": 3, "loop": 7 * PASSES + 3}

    def test_a_program_that_never_ends(self, workload, simulator):
        found = profile(job_of(workload, max_cycles=200), simulator, Names.of(workload))
        assert found.outcome.ending is Ending.TOO_LONG
        assert dict(found.counts.stalls) == {name: clocks for name, clocks in found.outcome.stalls.items() if clocks}

    def test_several_qpus(self, workload, simulator):
        found = profile(job_of(workload, launches=workload.launches * 9), simulator, Names.of(workload))
        counts = found.counts
        assert counts.instructions == found.outcome.instructions == 9 * (6 + 7 * PASSES)
        assert counts.starts == {0x1_0000: 9}
        assert dict(counts.stalls) == {name: clocks for name, clocks in found.outcome.stalls.items() if clocks}


@pytest.mark.thorough
class TestLimits:
    def test_they_are_what_was_used_and_what_there_is(self, found):
        limits = {one.name: one for one in found.limits}
        clocks = found.outcome.cycles
        assert limits["issue"].used == pytest.approx(found.outcome.instructions / clocks)
        assert limits["issue"].most == 0.25
        assert limits["mul ALUs"].used == pytest.approx(16 * 2 * PASSES / clocks)
        assert limits["TMUs"].used == pytest.approx(16 * PASSES / clocks)
        assert (limits["mul ALUs"].most, limits["TMUs"].most) == (4, 4)
        assert all(0 <= one.part <= 1 for one in found.limits)

    def test_memory_is_what_the_bus_moved(self, found):
        memory = next(one for one in found.limits if one.name == "memory")
        # Nothing is stored: all are lines that the L2 cache misses, eight words each.
        assert memory.used * found.outcome.cycles == pytest.approx(8 * found.outcome.counts["L2C_MISSES"])

    def test_more_qpus_can_do_more(self, workload, simulator):
        found = profile(job_of(workload, launches=workload.launches * 4), simulator, Names.of(workload))
        assert next(one for one in found.limits if one.name == "add ALUs").most == 16


@pytest.mark.parametrize(
    ("text", "work"),
    [
        ("nop", Work(0, 0, 0, 0, 0, 0, 0)),
        ("ldi r0, 5", Work(0, 0, 0, 0, 0, 0, 0)),
        ("brr -, 8", Work(0, 0, 0, 0, 0, 0, 0)),
        ("fadd r0, r1, r2", Work(1, 0, 0, 0, 0, 0, 0)),
        ("fadd r0, r1, r2; fmul r3, r1, r2", Work(1, 1, 0, 0, 0, 0, 0)),
        ("mov t0s, r0", Work(1, 0, 1, 0, 0, 0, 0)),
        ("mov t1t, r0", Work(1, 0, 0, 1, 0, 0, 0)),
        ("mov r0, vpm", Work(1, 0, 0, 0, 1, 0, 0)),
        ("mov vpm, r0", Work(1, 0, 0, 0, 0, 1, 0)),
        ("mov recip, r0", Work(1, 0, 0, 0, 0, 0, 1)),
    ],
)
def test_what_an_instruction_asks_for(text, work):
    assert work_of(assemble(text).words[0]) == work


class TestCommand:
    def test_it_fits_into_a_terminal(self, capsys):
        assert main(["profile", "mandelbrot", "--order", "source"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert all(len(line) <= COLUMNS for line in lines[1:])
        assert "2,828 instructions in 11,552 clocks on 1 of the QPUs of qpu" in lines[1]
        assert any(line.split()[:2] == ["169", "676"] and "28  fmul r2, r0, r0" in line for line in lines)
        assert any(line.strip() == ":step" for line in lines)

    def test_the_hottest_come_first(self, capsys):
        assert main(["profile", "mandelbrot", "--top", "3", "--by", "instruction"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[-1] == "  and 37 more"
        assert [int(line.split()[0]) for line in lines[-4:-1]] == [169] * 3

    def test_words_are_disassembled(self, tmp_path, capsys):
        (tmp_path / "words.bin").write_bytes(assemble("fadd r0, r0, r0\nthrend\nnop\nnop").code)
        assert main(["profile", str(tmp_path / "words.bin")]) == 0
        assert "0x00010000  fadd r0, r0, r0" in capsys.readouterr().out

    @pytest.mark.parametrize("name", ["picture.png", "picture.svg"])
    def test_roofline(self, name, tmp_path, capsys):
        pytest.importorskip("matplotlib")
        assert main(["profile", "mandelbrot", "--roofline", str(tmp_path / name)]) == 0
        assert (tmp_path / name).stat().st_size > 10_000

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["nothing"], "nothing: no assembly file"),
            (["mandelbrot", "--roofline", "picture.gif"], "must end with .png or .svg"),
            (["mandelbrot", "--on", "model"], "invalid choice: 'model'"),
            (["mandelbrot", "--max-cycles", "500"], "not ended after 500 cycles"),
        ],
    )
    def test_bad_input(self, arguments, said, capsys):
        assert main(["profile", *arguments]) == 2
        assert said in capsys.readouterr().err
