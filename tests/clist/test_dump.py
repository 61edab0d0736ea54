"""`vc4 clist dump`: captured frames as text, and cases that are wrong."""

import json
import lzma
import random
import re
from pathlib import Path

import pytest

from vc4.records.control import ControlCode as Code
from vc4.records.control import Threads
from vc4.records.primitives import PrimitiveData, PrimitiveType, VgPrimitiveType
from vc4sim.cli import main
from vc4sim.clist import ListBuilder, compress, describe, gl_shader_record, load_capture, walk
from vc4sim.model.cle.compressed import ListFormat, encode_branch
from vc4sim.model.cle.control_records import ListError
from vc4sim.model.memory import Memory

from ..model import control_lists as lists

PAGE = Path(__file__).parents[2] / "docs/user/clist.md"
BASE, SIZE = 0x1000, 0x2000


def record(address, data):
    """A piece of memory as the file has it."""
    return address.to_bytes(4, "little") + len(data).to_bytes(4, "little") + data


@pytest.fixture
def case(tmp_path):
    """Writes a case of one job: its memory, its registers, and changes to what `case.json` says."""

    def write(*pieces, registers, job=None, **changes):
        image = b"".join(pieces)
        (tmp_path / "memory.bin.xz").write_bytes(lzma.compress(image))
        row = {"memory_offset": 0, "memory_length": len(image), "registers": registers} | (job or {})
        text = {"name": "small", "mem_size": SIZE, "memory_file": "memory.bin.xz", "jobs": [row]} | changes
        (tmp_path / "case.json").write_text(json.dumps(text))
        return tmp_path

    return write


@pytest.fixture
def dump(capsys):
    """Runs the command: its status, the lines it printed, and its error."""

    def run(folder):
        status = main(["clist", "dump", str(folder)])
        captured = capsys.readouterr()
        return status, captured.out.splitlines(), captured.err

    return run


def small():
    """A binning list with a shader record, and its end."""
    builder = ListBuilder(BASE)
    builder.add(Code.GL_SHADER_STATE, number_of_attribute_arrays=1, shader_record_address=0x1100)
    builder.add(Code.VIEWPORT_OFFSET, viewport_centre_x_coordinate=-0.5, viewport_centre_y_coordinate=32.0)
    builder.add(Code.DEPTH_OFFSET, depth_offset_factor=1.5)
    builder.add(Code.BRANCH_TO_SUB_LIST, absolute_branch_address=0x1200)
    builder.add(Code.BRANCH_TO_SUB_LIST, absolute_branch_address=0x1300)
    builder.add(Code.BRANCH_TO_SUB_LIST, absolute_branch_address=0x1200)
    return builder


SHADER = gl_shader_record([{"base_memory_address": 0x1800, "number_of_bytes_minus_1": 15}], enable_clipping=1)
SUB_LIST = bytes([Code.NOP.value, Code.RETURN_FROM_SUB_LIST.value])

TEXT = """\
small, job 0
0x00001000  -- binning list, up to 0x0000101e
0x00001000   64 gl_shader_state  number_of_attribute_arrays=1 shader_record_address=0x00001100
0x00001100        gl_shader_record  enable_clipping
0x00001124        attribute_array  base_memory_address=0x00001800 number_of_bytes_minus_1=15
0x00001005  103 viewport_offset  viewport_centre_x_coordinate=-0.5 viewport_centre_y_coordinate=32
0x0000100a  101 depth_offset  depth_offset_factor=1.5 depth_offset_units=0
0x0000100f   17 branch_to_sub_list  absolute_branch_address=0x00001200
0x00001014   17 branch_to_sub_list  absolute_branch_address=0x00001300
0x00001019   17 branch_to_sub_list  absolute_branch_address=0x00001200
0x00001200  -- sub-list
0x00001200    1 nop
0x00001201   18 return_from_sub_list
0x00001300  -- sub-list: nothing is there yet
"""


def test_text(case, dump):
    builder = small()
    pieces = record(BASE, bytes(builder.data)), record(0x1100, SHADER), record(0x1200, SUB_LIST)
    status, printed, error = dump(case(*pieces, registers={"CT0CA": BASE, "CT0EA": builder.here}))
    assert (status, error) == (0, "")
    assert len(printed) == len(TEXT.splitlines())
    for line, expected in zip(printed, TEXT.splitlines(), strict=True):
        assert line.startswith(expected)
    assert printed[3].endswith("coordinate_shader_uniforms_address=0x00000000")


def test_jobs_one_after_the_other(case, dump):
    """The second job finds memory as the first one has left it; a thread whose list is empty is not started."""
    first, second = record(BASE, b"\x01\x01"), record(BASE + 1, b"\x02")
    jobs = [
        {"memory_offset": 0, "memory_length": len(first), "registers": {"CT1CA": BASE, "CT1EA": BASE + 2}},
        {
            "memory_offset": len(first),
            "memory_length": len(second),
            "registers": {"CT0CA": 0, "CT0EA": 0, "CT1CA": BASE, "CT1EA": BASE + 2},
        },
    ]
    status, printed, _ = dump(case(first, second, registers={}, jobs=jobs))
    assert status == 0
    assert [line.split(maxsplit=1)[1] for line in printed if "--" not in line] == [
        "job 0",
        "1 nop",
        "1 nop",
        "job 1",
        "1 nop",
        "2 marker",
    ]


def test_a_large_memory(case, dump):
    """A driver's pool may have 256 MiB, as `VC4SIM_MEMORY` says: its frames are no files of that size."""
    end = 1 << 28
    status, printed, error = dump(
        case(record(end - 1, b"\x01"), registers={"CT0CA": end - 1, "CT0EA": end}, mem_size=end)
    )
    assert (status, error) == (0, "")
    assert printed[-1] == f"{end - 1:#010x}    1 nop"


def test_a_wrong_list_is_printed_up_to_the_mistake(case, dump):
    folder = case(record(BASE, b"\x01\x01\x09"), registers={"CT0CA": BASE, "CT0EA": BASE + 3})
    status, printed, error = dump(folder)
    assert status == 2
    assert len(printed) == 4
    assert error == f"vc4: {folder}: job 0, thread 0: 0x00001002: 9 is no control record\n"


REGISTERS = {"CT0CA": BASE, "CT0EA": BASE + 1}
NOP = record(BASE, b"\x01")

#: What is wrong with a case, and what the command says.
BAD_CASES = {
    "list outside": ((NOP,), {"registers": {"CT1CA": SIZE, "CT1EA": 0}}, "thread 1: 0x00002000: control list at"),
    "wrong thread": (
        (record(BASE, b"\x04"),),
        {"registers": {"CT1CA": BASE, "CT1EA": 0}},
        "thread 1: 0x00001000: FLUSH in a rendering list",
    ),
    "shader outside": (
        (record(BASE, b"\x41\x00\x00\x00\x01"),),
        {"registers": {"CT0CA": BASE, "CT0EA": BASE + 5}},
        "thread 0: 0x00001000: shader record at 0x01000000 is outside of memory",
    ),
    "no registers": ((NOP,), {"registers": []}, "registers must be an object"),
    "negative register": ((NOP,), {"registers": {"CT0CA": -1}}, "CT0CA must be an integer"),
    "no jobs": ((NOP,), {"registers": REGISTERS, "jobs": []}, "jobs must be a list of objects"),
    "size": ((NOP,), {"registers": REGISTERS, "mem_size": 1 << 40}, "mem_size must be an integer"),
    "offset": ((NOP,), {"registers": REGISTERS, "job": {"memory_offset": 10}}, "memory_offset must be an integer"),
    "cut short": ((NOP[:-1],), {"registers": REGISTERS}, "what begins at byte 0 goes on after the end of the job"),
    "half a header": ((NOP, b"\0\0\0"), {"registers": REGISTERS}, "what begins at byte 9 goes on after"),
    "outside": ((record(SIZE, b"1"),), {"registers": REGISTERS}, "at byte 0: 1 bytes at 0x00002000 are outside"),
}


@pytest.mark.parametrize("name", BAD_CASES)
def test_bad_cases(case, dump, name):
    pieces, changes, what = BAD_CASES[name]
    status, _, error = dump(case(*pieces, **changes))
    assert status == 2
    assert what in error
    assert error.count("\n") == 1


def test_files_that_cannot_be_read(case, dump, tmp_path):
    assert dump(tmp_path / "nowhere")[::2] == (2, f"vc4: {tmp_path}/nowhere/case.json: there is no such file\n")
    folder = case(NOP, registers=REGISTERS)
    whole = (folder / "memory.bin.xz").read_bytes()
    for data, what in ((b"nothing at all", "not an xz file"), (whole[:-8], "cut short"), (b"", "cut short")):
        (folder / "memory.bin.xz").write_bytes(data)
        status, _, error = dump(folder)
        assert (status, error.count("\n")) == (2, 1)
        assert what in error
    (folder / "memory.bin.xz").unlink()
    assert "there is no such file" in dump(folder)[2]
    (folder / "case.json").write_text("{")
    assert "not JSON" in dump(folder)[2]


def text_of(memory, start, end, threads=Threads.RENDERING):
    return [describe(line) for line in walk(memory, start, end, threads)]


def test_tile_lists_that_are_in_memory():
    memory = lists.frame()
    printed = text_of(memory, lists.RENDERING, lists.RENDERING_END)
    assert sum("-- sub-list" in line for line in printed) == lists.TILES
    drawn = [line.split(None, 2)[2] for line in printed if re.match(r"0x\w+ +triangles ", line)]
    strips = [[f"{n} {n + 1} {n + 2}" for n in range(0, lists.STRIP, 1 + tile)] for tile in range(lists.TILES)]
    assert drawn == sum(strips, [])
    assert sum("relative branch to" in line for line in printed) >= 1
    assert sum("clipped_vertex  vertex=" in line for line in printed) == 4
    printed = text_of(memory, lists.BINNING, lists.BINNING_END, Threads.BINNING)
    assert "0x0001061a        triangles  (1, 0) (1, 1) (2, 2)" in printed
    assert sum("  attribute_array  " in line for line in printed) == 2 + 8
    assert any(line.endswith(" stride=4660") for line in printed)


def test_coordinates_in_the_list():
    builder = ListBuilder(BASE)
    builder.add(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.RHTS)
    first = builder.raw(lists.words(0xFFF0_0008, 0x0010_0020, 5, 0xBFFF_0000))
    memory = Memory(SIZE, 0)
    builder.store(memory)
    assert text_of(memory, BASE, builder.here)[2:] == [f"{first:#010x}        rhts  (0.5, -1) (2, 1)"]


class TestCircles:
    def test_branches(self):
        memory = Memory(64, 0, bytes([1, 16, 0, 0, 0, 0]))
        assert text_of(memory, 0, 64)[-1] == "0x00000000  -- goes on as above"

    def test_sub_lists(self):
        """A sub-list that calls itself is read once."""
        memory = Memory(64, 0, bytes([17, 5, 0, 0, 0, 17, 5, 0, 0, 0, 18]))
        printed = text_of(memory, 0, 5)
        assert [line for line in printed if "sub-list" in line and "--" in line] == ["0x00000005  -- sub-list"]
        assert printed[-1].endswith("return_from_sub_list")

    def test_compressed_lists(self):
        memory = Memory(64, 0, bytes([56, 0x10, 48, 4]) + encode_branch(4, 0))
        with pytest.raises(ListError, match=r"^0x00000000: .*read before$"):
            text_of(memory, 0, 64)

    def test_any_memory_ends(self):
        """Whatever is in memory, reading it does."""
        rng = random.Random(5)
        codes = [code.value for code in Code]
        for _ in range(300):
            image = bytes(rng.choice(codes) if rng.random() < 0.8 else rng.randrange(256) for _ in range(512))
            count = 0
            try:
                for line in walk(Memory(512, 0, image), rng.randrange(64), 512, rng.choice(list(Threads)[:2])):
                    assert "\n" not in describe(line)
                    count += 1
            except ListError:
                count += 1
            assert count < 3000


def test_a_compressed_list_needs_a_format():
    form = ListFormat(PrimitiveType.POINTS)
    builder = ListBuilder(BASE)
    list_ = builder.add(Code.COMPRESSED_PRIMITIVE_LIST)
    builder.raw(compress(form, [(1,), (2,)]))
    memory = Memory(SIZE, 0)
    builder.store(memory)
    with pytest.raises(
        ListError, match=rf"^{list_:#010x}: COMPRESSED_PRIMITIVE_LIST in front of any primitive list format$"
    ):
        text_of(memory, BASE, builder.here)
    caller = ListBuilder(0x1800)
    caller.add(Code.PRIMITIVE_LIST_FORMAT, primitive_type=PrimitiveType.POINTS, data_type=PrimitiveData.INDEX_16)
    caller.add(Code.BRANCH_TO_SUB_LIST, absolute_branch_address=BASE)
    caller.store(memory)
    memory.write(builder.here, bytes([Code.RETURN_FROM_SUB_LIST.value]))
    printed = text_of(memory, 0x1800, caller.here)
    assert [line.split(None, 1)[1] for line in printed[-5:-1]] == [
        "48 compressed_primitive_list",
        "points  1",
        "points  2",
        "end of the compressed list",
    ]


def test_captured_frames(recorded, dump):
    folders = sorted(path.parent for path in (recorded / "cases/gl").glob("*/case.json"))
    assert folders
    for folder in folders:
        status, printed, error = dump(folder)
        assert (status, error) == (0, ""), folder
        capture = load_capture(folder)
        assert sum("job" in line for line in printed) == len(capture.jobs)
        assert sum(" -- rendering list" in line for line in printed) == len(capture.jobs)
        assert sum(" 113 tile_rendering_mode_configuration  " in line for line in printed) == len(capture.jobs)


def test_the_page_shows_what_is_printed(recorded, dump):
    folder = recorded / "cases/gl/tri_color"
    (example,) = re.findall(r"```\n(0x.*?)```", PAGE.read_text(), re.DOTALL)
    _, printed, _ = dump(folder)
    assert set(example.splitlines()) <= set(printed)


def test_the_python_on_the_page_runs():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names = {}
    exec(code, names)
    assert bytes(names["lists"].data)[:10] == b"\x41\x00\x20\x00\x00\x63\x00\x00\xc0\x3f"
    assert len(names["shader"]) == 16
