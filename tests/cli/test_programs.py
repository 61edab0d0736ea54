"""`vc4 run` with programs of others: words, memory of their own, several launches, and the configuration that they need."""

import json

import pytest

from vc4sim.asm import assemble
from vc4sim.cli import main
from vc4sim.workload.hexfile import bytes_of_hex

from .conftest import SOURCE

RUN = ("--uniform", "1000", "--uniform", "&out", "--buffer", "out=64")


def halves(code):
    return [int.from_bytes(code[at : at + 4], "little") for at in range(0, len(code), 4)]


def lines_of_halves(code, prefix=""):
    """As vc4asm -c and gpu_fft publish programs: an instruction a line, its low half first, and what it is."""
    pairs = zip(halves(code)[::2], halves(code)[1::2], strict=True)
    return "".join(
        f"{prefix}0x{low:08x}, 0x{high:08x}, // instruction {index}\n" for index, (low, high) in enumerate(pairs)
    )


FORMS = {
    "bare": ("x.hex", lines_of_halves),
    "array": (
        "x.c",
        lambda code: (
            "#include <stdint.h>\n/* a\n program { */\n__attribute__((aligned(8)))\n"
            f"static const uint32_t code[{len(code) // 4}] = {{\n{lines_of_halves(code, '    ')}}};\n"
        ),
    ),
    "long words": (
        "x.h",
        lambda code: (
            "uint64_t code[] = { "
            + ", ".join(
                f"0x{high << 32 | low:016X}ULL" for low, high in zip(halves(code)[::2], halves(code)[1::2], strict=True)
            )
            + " };"
        ),
    ),
    "decimal": ("x.c", lambda code: "{" + ",".join(f"{half}u" for half in halves(code)) + "}"),
    "lines": ("x.hex", lambda code: "".join(f"{w:016x}  # {w}\n" for w in assemble(SOURCE).words)),
}


class TestWords:
    @pytest.mark.parametrize("form", FORMS)
    def test_words_are_what_is_run(self, tmp_path, output_of, source, form):
        name, write = FORMS[form]
        path = tmp_path / name
        path.write_text(write(assemble(SOURCE).code))
        assert output_of("run", path, *RUN) == output_of("run", source, *RUN)

    def test_binary_words(self, tmp_path, output_of, source):
        path = tmp_path / "x.bin"
        path.write_bytes(assemble(SOURCE).code)
        assert output_of("run", path, *RUN) == output_of("run", source, *RUN)

    def test_arrays_of_recorded_programs(self, recorded):
        """The words that vc4asm made of programs, written as it writes them for C."""
        for path in sorted((recorded / "vectors/asm_programs").glob("*.hex")):
            code = bytes_of_hex(path.read_text(), path.name)
            assert bytes_of_hex(lines_of_halves(code), path.name) == code

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("x.c", "{1, 2, 3}", "x.c: 3 words of 32 bits are no whole number of instructions"),
            ("x.c", "{0x0,\n nop}", "x.c:2: not a number of C: nop"),
            ("x.h", "int a[] = {1, 2}, b[] = {3, 4};", "x.h: there is more than one array"),
            ("x.hex", "0x11112222333344445,", "x.hex:1: more than 64 bits: 0x11112222333344445"),
            ("x.hex", "1234\n", "x.hex:1: not a word of 16 hexadecimal digits"),
            ("x.c", "{}", "x.c: there are no instructions"),
        ],
    )
    def test_words_that_are_none(self, tmp_path, refused, name, text, message):
        (tmp_path / name).write_text(text)
        assert message in refused("run", tmp_path / name)


class TestMemory:
    @pytest.mark.parametrize("name", ["saxpy_4qpu", "uniforms", "matmul_16"])
    def test_recorded_cases_put_together_by_hand(self, recorded, tmp_path, output_of, name):
        """Their memory is loaded, their launches are given; memory holds then what the case expects."""
        folder = recorded / "cases/qpu" / name
        case = json.loads((folder / "case.json").read_text())
        program, dump = tmp_path / "nothing.qasm", tmp_path / "dump"
        program.write_text("thrend\nnop\nnop\n")
        launches = [text for one in case["launches"] for text in ("--launch", f"{one['pc']:#x},{one['unif']:#x}")]
        load = f"{folder / 'memory.bin'}@{case['mem_base']:#x}"
        output_of("run", program, "--base", "0x8000", "--load", load, *launches, "--config", "slice", "--dump", dump)
        memory, expected = dump.read_bytes()[case["mem_base"] - 0x8000 :], (folder / "expected.bin").read_bytes()
        for region in case["compare"]:
            assert region["tol"]["kind"] == "exact"
            start, size, offset = region["addr"] - case["mem_base"], region["size"], region["expected_offset"]
            assert memory[start : start + size] == expected[offset : offset + size]

    def test_a_buffer_at_an_address(self, source, output_of):
        text = output_of("run", source, "--uniform", 1, "--uniform", "0x20040", "--buffer", "out@0x20040=64")
        assert "out, 64 bytes at 0x00020040\n  00000  00000001 00000002" in text

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            (["--load", "nothing@0x20000"], "nothing: there is no such file"),
            (["--load", "nothing"], "must be FILE@ADDRESS"),
            (["--load", "{source}@here"], "must lie at an address, not at here"),
            (["--load", "{source}@0x10008"], "the program and {source} both want 0x00010008"),
            (["--load", "{source}@0xf0000000"], "larger than"),
            (["--base", "8"], "must be a multiple of 64"),
            (["--buffer", "out@x=64"], "must lie at an address"),
        ],
    )
    def test_memory_that_cannot_be(self, source, refused, arguments, text):
        assert text.format(source=source) in refused("run", source, *(each.format(source=source) for each in arguments))


class TestLaunches:
    @pytest.fixture
    def two(self, tmp_path):
        """Two programs, at labels: each stores its uniform at the address in its next one."""
        path = tmp_path / "two.qasm"
        body = "ldi vw_setup, 0x1a00 + {row}\nmov vpm, unif\nldi vw_setup, 0x80904000 + {row} * 128\nmov vw_addr, unif\nthrend\nnop\nnop\n"
        path.write_text(f":first\n{body.format(row=0)}:second\n{body.format(row=1)}")
        return path

    def test_each_takes_the_uniforms_behind_it(self, two, output_of):
        text = output_of(
            *("run", two, "--buffer", "out=128"),
            *("--launch", "first", "--uniform", 7, "--uniform", "&out"),
            *("--launch", "&second", "--uniform", "-1", "--uniform", "&out+64"),
        )
        assert "00000007*16  7\n" in text
        assert "ffffffff*16  -1\n" in text
        assert text.startswith("14 instructions on the reference model, --config slice\n")

    def test_places_below_and_within(self, two, output_of):
        text = output_of(
            *("run", two, "--buffer", "out=128", "--launch", "&program+56"),
            *("--uniform", "&first", "--uniform", "&out+0x40"),
        )
        assert "00010000*16  65536\n" in text

    def test_uniforms_that_lie_in_memory(self, two, tmp_path, output_of):
        uniforms = tmp_path / "uniforms"
        uniforms.write_bytes((5).to_bytes(4, "little") + (0x20000).to_bytes(4, "little"))
        text = output_of(
            "run", two, "--load", f"{uniforms}@0x18000", "--launch", "first,0x18000", "--buffer", "out@0x20000=64"
        )
        assert "00000005*16  5\n" in text

    def test_fewer_qpus_than_launches(self, two, output_of):
        launches = ["--launch", "first", "--uniform", 7, "--uniform", "&out"] * 2
        text = output_of("run", two, "--buffer", "out=64", *launches, "--qpus", 1, "--trace", "-")
        assert [line[0] for line in text.splitlines() if " start " in line] == ["0", "0"]

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            (["--uniform", "1", "--launch", "first"], "the uniforms in front of the first one belong to none"),
            (["--launch", "third"], "launch third: must be an address, & and the name of a place, or a label"),
            (["--launch", "&third"], "launch &third: there is no buffer of this name"),
            (["--launch", "0x10004"], "launch 0x10004: there is no instruction at 0x00010004"),
            (["--launch", "0x90000"], "launch 0x90000: there is no instruction at 0x00090000"),
            (["--launch", "first,0x10001"], "uniforms begin at a multiple of 4, not at 0x00010001"),
            (["--launch", "first,0x10000", "--uniform", "1"], "its uniforms lie at 0x10000, so it takes no others"),
            (["--uniform", "&first+"], "must be & and a name, and perhaps + or - and a number of bytes"),
        ],
    )
    def test_launches_that_cannot_be(self, two, refused, arguments, text):
        assert text in refused("run", two, *arguments)

    def test_they_are_for_programs(self, refused):
        assert "are for assembly files and words" in refused("run", "mandelbrot", "--launch", "0")
        assert "are for assembly files and words" in refused("run", "mandelbrot", "--load", "a@0")


class TestConfiguration:
    """The smallest configuration that has what a program needs; how much that is, the recorded cases know."""

    @pytest.mark.parametrize(
        ("name", "chosen"),
        [("uniforms", ""), ("tmu_gather", ", --config slice"), ("semaphore_barrier_12", ", --config bcm2835")],
    )
    def test_the_smallest_that_serves(self, recorded, output_of, name, chosen):
        assert f" instructions on the reference model{chosen}\n" in output_of("run", recorded / "cases/qpu" / name)

    #: Fills row 100 of the VPM: 64 rows are not enough.
    ROWS = "ldi vr_setup, 0x80001640\nmov vr_addr, unif\nread vr_wait\nthrend\nnop\nnop\n"

    def test_a_larger_vpm(self, tmp_path, output_of):
        """A DMA load to row 100 (guide, set-up of DMA loads: bits 4 to 10 are the row)."""
        path = tmp_path / "rows.qasm"
        path.write_text(self.ROWS)
        arguments = ["run", path, "--uniform", "&in", "--buffer", "in=64"]
        assert output_of(*arguments).startswith("6 instructions on the reference model, --config slice\n")
        text = output_of(*arguments, "--config", "qpu")
        assert "\nthe VPM of qpu has 64 rows: more has --config slice or --config gpu or --config bcm2835\n" in text

    def test_units_that_are_missing_are_named_with_who_has_them(self, tmp_path, refused):
        path = tmp_path / "lookup.qasm"
        path.write_text("mov t0s, r0\nthrend\nnop\nnop\n")
        text = refused("run", path, "--config", "qpu")
        assert "; qpu has no texture units: add --config slice or --config gpu or --config bcm2835 (" in text
        assert main(["run", str(path)]) == 0


class TestIncludes:
    def test_folders_are_given_to_whoever_reads_a_source(self, tmp_path, output_of, refused):
        folder, source = tmp_path / "include", tmp_path / "x.qasm"
        folder.mkdir()
        (folder / "end.qinc").write_text(".macro end\nthrend\nnop\nnop\n.endm\n")
        source.write_text(".include <end.qinc>\nend\n")
        for command in ("asm", "run", "check"):
            assert "there is no file" in refused(command, source)
            assert output_of(command, "-I", tmp_path, "-I", folder, source)
