"""`vc4 run` with case directories: good ones, wrong ones, and damaged ones."""

import contextlib
import copy
import io
import json
import random
import struct

import pytest

from vc4sim.asm import assemble
from vc4sim.cli import main


def change(case, **fields):
    """Change fields of `case.json`; `None` takes one out."""
    path = case / "case.json"
    description = json.loads(path.read_text()) | fields
    path.write_text(json.dumps({name: value for name, value in description.items() if value is not None}))


def region(**fields):
    return [{"addr": 0x10140, "size": 64, "expected_offset": 0, "tol": {"kind": "exact"}} | fields]


def test_a_case_passes(case, output_of):
    assert output_of("run", case).endswith("PASS some_case (64 bytes in 1 region)\n")


def test_a_case_of_many_sizes(case, output_of):
    change(case, compare=[*region(size=3), *region(addr=0x10145, size=7, expected_offset=5)], name=None)
    assert output_of("run", f"{case}/").endswith("PASS some_case (10 bytes in 2 regions)\n")


def test_the_first_difference_is_shown(case, capsys):
    expected = bytearray((case / "expected.bin").read_bytes())
    expected[21] = 1
    (case / "expected.bin").write_bytes(expected)
    assert main(["run", str(case)]) == 1
    lines = "FAIL some_case: compare[0]: 1 of 16 words wrong\n  0x00010154  expected 00000169  got 00000069\n"
    assert capsys.readouterr().out.endswith(lines)


@pytest.mark.parametrize(
    ("wanted", "got", "passes"),
    [
        (100.0, 100.5, True),
        (100.0, 102.0, False),
        (0.0, 0.25, True),
        (0.0, -0.75, False),
        (float("inf"), float("inf"), True),
        (float("inf"), float("-inf"), False),
        (float("inf"), 3e38, False),
        (float("nan"), 1.0, False),
    ],
)
def test_close_regions(case, wanted, got, passes):
    first, other = struct.pack("<f", got), struct.pack("<f", wanted)
    image = bytearray((case / "memory.bin").read_bytes())
    image[0x100:0x104] = first
    (case / "memory.bin").write_bytes(image)
    (case / "expected.bin").write_bytes(other)
    change(case, compare=region(size=4, tol={"kind": "close", "atol": 0.5, "rtol": 0.01}))
    assert main(["run", str(case)]) == (0 if passes else 1)


@pytest.mark.parametrize(
    ("type_", "expected", "tolerance", "passes"),
    [
        ("signed", -3, 2, False),
        ("signed", 99, 1, True),
        ("unsigned", 90, 9, False),
        ("unsigned", 90, 10, True),
        ("hex", 90, 10, True),
    ],
)
def test_integers_with_a_tolerance(case, type_, expected, tolerance, passes):
    """The program stores 100."""
    (case / "expected.bin").write_bytes(struct.pack("<i", expected))
    tol = {"kind": "close", "atol": tolerance, "rtol": 0}
    change(case, compare=region(size=4, type=type_, tol=tol))
    assert main(["run", str(case)]) == (0 if passes else 1)


@pytest.mark.parametrize(
    ("region_fields", "lines"),
    [
        (
            {"type": "unsigned"},
            ["3 of 16 words wrong, the largest difference is 4294967190"]
            + ["  0x00010144  expected 7 (00000007)  got 101 (00000065)"]
            + ["  0x00010150  expected 4294967294 (fffffffe)  got 104 (00000068)"]
            + ["  0x0001017c  expected 0 (00000000)  got 115 (00000073)"],
        ),
        (
            {"type": "signed", "size": 20},
            ["2 of 5 words wrong, the largest difference is 106"]
            + ["  0x00010144  expected 7 (00000007)  got 101 (00000065)"]
            + ["  0x00010150  expected -2 (fffffffe)  got 104 (00000068)"],
        ),
        (
            {"size": 18},
            ["2 of 5 words wrong"]
            + ["  0x00010144  expected 00000007  got 00000065", "  0x00010150  expected fffe  got 0068"],
        ),
    ],
)
def test_what_is_wrong_is_told_as_what_it_is(case, capsys, region_fields, lines):
    """Of the sixteen words from 100 on, three are expected to be something else."""
    words = list(range(100, 116))
    words[1], words[4], words[15] = 7, 0xFFFF_FFFE, 0
    (case / "expected.bin").write_bytes(struct.pack("<16I", *words))
    change(case, compare=region(**region_fields))
    assert main(["run", str(case)]) == 1
    lines[0] = f"FAIL some_case: compare[0]: {lines[0]}"
    assert capsys.readouterr().out.splitlines()[-len(lines) :] == lines


def test_many_wrong_floats(case, capsys):
    image = bytearray((case / "memory.bin").read_bytes())
    image[0x80:0xC0] = struct.pack("<16f", *[0.5] * 15, 3.0)
    (case / "memory.bin").write_bytes(image)
    (case / "expected.bin").write_bytes(struct.pack("<16f", *[0.5] * 9, *[0.75] * 6, 1.0) + bytes(64))
    close = {"kind": "close", "atol": 0.125, "rtol": 0}
    change(case, compare=[*region(addr=0x10080, size=128, tol=close)])
    assert main(["run", str(case)]) == 1
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("FAIL some_case: compare[0]: 7 of 32 words wrong, the largest difference is 2")
    assert lines[at + 1] == "  0x000100a4  expected 0.75 (3f400000)  got 0.5 (3f000000)"
    assert lines[at + 7] == "  0x000100bc  expected 1 (3f800000)  got 3 (40400000)"


def test_a_case_need_not_compare_anything(case, output_of):
    (case / "expected.bin").unlink()
    for compare in ([], None):
        change(case, compare=compare)
        assert output_of("run", case).splitlines() == ["9 instructions on the reference model"]


@pytest.mark.parametrize("engine", [(), pytest.param(("--on", "pysim", "--lockstep"), marks=pytest.mark.thorough)])
def test_a_case_need_not_have_uniforms(case, output_of, refused, engine):
    change(case, launches=[{"pc": 0x10000}], uniform_words_per_launch=None, compare=[])
    assert "outside of memory" in refused("run", case, *engine)
    image = bytearray((case / "memory.bin").read_bytes())
    code = assemble("thrend\nnop\nnop\n").code
    image[: len(code)] = code
    (case / "memory.bin").write_bytes(image)
    (case / "program.bin").write_bytes(code)
    change(case, program_size=len(code))
    assert output_of("run", case, *engine).startswith("3 instructions")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"mem_base": None}, "case.json: there is no mem_base"),
        ({"mem_base": 0x10004}, "mem_base must be an integer from 0 to"),
        ({"mem_size": "x"}, "mem_size must be an integer from 1 to 67108864, not 'x'"),
        ({"mem_size": -1}, "mem_size must be"),
        ({"mem_size": True}, "mem_size must be"),
        ({"mem_size": 400}, "memory.bin: has 384 bytes, but case.json says 400"),
        ({"program_size": 80}, "program.bin: has 72 bytes"),
        ({"program_addr": 0x10008}, "differs from memory.bin at 0x00010008"),
        ({"program_addr": 0x20000}, "program_addr must be"),
        ({"launches": []}, "launches must be a list of objects"),
        ({"launches": [7]}, "launches[0] must be an object, not 7"),
        ({"launches": [{"pc": 0x10000}]}, "launches[0]: there is no unif"),
        (
            {"compare": region(type="double")},
            "the type of a region must be float, signed, unsigned or hex, not 'double'",
        ),
        ({"launches": [{"pc": 0x20000, "unif": 0x10100}]}, "launches[0]: pc must be an integer from 65536 to 65912"),
        ({"launches": [{"pc": 0x10000, "unif": 0x10179}]}, "launches[0]: unif must be"),
        (
            {"launches": [{"pc": 0x10000, "unif": 0x10100}] * 17},
            "needs 17 QPUs at the same time, but bcm2835 has 12: the most are the 12 of --config bcm2835",
        ),
        (
            {"launches": [{"pc": 0x10000, "unif": 0x10100}] * 13},
            "needs 13 QPUs at the same time, but bcm2835 has 12: the most are the 12 of --config bcm2835",
        ),
        ({"qpus": 0}, "qpus must be an integer from 1 to 16, not 0"),
        ({"uniform_words_per_launch": 97}, "uniform_words_per_launch must be"),
        ({"compare": {}}, "compare must be a list"),
        ({"compare": region(addr=0)}, "compare[0]: addr must be"),
        ({"compare": region(size=-4)}, "compare[0]: size must be"),
        ({"compare": region(size=65)}, "compare[0]: size must be an integer from 1 to 64"),
        (
            {"compare": region(addr=0x10100, size=65)},
            "expected.bin: has 64 bytes, but compare[0] wants 65 from byte 0 on",
        ),
        ({"compare": region(expected_offset=1)}, "expected.bin: has 64 bytes, but compare[0] wants 64 from byte 1 on"),
        ({"compare": region(expected_offset=-1)}, "compare[0]: expected_offset must be"),
        ({"compare": region(tol=None)}, "compare[0]: tol must be an object"),
        ({"compare": region(tol={"kind": "similar"})}, "exact or close"),
        (
            {"compare": region(tol={"kind": "close", "atol": 0, "rtol": -1})},
            "rtol must be a number that is not negative",
        ),
        ({"compare": region(tol={"kind": "close", "atol": 10**400, "rtol": 0})}, "atol must be"),
        ({"compare": region(tol={"kind": "close", "atol": 0, "rtol": 0}, size=6)}, "a multiple of 4"),
        ({"name": 7}, "name must be a line of text"),
        ({"name": "two\nlines"}, "name must be a line of text"),
        ({"description": "\ud800"}, "description must be a line of text"),
    ],
)
def test_wrong_descriptions(case, refused, fields, text):
    change(case, **fields)
    assert text in refused("run", case)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "case.json:1:1: not JSON"),
        (b"[]", "must be an object"),
        (b"{", "case.json:1:2: not JSON"),
        (b"\xff", "not a text file"),
        (b'{"mem_base": ' + b"[" * 100_000, "not JSON that can be read"),
        (b'{"mem_base": ' + b"1" * 5000 + b"}", "not JSON that can be read"),
        (b'{"mem_base": NaN}', "mem_base must be"),
    ],
)
def test_descriptions_that_are_no_json(case, refused, text, message):
    (case / "case.json").write_bytes(text)
    assert message in refused("run", case)


@pytest.mark.parametrize("name", ["case.json", "memory.bin", "program.bin", "expected.bin"])
def test_files_that_are_missing_or_cut(case, refused, name):
    path = case / name
    path.write_bytes(path.read_bytes()[:-1])
    assert name in refused("run", case)
    path.unlink()
    assert f"{name}: there is no such file" in refused("run", case)


#: What a careless or an evil hand puts into a file.
VALUES = (None, True, -1, 0, 1, 2, 3, 7, 63, 2**31, 2**32 - 8, 2**32, 2**64, 10**40, 1.5, 1e308, float("inf"),
          float("nan"), "", "x", "exact", "close", "\x00", "\ud800", [], {}, [[]], [{}], {"kind": "close"})  # fmt: skip


def places(value, path=()):
    """Paths of everything inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def damage_description(random_, case):
    """Replace, change or take out one to three values of `case.json`."""
    path = case / "case.json"
    value = json.loads(path.read_text())
    for _ in range(random_.randrange(1, 4)):
        *way, last = random_.choice(list(places(value)) or [("x",)])
        inner = value
        for key in way:
            inner = inner[key]
        action = random_.randrange(3)
        if action == 0 and isinstance(inner, dict):
            inner.pop(last, None)
        elif action == 1 and isinstance(inner[last], int):
            inner[last] += random_.choice((-8, -4, -1, 1, 4, 8, 64))
        else:
            inner[last] = copy.deepcopy(random_.choice(VALUES))
    path.write_text(json.dumps(value))


def damage_file(random_, case):
    """Cut, lengthen or change a file."""
    path = case / random_.choice(["case.json", "memory.bin", "program.bin", "expected.bin"])
    data = bytearray(path.read_bytes())
    for _ in range(random_.randrange(1, 4)):
        action = random_.randrange(3)
        if action == 0:
            del data[random_.randrange(len(data) + 1) :]
        elif action == 1:
            data += random_.randbytes(random_.randrange(1, 20))
        elif data:
            data[random_.randrange(len(data))] = random_.getrandbits(8)
    path.write_bytes(data)


def damage_program(random_, case):
    """Change bits of the program, in both places, so that it runs into anything."""
    image, code = (bytearray((case / name).read_bytes()) for name in ("memory.bin", "program.bin"))
    for _ in range(random_.randrange(1, 9)):
        bit = random_.randrange(8 * len(code))
        for data in (image, code):
            data[bit // 8] ^= 1 << bit % 8
    (case / "memory.bin").write_bytes(image)
    (case / "program.bin").write_bytes(code)


@pytest.mark.parametrize("damage", [damage_description, damage_file, damage_program])
def test_damage_gives_a_verdict_or_one_line(case, damage):
    """Whatever the files hold, the command ends, with a verdict or with one line, and never with a traceback."""
    good = {path: path.read_bytes() for path in case.iterdir()}
    ends = set()
    for seed in range(150):
        for path, data in good.items():
            path.write_bytes(data)
        damage(random.Random(seed), case)
        output, errors = io.TextIOWrapper(io.BytesIO()), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = main(["run", str(case), "--max-cycles", "2000"])
        ends.add(status)
        lines = errors.getvalue().splitlines()
        assert len(lines) == (status == 2), (seed, lines)
        assert all(line.startswith("vc4: ") for line in lines)
    assert {0, 2} <= ends <= {0, 1, 2}


#: The cases that need nothing but what is built, with a memory that is fast, slow, or full of pauses.
BUILT = {
    "alu_add_float": (1, 0.0),
    "alu_add_int": (20, 0.0),
    "alu_add_int_swapped": (100, 0.0),
    "alu_convert": (20, 0.3),
    "alu_dual": (1, 0.0),
    "alu_fmul": (20, 0.0),
    "alu_mul_int": (100, 0.0),
    "alu_random_1": (20, 0.3),
    "alu_random_2": (1, 0.0),
    "bitonic_16": (20, 0.0),
    "bitonic_256": (100, 0.0),
    "branch_conditions": (20, 0.3),
    "branch_links": (1, 0.0),
    "cond_all": (1, 0.0),
    "convolution_1d": (20, 0.3),
    "crc32": (20, 0.0),
    "dma_overlap": (100, 0.0),
    "fir_q15": (100, 0.0),
    "flags_masked": (20, 0.3),
    "flags_mul": (1, 0.0),
    "flags_nzc": (20, 0.0),
    "histogram_4qpu": (100, 0.0),
    "ldi_forms": (20, 0.0),
    "life": (20, 0.3),
    "matmul_16": (1, 0.0),
    "memcpy_2d": (20, 0.3),
    "mutex_counter_2": (20, 0.0),
    "mutex_counter_8": (1, 0.3),
    "nop_replay": (100, 0.0),
    "pack_a_float": (20, 0.0),
    "pack_a_int": (100, 0.0),
    "pack_a_mul_int": (20, 0.3),
    "pack_mul_colour": (1, 0.0),
    "prefix_sum": (20, 0.0),
    "program_end": (20, 0.3),
    "r5_forms": (100, 0.0),
    "random_numbers": (20, 0.3),
    "ray_sphere": (20, 0.0),
    "regfile_latency": (100, 0.3),
    "rgb565_to_rgba8888": (1, 0.0),
    "rotate_full": (20, 0.0),
    "rotate_quad": (100, 0.0),
    "saxpy_4qpu": (20, 0.0),
    "semaphore_barrier_12": (20, 0.0),
    "semaphore_barrier_4": (100, 0.3),
    "semaphore_pingpong": (1, 0.0),
    "sfu": (20, 0.3),
    "small_immediates": (1, 0.3),
    "tmu_gather": (1, 0.0),
    "uniforms": (20, 0.3),
    "unpack_a": (20, 0.0),
    "unpack_r4": (100, 0.0),
    "vdr_16": (20, 0.3),
    "vdr_32": (100, 0.0),
    "vdr_8": (1, 0.3),
    "vdr_narrow_vertical": (20, 0.0),
    "vdw_16": (100, 0.3),
    "vdw_32": (20, 0.0),
    "vdw_8": (20, 0.3),
    "vdw_narrow_vertical": (1, 0.0),
    "vpm_read_16": (20, 0.3),
    "vpm_read_32": (100, 0.0),
    "vpm_read_8": (1, 0.0),
    "vpm_write_16": (20, 0.0),
    "vpm_write_32": (1, 0.3),
    "vpm_write_8": (100, 0.3),
}
#: One more that takes long.
SLOW = "mandelbrot"
MEMORIES = [(1, 0.0), (20, 0.0), (100, 0.0), (20, 0.3)]


#: Those that need more QPUs than a slice has: a GPU of that size takes minutes to compile.
WIDE = {"mutex_counter_8", "semaphore_barrier_12"}


def config_of(name):
    """The smallest configuration with as many QPUs as the case wants."""
    return "bcm2835" if name in WIDE else "slice"


def passes(recorded, capsys, name, *options):
    """Whether a case passes with these options."""
    status = main(["run", str(recorded / "cases/qpu" / name), *map(str, options)])
    captured = capsys.readouterr()
    return status == 0 and f"PASS {name} " in captured.out and not captured.err


@pytest.mark.parametrize("name", BUILT)
def test_shared_cases_on_the_model(recorded, capsys, name):
    assert passes(recorded, capsys, name, "--config", config_of(name))


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in WIDE)) for name in BUILT])
def test_shared_cases_in_lockstep(recorded, capsys, name):
    latency, gap = BUILT[name]
    options = ["--config", config_of(name), "--on", "native", "--lockstep", "--latency", latency, "--gap", gap]
    assert passes(recorded, capsys, name, *options)


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(("latency", "gap"), MEMORIES)
@pytest.mark.parametrize("engine", ["native", "cxxrtl"])
@pytest.mark.parametrize(
    ("config", "name"),
    [
        (config, name)
        for config in ("slice", "bcm2835")
        for name in (*BUILT, SLOW)
        if config == "bcm2835" or name not in WIDE
    ],
)
def test_shared_cases_with_every_memory(recorded, capsys, name, config, engine, latency, gap):
    memory = ["--latency", latency, "--gap", gap]
    assert passes(recorded, capsys, name, "--config", config, "--on", engine, "--lockstep", *memory)


def test_every_case_is_here(recorded):
    assert {path.parent.name for path in (recorded / "cases/qpu").glob("*/case.json")} == {*BUILT, SLOW}


def test_a_case_with_lookups_needs_texture_units(recorded, refused):
    text = "waits for tmu, which this configuration does not have; qpu has no texture units: add --config slice or --config gpu or --config bcm2835"
    assert text in refused("run", recorded / "cases/qpu/sfu", "--config", "qpu")


def test_a_case_needs_as_many_qpus_as_it_says(recorded, refused):
    name = recorded / "cases/qpu/semaphore_barrier_12"
    text = "semaphore_barrier_12: needs 12 QPUs at the same time, but slice has 4: add --config bcm2835"
    assert refused("run", name, "--config", "slice") == f"vc4: {text}"


class TestQpus:
    """How many programs run at the same time."""

    def trace(self, capsys, what, *options):
        """On which QPUs programs have started, in their order."""
        assert main(["run", str(what), "--trace", "-", *options]) == 0
        lines = capsys.readouterr().out.splitlines()
        return [int(line.split()[0]) for line in lines if " start " in line]

    @pytest.mark.parametrize(
        ("options", "qpus"), [((), [0, 1, 2]), (("--qpus", "2"), [0, 1, 0]), (("--qpus", "1"), [0] * 3)]
    )
    def test_of_a_case_at_most_so_many_at_once(self, case, capsys, options, qpus):
        change(case, launches=[{"pc": 0x10000, "unif": 0x10100}] * 3)
        assert self.trace(capsys, case, "--config", "slice", *options) == qpus

    def test_a_case_says_how_many_it_wants(self, case, capsys):
        change(case, launches=[{"pc": 0x10000, "unif": 0x10100}] * 3, qpus=1)
        assert self.trace(capsys, case, "--config", "slice") == [0, 0, 0]
        assert self.trace(capsys, case) == [0, 0, 0]

    @pytest.mark.thorough
    @pytest.mark.usefixtures("compiler")
    def test_the_rtl_starts_them_on_the_same(self, case, capsys):
        change(case, launches=[{"pc": 0x10000, "unif": 0x10100}] * 6)
        options = ["--config", "slice", "--qpus", "3", "--on", "native", "--lockstep"]
        qpus = self.trace(capsys, case, *options)
        assert sorted(qpus) == [0, 0, 1, 1, 2, 2]
        assert qpus[:3] == [0, 1, 2]

    def test_an_assembly_file_runs_on_so_many(self, source, capsys):
        data = ["--uniform", "1", "--uniform", "&out", "--buffer", "out=64", "--config", "slice"]
        assert self.trace(capsys, source, *data) == [0]
        assert self.trace(capsys, source, *data, "--qpus", "4") == [0, 1, 2, 3]

    def test_there_must_be_enough(self, source, refused):
        text = "needs 2 QPUs at the same time, but qpu has 1: add --config slice or --config gpu or --config bcm2835"
        assert text in refused("run", source, "--qpus", "2", "--config", "qpu")
        assert "needs 2 QPUs at the same time, but qpu has 1" in refused(
            "run", "gradient", "--qpus", "2", "--config", "qpu"
        )

    def test_programs_that_wait_for_each_other_on_too_few(self, tmp_path, refused):
        path = tmp_path / "meet.qasm"
        path.write_text("srel -, 0\nsacq -, 1\nthrend\nnop\nnop\n")
        text = "QPU 0 at 0x00010008 waits for semaphore 1, which is 0; QPU 1 at 0x00010008 waits for semaphore 1, which is 0"
        assert refused("run", path, "--config", "slice", "--qpus", "2").endswith(f": {text} ({path}:2: sacq -, 1)")
