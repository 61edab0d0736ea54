"""`vc4 regs`: the map, one register, JSON, the C header, and the page of the documentation."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from vc4.config import preset
from vc4.regs.counters import SOURCES
from vc4.regs.table import REGISTERS, registers_of
from vc4sim.commands.regs import page

DOCS = Path(__file__).parents[2] / "docs"


def test_the_map_has_every_register(output_of):
    lines = output_of("regs", "--config", "bcm2835").splitlines()
    for one in registers_of(preset("bcm2835")):
        assert sum(re.match(rf"0x{one.offset:03x} +{one.name} ", line) is not None for line in lines) == 1, one.name
    for source in SOURCES:
        assert any(re.match(rf" *{source.number} +{source.name} ", line) for line in lines)


def test_reset_values_follow_the_configuration(output_of):
    assert re.search(r"IDENT1 .* 0xc1102431 ", output_of("regs", "--config", "bcm2835"))
    assert "reset 0xc1102431" in output_of("regs", "IDENT1", "--config", "bcm2835")
    (one,) = json.loads(output_of("regs", "IDENT1", "--config", "qpu", "--json"))
    assert one["reset"] != 0xC1102431


@pytest.mark.parametrize("name", ["SRQCS", "srqcs", "V3D_SRQCS", "v3d_srqcs"])
def test_one_register_with_its_fields(name, output_of):
    lines = output_of("regs", name).splitlines()
    assert lines[0].startswith("SRQCS at 0x43c: ")
    assert [line.split()[:3] for line in lines[3:7]] == [
        ["5:0", "QPURQL", "count"],
        ["7", "QPURQERR", "write_1_clears"],
        ["15:8", "QPURQCM", "count"],
        ["23:16", "QPURQCC", "count"],
    ]


def test_json_has_everything(output_of):
    found = json.loads(output_of("regs", "--json"))
    registers = registers_of(preset("qpu"))
    assert [(one["name"], one["offset"]) for one in found] == [(one.name, one.offset) for one in registers]
    for one, register in zip(found, registers, strict=True):
        assert [(field["name"], field["low"], field["width"], field["access"]) for field in one["fields"]] == [
            (field.name, field.low, field.width, field.access.name.lower()) for field in register.fields
        ]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["regs", "SRQC"], "the nearest are SRQPC, SRQCS, SRQUL"),
        (["regs", "V3D_DBQRUM"], "DBQRUN"),
        (["regs", "zzzzzzzz"], "vc4 regs lists them"),
        (["regs", "XWIN0BASE"], "no register is called 'XWIN0BASE'"),
        (["regs", "--json", "--docs", "x.md"], "not allowed with"),
        (["regs", "--header", "no/such/folder/x.h"], "no/such/folder/x.h"),
        (["regs", "SRQCS", "--header", "x.h"], "leave out 'SRQCS'"),
    ],
)
def test_wrong_arguments(arguments, text, refused):
    assert text in refused(*arguments)


def test_the_page_is_up_to_date(output_of, tmp_path):
    assert output_of("regs", "--docs", tmp_path / "registers.md") == ""
    written = (tmp_path / "registers.md").read_text()
    assert written == page()
    assert (DOCS / "reference/registers.md").read_text() == written, "vc4 regs --docs docs/reference/registers.md"


def test_the_page_has_every_field():
    text = page()
    for one in REGISTERS:
        assert text.count(f"| 0x{one.offset:03x} | **{one.name}** |") == 1
    assert text.count("\n| | | ") == sum(len(one.fields) for one in REGISTERS)


def test_the_header_compiles_and_says_what_the_table_says(output_of, tmp_path, compiler):
    """A program with the header prints every offset and mask."""
    header = tmp_path / "v3d.h"
    assert output_of("regs", "--header", header) == ""
    lines = []
    for one in REGISTERS:
        lines.append((f"V3D_{one.name}", one.offset))
        for field in one.fields:
            name = f"V3D_{one.name}_{field.name}"
            lines += [(f"{name}_SHIFT", field.low), (f"{name}_MASK", field.mask)]
    lines += [(f"V3D_SOURCE_{source.name}", source.number) for source in SOURCES]
    checks = "".join(f"    if ({name} != {value}u) return 1;\n" for name, value in lines)
    program = tmp_path / "check.c"
    program.write_text(f'#include "v3d.h"\n#include "v3d.h"\nint main(void) {{\n{checks}    return 0;\n}}\n')
    subprocess.run([*compiler, "-x", "c", "-Wall", "-Werror", "-o", tmp_path / "check", program], check=True)
    subprocess.run([tmp_path / "check"], check=True)
    assert header.read_text().count("#define ") == len(lines) + 1, "nothing but the table, and the guard"


def test_what_the_documentation_shows_a_driver_compiles(output_of, tmp_path, compiler):
    output_of("regs", "--header", tmp_path / "v3d.h")
    (code,) = re.findall(r"^```c\n(.*?)^```", (DOCS / "user/driver.md").read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "driver.c").write_text(code)
    subprocess.run(
        [*compiler, "-x", "c", "-Wall", "-Werror", "-c", "-o", "driver.o", "driver.c"], check=True, cwd=tmp_path
    )
