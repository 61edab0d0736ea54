"""`vc4 check`."""

import io
import json
import sys

import pytest

from vc4.isa.hazards import HAZARDS
from vc4sim.asm import assemble
from vc4sim.cli import main
from vc4sim.workload import example_names
from vc4sim.workload.hexfile import hex_of_bytes

SOURCE = """\
mov ra5, unif
mov r0, ra5        # too early
mov r1, ra5 >> 1   # inside quads only
thrend
nop
nop
"""

FINDING = """\
{0}:2: error R1: a register is not read in the instruction after the one that writes it
    {0}:1  mov ra5, unif
    {0}:2  mov r0, ra5        # too early
    found: reads ra5, right after an instruction that writes ra5
    chip:  The register file is written after the next instruction has read it.
    here:  The reader gets the old value, however long it waits.

"""


@pytest.fixture
def run(capsys):
    """Runs the command; returns its status, output and error."""

    def run(*arguments):
        status = main(["check", *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "early.qasm"
    path.write_text(SOURCE)
    return path


@pytest.fixture
def case(tmp_path):
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "program.bin").write_bytes(assemble(SOURCE).code)
    (folder / "case.json").write_text(json.dumps({"program_addr": 0x10000, "launches": [{"pc": 0x10000}]}))
    return folder


def test_findings_name_file_and_line(run, source):
    status, out, err = run(source)
    assert (status, err) == (1, "")
    first, second, summary = out.split("\n\n")
    assert f"{first}\n\n" == FINDING.format(source)
    assert second.startswith(f"{source}:3: warning R4: ")
    assert summary.startswith(f"{source}: 1 error, 1 warning; 6 instructions, ")


def test_findings_name_the_label_before(run, tmp_path):
    path = tmp_path / "kernel.qasm"
    path.write_text(f"mov r1, 0\nloop:\nnop\n{SOURCE}")
    lines = run(path)[1].splitlines()
    assert lines[0].startswith(f"{path}:5: loop+2: error R1: ")
    assert lines[1:3] == [
        f"    {path}:4: loop+1  mov ra5, unif",
        f"    {path}:5: loop+2  mov r0, ra5        # too early",
    ]


def test_rules_are_left_out(run, source):
    status, out, _ = run(source, "--allow", "R4")
    assert (status, " R4: " in out, " R1: " in out) == (1, False, True)
    assert run(source, "--allow", "r1", "--allow", "R4")[0] == 0
    status, out, err = run(source, "--allow", "R99")
    assert (status, out) == (2, "")
    assert err == "vc4: argument --allow: must be a rule of `vc4 check --rules`, not 'R99' (see vc4 check --help)\n"


def test_rows_that_are_reserved(run, tmp_path):
    """Eight blocks of VPMBASE, of 256 bytes each (guide, V3D_VPMBASE), are 32 rows."""
    path = tmp_path / "rows.qasm"
    path.write_text("ldi vr_setup, 0x00201a1f\nmov r0, vpm\nmov r1, vpm\nthrend\nnop\nnop\n")
    assert run(path)[0] == run(path, "--user-rows", "33")[0] == 0
    status, out, _ = run(path, "--user-rows", "32")
    assert status == 1
    assert "found: row 32 is set up to be read, of 32 that are reserved" in out


def test_errors_only(run, source):
    assert run(source, "--errors")[1].startswith(FINDING.format(source) + f"{source}: 1 error; ")


def test_standard_input(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SOURCE.encode())))
    assert run("-")[1].startswith(FINDING.format("-"))


@pytest.mark.parametrize("form", ["hex", "bin"])
def test_words(run, tmp_path, form):
    path = tmp_path / f"early.{form}"
    code = assemble(SOURCE).code
    path.write_bytes(code if form == "bin" else hex_of_bytes(code).encode())
    assert run(path)[1].startswith("0x00000008: error R1: ")
    assert run(path, "--base", "0x1000")[1].startswith("0x00001008: error R1: ")


def test_a_case(run, case):
    status, out, _ = run(case)
    assert status == 1
    assert out.startswith("0x00010008: error R1: ")


@pytest.mark.parametrize("name", example_names())
def test_examples_are_clean(run, name):
    status, out, _ = run(name)
    assert status == 0
    assert out.startswith(f"{name}: nothing found; ")


def test_what_a_program_is_decides_the_rules(run, tmp_path):
    path = tmp_path / "tile.qasm"
    path.write_text("mov tlbc, r0\nthrend\nnop\nnop\n")
    assert run(path)[0] == run(path, "--as", "vertex")[0] == 0
    status, out, _ = run(path, "--as", "fragment")
    assert status == 1
    assert " R9: " in out


def test_two_tmus(run, tmp_path):
    path = tmp_path / "lookup.qasm"
    path.write_text("mov t0s, r0\nnop; ldtmu0\nthrend\nnop\nnop\n")
    assert run(path)[0] == 0
    assert " R31: " in run(path, "--two-tmus")[1]


def test_rules(run):
    status, out, _ = run("--rules")
    assert status == 0
    assert out.splitlines() == [f"{one.rule:4}{one.title}" for one in HAZARDS]


def test_a_branch_shows_its_target(run, tmp_path):
    path = tmp_path / "loop.bin"
    path.write_bytes(assemble("mov r0, ra1\nbrr.anyz -, -40\nbrr.anyz -, -48\nnop\nnop\nnop\nthrend\nnop\nnop\n").code)
    status, out, _ = run(path, "--base", "0x1000")
    assert status == 1
    assert "brr.anyz -, -40  # to 0x00001000" in out


def test_wrong_input(run, tmp_path, case):
    wrong, empty = tmp_path / "wrong.qasm", tmp_path / "empty.bin"
    wrong.write_text("frob r0\n")
    empty.write_bytes(b"1234567")
    (case / "case.json").write_text(json.dumps({"program_addr": 0x10000, "launches": [{"pc": 0x20000}]}))
    for arguments, text in {
        (): "nothing to check",
        (tmp_path / "missing",): "no assembly file, words, case directory, or example",
        (tmp_path / "missing.hex",): "no assembly file, words, case directory, or example",
        (tmp_path,): "no such file",
        (wrong,): "wrong.qasm:1:1: ",
        (empty,): "7 bytes are no whole number of instructions",
        (case,): "a launch begins outside of the program",
    }.items():
        status, out, err = run(*arguments)
        assert (status, out) == (2, "")
        assert err.startswith("vc4: ")
        assert sum(not line.startswith("    ") for line in err.splitlines()) == 1
        assert text in err
