"""`vc4 run` with assembly files and examples."""

import shlex

import pytest

from vc4sim.cli import main
from vc4sim.lockstep import Lockstep
from vc4sim.lockstep.fields import ADD_DATA, WORD_BITS

RUN = ("--uniform", "1000", "--uniform", "&out", "--buffer", "out=64")
#: Where programs run on the RTL.
ENGINES = pytest.mark.parametrize("engine", ["native", pytest.param("pysim", marks=pytest.mark.thorough)])


def test_a_source_with_uniforms_and_a_buffer(source, output_of):
    lines = output_of("run", source, *RUN).splitlines()
    assert lines[:2] == ["9 instructions on the reference model", "out, 64 bytes at 0x000100c0"]
    assert lines[2].split() == ["00000", *(f"{1000 + lane:08x}" for lane in range(16))]
    assert lines[3].split() == [str(1000 + lane) for lane in range(16)]


@pytest.mark.parametrize(
    ("uniform", "words", "numbers"),
    [
        ("-7", "fffffff9", "-7"),
        ("0xff", "000000ff", "255"),
        ("-1.5", "bfc00000", "-1.5"),
        ("2.5e3", "451c4000", "2500"),
    ],
)
def test_uniforms_are_integers_and_floats(tmp_path, output_of, uniform, words, numbers):
    source = tmp_path / "same.qasm"
    source.write_text(
        "ldi vw_setup, 0x1a00\nmov vpm, unif\nldi vw_setup, 0x80904000\nmov vw_addr, unif\nthrend\nnop\nnop\n"
    )
    text = output_of("run", source, f"--uniform={uniform}", "--uniform", "&out", "--buffer", "out=64")
    assert f"{words}*16  {numbers}\n" in text


def test_a_buffer_can_come_from_a_file(source, tmp_path, output_of):
    data = tmp_path / "data"
    data.write_bytes(bytes(range(70)))
    lines = output_of("run", source, *RUN, "--buffer", f"in=@{data}").splitlines()
    start = lines.index("in, 70 bytes at 0x00010100")
    assert lines[start + 1].split()[:3] == ["00000", "03020100", "07060504"]
    assert lines[start + 3].split() == ["00040", "43424140", "44", "45"]


def test_trace_dump_and_statistics(source, tmp_path, output_of):
    trace, dump = tmp_path / "trace", tmp_path / "dump"
    text = output_of("run", source, *RUN, "--trace", trace, "--dump", dump, "--stats")
    lines = trace.read_text().splitlines()
    assert lines[0] == "0 start 00010000 uniforms 00010080"
    assert lines[1].startswith("0.0 00010000 e0021c6700001a00 ldi vw_setup, ")
    assert lines[1].endswith(" | vw_setup=00001a00*16")
    assert sum(line.startswith("mem 000100c0 e8030000") for line in lines) == 1
    assert len(lines) == 11
    assert dump.read_bytes()[0xC0:0xC4] == (1000).to_bytes(4, "little")
    assert "instructions                    9\n" in text
    assert "cycles" not in text


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
def test_statistics_of_several_qpus(tmp_path, output_of):
    """Stalls by reason and performance counters, those that are not 0."""
    path = tmp_path / "counter.qasm"
    path.write_text("srel -, 1\nread mutex\nmov recip, unif\nmov r0, r4\nmov recip, r0\nmov recip, r0\nmov recip, r0\n"
                    "nop\nnop\nmov r1, r4\nmov mutex, 0\nsacq -, 1\nthrend\nnop\nnop\n")  # fmt: skip
    arguments = ["run", path, "--uniform", 1, "--config", "slice", "--qpus", 4, "--on", "native", "--stats"]
    text = output_of(*arguments)
    found = dict(line.rsplit(maxsplit=1) for line in text.splitlines() if line[-1].isdigit())
    assert found["instructions"] == "60"
    assert {"cycles", "cycles per instruction", "stalled for fetch", "stalled for mutex", "stalled for sfu"} < set(
        found
    )
    assert int(found["QPU: hits of the instruction caches"]) > int(found["QPU: misses of the instruction caches"]) > 0
    assert int(found["L2C: misses"]) > 0
    assert "QPU: clocks that wait for TMUs" not in found
    assert "0" not in found.values()


def test_trace_to_standard_output(source, output_of):
    assert "0.0 00010008 " in output_of("run", source, *RUN, "--trace", "-")


@ENGINES
def test_lockstep_with_everything_on(source, tmp_path, output_of, engine):
    trace = tmp_path / "trace"
    arguments = ["run", source, *RUN, "--on", engine, "--lockstep", "--stats", "--trace", trace, "--gap", "0.3"]
    text = output_of(*arguments)
    assert "lockstep: 9 instructions, no difference" in text
    assert "cycles per instruction" in text
    assert "stalled for fetch" in text
    assert len(trace.read_text().splitlines()) > 10


class TestStrict:
    BROKEN = "mov ra5, unif\nnop\n:a\nmov.setf r0, ra5\nbrr.allnz -, r:a\nnop\nnop\nsub ra5, r0, 1\nthrend\nnop\nnop\n"
    PLACE = """\
{0}:4: a: error R1: a register is not read in the instruction after the one that writes it
    {0}:8: a+4  sub ra5, r0, 1
    {0}:4: a    mov.setf r0, ra5
    found: reads ra5, right after an instruction that writes ra5
    chip:  The register file is written after the next instruction has read it.
    here:  The reader gets the old value, however long it waits.
"""

    @pytest.fixture
    def loop(self, tmp_path):
        """Breaks a rule if, and when, it comes back to its beginning."""
        path = tmp_path / "loop.qasm"
        path.write_text(self.BROKEN)
        return path

    def test_a_good_program(self, source, output_of):
        assert "strict: 9 instructions, no rule broken\n" in output_of("run", source, *RUN, "--strict")
        assert "strict:" not in output_of("run", source, *RUN)

    @pytest.mark.parametrize("engine", [[], pytest.param(["--on", "pysim", "--lockstep"], marks=pytest.mark.thorough)])
    def test_the_first_broken_rule(self, loop, capsys, engine):
        assert main(["run", str(loop), "--uniform", "2", "--strict", *engine]) == 1
        out, err = capsys.readouterr()
        assert err == ""
        assert out == f"{self.PLACE.format(loop)}\nSTOPPED {loop}: instruction 8 breaks R1\n"

    def test_the_run_decides(self, loop, output_of):
        assert "strict: 10 instructions, no rule broken" in output_of("run", loop, "--uniform", "0", "--strict")

    def test_the_trace_ends_with_the_instruction(self, loop, tmp_path, capsys):
        trace = tmp_path / "trace"
        assert main(["run", str(loop), "--uniform", "2", "--strict", "--trace", str(trace)]) == 1
        assert [line.split()[1] for line in trace.read_text().splitlines()][-2:] == ["00010030", "00010010"]
        assert capsys.readouterr().out.startswith(self.PLACE.format(loop))

    def test_a_rule_is_left_out(self, loop, output_of, refused):
        assert "no rule broken" in output_of("run", loop, "--uniform", "2", "--strict", "--allow", "R1")
        assert "must be a rule of" in refused("run", loop, "--strict", "--allow", "R0")


@pytest.mark.parametrize(
    "engine",
    [
        pytest.param([], id="model"),
        pytest.param(["--on", "native", "--lockstep"], id="native"),
        pytest.param(["--on", "pysim", "--lockstep"], id="pysim", marks=pytest.mark.thorough),
    ],
)
def test_an_error_names_line_and_label(tmp_path, refused, engine):
    """Nobody has asked for a vector: the guide has reads of the VPM wait for one."""
    source = tmp_path / "waits.qasm"
    source.write_text("mov r1, 1\n\n:here\nnop\nmov r0, vpm  # of nobody\nthrend\nnop\nnop\n")
    line = refused("run", source, *engine)
    assert line.startswith(f"vc4: {source}: QPU 0 at 0x00010010 waits for vpm")
    assert line.endswith(f" ({source}:5: here+1: mov r0, vpm  # of nobody)")


@pytest.mark.parametrize(
    "engine", [[], pytest.param(["--on", "native", "--lockstep"], marks=pytest.mark.thorough)], ids=["model", "native"]
)
@pytest.mark.usefixtures("compiler")
def test_a_lookup_outside_of_memory(tmp_path, output_of, engine):
    source = tmp_path / "lookup.qasm"
    source.write_text("mov t0s, 0\nnop; ldtmu0\nthrend\nnop\nnop\n")
    text = output_of("run", source, "--config", "slice", *engine)
    assert "\nerror ERR_LOOKUP: a texture unit has looked up what is outside of memory\n" in text


def test_the_trace_shows_what_arrives_in_r4(tmp_path, output_of):
    """Broadcom's tables give 0x40000100 for 2 to the power of 1 (SFU facts, 4)."""
    source = tmp_path / "power.qasm"
    source.write_text("mov exp, 1.0\nnop\nnop\nthrend\nnop\nnop\n")
    lines = output_of("run", source, "--trace", "-").splitlines()
    assert lines[3].endswith(" nop | r4=40000100*16")


@ENGINES
def test_coordinate_shader_on_the_rtl(output_of, engine):
    lines = output_of("run", "coordinate_shader", "--on", engine, "--lockstep").splitlines()
    assert lines[3].split() == ["00000", "clip", "x", "bf665c24*16", "-0.8998435"]
    assert lines[-2] == "lockstep: 29 instructions, no difference"
    assert lines[-1].startswith("PASS coordinate_shader (448 bytes in 1 region): a Raspberry Pi printed")


@ENGINES
def test_a_difference_gives_the_command_that_shows_it(source, monkeypatch, capsys, engine):
    follow = Lockstep.__call__

    def wrong(self, records):
        spoiled = records.copy()
        spoiled[records[:, 1] == 0x10010, 1 + ADD_DATA // WORD_BITS] += 1
        follow(self, spoiled)

    monkeypatch.setattr(Lockstep, "__call__", wrong)
    arguments = ["run", str(source), *RUN, "--on", engine, "--lockstep", "--seed", "5"]
    assert main(arguments) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("kernel.qasm, seed 5: instruction 2 differs")
    assert lines[-1] == f"replay: vc4 {shlex.join(arguments)} --on pysim --waves difference.vcd"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--lockstep"], "--lockstep is not for model: add --on pysim or cxxrtl or native"),
        (["--waves", "x.vcd"], "--waves is not for model: add --on pysim or cxxrtl"),
        (["--waves", "x.vcd", "--on", "native"], "--waves is not for native: add --on pysim or cxxrtl"),
        (["--waves", "x.vcd", "--on", "pysim", "--window", "1:2"], "--window is not for pysim: add --on cxxrtl"),
        (["--on", "cxxrtl", "--window", "1:2"], "--window is about waves: add --waves"),
        (["--uniform", "&in"], "no buffer of this name"),
        (["--uniform", "1.5.2"], "must be an integer"),
        (["--uniform", "1.0e99"], "must be an integer"),
        (["--uniform", "0x100000000"], "32 bits"),
        (["--uniform", "9" * 5000], "must be an integer"),
        (["--buffer", "out"], "NAME=BYTES"),
        (["--buffer", "out=0"], "1 to"),
        (["--buffer", "out=x"], "1 to"),
        (["--buffer", "out=99999999999"], "1 to"),
        (["--buffer", "a=64000000", "--buffer", "b=64000000"], "larger"),
        (["--buffer", "out=4", "--buffer", "out=4"], "given twice"),
        (["--buffer", "in=@nothing"], "no such file"),
        (["--trace", "/nowhere/trace"], "/nowhere/trace: No such file"),
        (["--uniform", "0", "--uniform=0"], "DMA store at 0x00000000 is outside of memory"),
        ([], "uniform read at 0x00010080 is outside of memory"),
    ],
)
def test_what_cannot_be_run(source, refused, arguments, text):
    assert text in refused("run", source, *arguments)


def test_names_that_are_nothing(refused, tmp_path):
    assert "coordinate_shader, gradient" in refused("run", "coordinate_shadow")
    assert "case.json: there is no such file" in refused("run", tmp_path)
    assert "are for assembly files" in refused("run", "mandelbrot", "--uniform", "1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# nothing\n", "no instructions"),
        ("frob r0\n", "endless.qasm:1:"),
        (":a\nbrr -, r:a\nnop\nnop\nnop\n", "not ended after 1000 cycles: QPU 0 at 0x000100"),
        ("bra -, 0x40000\nnop\nnop\nnop\n", "QPU 0 at 0x00040000: instruction"),
        ("mov tlbz, r0\nthrend\nnop\nnop\n", "waits for tile_buffer: only fragment shaders have that"),
    ],
)
def test_programs_that_go_nowhere(tmp_path, refused, text, message):
    source = tmp_path / "endless.qasm"
    source.write_text(text)
    assert message in refused("run", source, "--max-cycles", "1000")


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
def test_a_program_on_all_of_the_chip(output_of):
    text = output_of("run", "coordinate_shader", "--config", "bcm2835", "--on", "native", "--lockstep")
    assert "lockstep: 29 instructions, no difference" in text


class TestMaxCycles:
    """It means clocks everywhere: the model counts those that instructions need at least, four each (guide, section 3)."""

    @pytest.fixture
    def endless(self, tmp_path):
        path = tmp_path / "endless.qasm"
        path.write_text(":a\nbrr -, r:a\nnop\nnop\nnop\n")
        return path

    ENGINES = (
        ["model"],
        ["native"],
        pytest.param(["pysim", "--lockstep"], marks=pytest.mark.thorough),
        pytest.param(["cxxrtl"], marks=pytest.mark.thorough),
    )

    @pytest.mark.usefixtures("compiler")
    @pytest.mark.parametrize("engine", ENGINES)
    def test_programs_without_end_are_given_up(self, endless, refused, engine):
        text = refused("run", endless, "--on", *engine, "--max-cycles", "600")
        assert f"{endless}: not ended after 600 cycles: QPU 0 at 0x000100" in text

    def test_idle_qpus_give_the_model_no_more_time(self, endless, tmp_path, refused, output_of):
        trace = tmp_path / "trace"
        refused("run", endless, "--max-cycles", "600", "--config", "bcm2835", "--trace", trace)
        assert len(trace.read_text().splitlines()) == 1 + 600 // 4 + 1

    @pytest.mark.usefixtures("compiler")
    @pytest.mark.parametrize(
        "engine",
        ["native", pytest.param("cxxrtl", marks=pytest.mark.thorough), pytest.param("pysim", marks=pytest.mark.slow)],
    )
    def test_the_last_clock_counts(self, source, output_of, refused, engine):
        """On all alike: two of the clocks that a run takes go into seeing that it has ended."""
        arguments = ["run", source, *RUN, "--on", engine]
        clocks = int(output_of(*arguments).split()[3]) - 2
        assert "9 instructions" in output_of(*arguments, "--max-cycles", clocks)
        assert f"not ended after {clocks - 1} cycles" in refused(*arguments, "--max-cycles", clocks - 1)

    def test_the_model_ends_what_the_rtl_can_end(self, source, output_of):
        assert "9 instructions" in output_of("run", source, *RUN, "--max-cycles", 9 * 4)
