"""Waves of a run: what the view names is in the VCD file, and the figure shows the instructions."""

import fcntl
import random
import re
from pathlib import Path

import pytest

from vc4sim.bench.probe import instruction_text, stall_text
from vc4sim.cli import main
from vc4sim.problem import BadInput
from vc4sim.waves.stages import STAGE_TITLES
from vc4sim.waves.vcd import Passage, read_pipeline
from vc4sim.waves.view import write_view

pywellen = pytest.importorskip("pywellen")

PROGRAM = ["or ra0, unif, nop", "nop", "sbdone", "thrend", "nop", "nop"]


@pytest.fixture(scope="module")
def waves(tmp_path_factory, worker_id) -> Path:
    """A VCD file of a small program: the first worker that wants it writes it for all."""
    folder = tmp_path_factory.getbasetemp()
    path = (folder if worker_id == "master" else folder.parent) / "run.vcd"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.with_suffix(".gtkw").exists():
            write_waves("pysim", path)
    return path


def write_waves(simulator: str, path: Path) -> None:
    """Of a run of `PROGRAM`."""
    program = path.with_suffix(".qasm")
    program.write_text("\n".join(PROGRAM))
    assert main(["run", str(program), "--uniform", "1", "--on", simulator, "--waves", str(path)]) == 0


def groups_of(view: Path) -> dict[str, list[str]]:
    """The traces of a view for GTKWave, by the innermost group that they are in."""
    groups: dict[str, list[str]] = {}
    open_groups: list[str] = []
    for line in view.read_text().splitlines():
        if line.startswith("-") and open_groups[-1:] == [line[1:]]:
            open_groups.pop()
        elif line.startswith("-"):
            open_groups.append(line[1:])
            groups[line[1:]] = []
        elif not line.startswith(("[", "@", "*")):
            groups[open_groups[-1]].append(re.sub(r"^\+\{.*?\} ", "", line))
    assert not open_groups
    return groups


def without_index(name: str) -> str:
    """The name of a signal without the range of its bits and the number of an element."""
    return re.sub(r"(\.?\[[\d:]+\])+$", "", name)


@pytest.mark.thorough
def test_the_view_has_a_group_for_each_stage(waves):
    groups = groups_of(waves.with_suffix(".gtkw"))
    stages = [name for name in groups if name in STAGE_TITLES.values()]
    assert stages == ["SP", "RA", "RA2", "RU", "RR", "A0", "A1", "A2", "IO/WB"]
    for stage in stages:
        assert [without_index(name).rpartition("_")[2] for name in groups[stage]] == ["live", "quad", "pc", "text"]
    assert {
        "clock",
        "stall",
        "slice0 qpu0",
        "slice0 qpu0 file_a",
        "slice0 qpu0 file_b",
        "memory",
        "VPM",
    } <= groups.keys()
    assert {"slice0 qpu0 accumulators", "slice0 qpu0 flags", "slice0 qpu0 SFU", "AXI4-Lite"} <= groups.keys()


@pytest.mark.thorough
def test_the_view_shows_the_whole_run_without_escapes_in_colours(waves):
    """GTKWave shows 2 ** n units of time in a pixel, where the line with the asterisk says -n; the file has femtoseconds."""
    text = waves.with_suffix(".gtkw").read_text()
    (zoom,) = re.findall(r"^\*-([\d.]+) ", text, re.MULTILINE)
    end = max(int(time) for time in re.findall(r"^#(\d+)$", waves.read_text(), re.MULTILINE))
    # As GTKWave counts: 200 pixels show 2^zoom units of time.
    assert 900 <= 200 * end / 2 ** float(zoom) <= 1000
    assert "[timestart] 0\n" in text
    assert "\\" not in text
    assert len(set(re.findall(r"^\[color\] (\d)$", text, re.MULTILINE))) >= 6


def test_all_qpus_and_texture_units_of_a_file_are_shown(tmp_path):
    """Names as CXXRTL writes them: QPUs are numbered through, and stand beside the rest."""
    scopes = {
        "v3d": ["s_axil__awvalid", "clk"],
        "qpu0": ["trace__sp_pc", "not shown"],
        "qpu11": ["trace__sp_pc", "host_interrupt"],
        "tmu5": ["bus__requests__valid"],
        "vpm0": ["store_busy"],
    }
    lines = []
    for number, (scope, names) in enumerate(scopes.items()):
        lines.append(f"$scope module {scope} $end")
        lines += [f"$var reg 1 {number}{place} {name} $end" for place, name in enumerate(names)]
        lines.append("$upscope $end")
    path = tmp_path / "small.vcd"
    path.write_text("\n".join([*lines, "$enddefinitions $end", "#0", "#1000", ""]))
    write_view(path)
    assert groups_of(path.with_suffix(".gtkw")) == {
        "clock": ["v3d.clk"],
        "qpu0": ["qpu0.trace__sp_pc"],
        "qpu11": ["qpu11.trace__sp_pc", "qpu11.host_interrupt"],
        "tmu5": ["tmu5.bus__requests__valid"],
        "VPM": ["vpm0.store_busy"],
        "AXI4-Lite": ["v3d.s_axil__awvalid"],
    }


@pytest.mark.thorough
def test_every_trace_of_the_view_is_in_the_file(waves):
    waveform = pywellen.Waveform(str(waves))
    # Both sides without their indices, which the reader keeps apart from the names.
    names = {without_index(variable.full_name) for variable in waveform.all_vars()}
    traces = [name for group in groups_of(waves.with_suffix(".gtkw")).values() for name in group]
    assert len(traces) > 60
    assert [name for name in traces if without_index(name) not in names] == []


@pytest.mark.thorough
def test_the_disassembly_is_in_the_file(waves):
    text = waves.read_text()
    for instruction in set(PROGRAM):
        assert f"\ns{instruction.replace(' ', chr(92) + 'x20')} " in text


@pytest.mark.thorough
def test_every_stage_sees_every_instruction(waves):
    pipeline = read_pipeline(waves)
    for stage, passages in pipeline.stages.items():
        assert [(passage.pc, passage.text) for passage in passages] == [
            (0x10000 + 8 * index, text) for index, text in enumerate(PROGRAM)
        ], stage
        if stage != "sp":
            assert {passage.end - passage.start for passage in passages} == {4}
    starts = [pipeline.stages[stage][5].start for stage in list(STAGE_TITLES)[1:]]
    assert starts == list(range(starts[0], starts[0] + 8))
    assert [quad for quad in pipeline.quads if quad is not None] == [0, 1, 2, 3] * len(PROGRAM)
    assert any("uniforms" in reason for _, reason in pipeline.stalls)


def test_texts_of_words_and_stalls():
    assert instruction_text(0) == ""
    assert instruction_text(0x100009E7009E7000) == "nop"
    assert instruction_text(0x1002002715827DF7) == "or ra0, unif, nop"
    assert instruction_text(0x10020827080001F7).startswith("itof r0, r0")
    assert stall_text(0) == ""
    assert stall_text(0b101) == "fetch, uniforms"


@pytest.mark.thorough
@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_the_figure(waves, tmp_path, suffix):
    pytest.importorskip("matplotlib")
    figures = [tmp_path / f"{name}{suffix}" for name in ("one", "two")]
    for figure in figures:
        assert main(["waves", str(waves), "-o", str(figure), "--from", "90", "--to", "150"]) == 0
    assert figures[0].read_bytes() == figures[1].read_bytes()
    assert figures[0].stat().st_size > 10_000


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "figure.txt"], "an .svg or a .png file"),
        (["-o", "figure.svg", "--from", "100000"], "none of them is to be drawn"),
        (["-o", "figure.svg", "--from", "50", "--to", "40"], "none of them is to be drawn"),
    ],
)
def test_figures_that_cannot_be_drawn(waves, capsys, arguments, message):
    pytest.importorskip("matplotlib")
    assert main(["waves", str(waves), *arguments]) == 2
    assert message in capsys.readouterr().err


def small_file() -> str:
    """A VCD file with two instructions that pass through all stages at once."""
    names = ["stall", *(f"{stage}_{name}" for stage in STAGE_TITLES for name in ("live", "quad", "pc", "text"))]
    lines = ["$scope module top $end", "$var wire 1 ! clk $end", "$scope module probe $end"]
    lines += [f"$var wire 32 n{number} {name} $end" for number, name in enumerate(names)]
    lines += ["$upscope $end", "$upscope $end", "$enddefinitions $end", "#0", "0!", "s n0"]
    for clock in range(8):
        values = {"live": "b1", "quad": f"b{clock % 4:b}", "pc": f"b{clock // 4:b}000", "text": "snop"}
        lines += [f"#{10 * clock + 1}", "0!"]
        for number, name in enumerate(names[1:], 1):
            lines.append(f"{values[name.rpartition('_')[2]]} n{number}")
        lines += [f"#{10 * clock + 5}", "1!"]
    return "\n".join(lines) + "\n"


def test_a_small_file(tmp_path):
    path = tmp_path / "small.vcd"
    path.write_text(small_file())
    pipeline = read_pipeline(path)
    assert pipeline.clocks == 8
    assert pipeline.quads == [0, 1, 2, 3] * 2
    assert pipeline.stages["a0"] == [Passage(0, "nop", 0, 4), Passage(8, "nop", 4, 8)]


def test_damaged_files_are_read_or_refused(tmp_path):
    path = tmp_path / "small.vcd"
    refused = []
    for seed in range(300):
        random_ = random.Random(seed)
        lines = small_file().splitlines()
        for _ in range(random_.randrange(1, 6)):
            line = random_.randrange(len(lines))
            at = random_.randrange(len(lines[line]) + 1)
            lines[line] = (
                lines[line][:at] + random_.choice(["", " ", "x", "1", "s", "#", "\\x", "é"]) + lines[line][at + 1 :]
            )
        path.write_text("\n".join(lines), encoding="utf-8")
        try:
            read_pipeline(path)
        except BadInput as error:
            refused.append(str(error))
    assert 10 < len(refused) < 290
    assert all(text.startswith(str(path)) for text in refused)


@pytest.mark.parametrize("content", ["", "#0\nb2 !\n", "$upscope $end\n", "$scope module probe $end\n", "\x80"])
def test_files_that_are_no_waves(tmp_path, capsys, content):
    pytest.importorskip("matplotlib")
    path = tmp_path / "wrong.vcd"
    path.write_text(content, encoding="utf-8")
    assert main(["waves", str(path), "-o", "figure.svg"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
def test_both_simulators_show_the_same(waves, tmp_path):
    """CXXRTL has no probe: the stages are read out of the registers of the QPU. Its view has the same groups, but for the stages."""
    path = tmp_path / "cxxrtl.vcd"
    write_waves("cxxrtl", path)
    one, other = read_pipeline(waves), read_pipeline(path)
    assert other.stages == one.stages
    assert other.stalls == one.stalls
    assert {"clock", "qpu0", "qpu0 file_a", "VPM", "AXI4-Lite", "memory"} <= groups_of(path.with_suffix(".gtkw")).keys()
    assert path.with_suffix(".gtkw").read_text().count("[color]") > 80
