"""Whole sessions, as people type them, and what is wrong with commands."""

import io
import re
import signal
import threading

import pytest

from vc4sim.cli import main
from vc4sim.debug.console import converse, execute_script
from vc4sim.problem import BadInput

from .transcripts import DOCS, FOLDER, PAGE, SESSION, SESSIONS, console, page, said, transcript


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_a_session_goes_as_it_is_written(path):
    """Written again with `python -m tests.debug.transcripts`."""
    assert transcript(path.read_text()) == path.read_text()


def test_the_page_shows_what_sessions_say(tmp_path):
    """Written again with the others."""
    text = PAGE.read_text()
    assert len(SESSION.findall(text)) == 6
    assert page(text, tmp_path) == text


def test_the_example_of_the_python_page(capsys):
    text = (DOCS / "reference/python/debug.md").read_text()
    (code,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    exec(code, {})
    assert re.match(r"QPU 0 is at done 103 \[( *\d+\n?)+\]\n$", capsys.readouterr().out)


def debug(monkeypatch, commands, *arguments):
    """The command, with these commands on standard input; returns its status."""
    monkeypatch.chdir(FOLDER)
    monkeypatch.setattr("sys.stdin", io.StringIO(commands))
    return main(["debug", *arguments])


def test_commands_come_from_standard_input(monkeypatch, capsys):
    assert debug(monkeypatch, "step\n\n# a comment\nprint r0 signed # another one\nquit\nnonsense\n", "hang.qasm") == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.splitlines() == [
        "1: QPU 0 at 0x00010000  hang.qasm:1  ldi r0, 5",
        "    r0=00000005*16",
        "2: QPU 0 at 0x00010008  hang.qasm:2  sacq -, 0",
        "r0    5*16",
    ]


def test_the_first_wrong_command_ends_a_script(monkeypatch, capsys):
    assert debug(monkeypatch, "step\nfrobnicate 3\nstep\n", "hang.qasm") == 2
    captured = capsys.readouterr()
    assert captured.err == "vc4: line 2: frobnicate 3: there is no such command, help lists them\n"
    assert len(captured.out.splitlines()) == 3


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("step x", "x: must be an integer from 1"),
        ("step 0", "0: must be an integer from 1"),
        ("step 1 2", "2: is one word too many"),
        ("continue now", "now: is one word too many"),
        ("back sideways", "sideways: must be an integer"),
        ("goto", "a number is missing"),
        ("delete 3", "there is no breakpoint 3"),
        ("qpu 1", "qpu 1: there are the QPUs 0 to 0"),
        ("break", "it must be said what to stop at"),
        ("break nowhere", "nowhere: there is no place of this name (again, store)"),
        ("break again+x", "again+x: the distance must be an integer"),
        ("break :99", ":99: there is no instruction on this line"),
        ("break other.qasm:2", "other.qasm:2: there is no instruction on this line"),
        ("break r0 qpu 4", "qpu 4: there are the QPUs 0 to 0"),
        ("break start shader", "start shader: a program is one of user, fragment, vertex, coordinate"),
        ("break [&out, 0]", "[&out, 0]: must be [PLACE] or [PLACE, BYTES]"),
        ("break 0x100000000", "0x100000000: is no address"),
        ("print", "print: it must be said what"),
        ("print r0[16]", "r0[16]: a vector has 16 elements"),
        ("print r6", "r6: there is no place of this name"),
        ("print [0]", "[0]: read at 0x00000000 is outside of memory"),
        ("print [&out", "[&out: must be [PLACE]"),
        ("print &nothing", "&nothing: there is no place of this name (again, out, program, store)"),
        ("registers c", "c: a format is one of hex, signed"),
        ("registers a b", "b: a format is one of hex, signed"),
        ("list again 3 4", "4: is one word too many"),
        ("help me", "help me: there is no such command"),
        ("l 'x", "'x: No closing quotation"),
        ("b", "b: which of back, break, breakpoints"),
        ("textures", "textures: there is no such command"),
        ("set", "set: it must be said what"),
        ("set r0", "r0: a value is missing"),
        ("set r0 1 2 3", "r0: takes 1 value or 16, not 3"),
        ("set r0[2] 1 2", "r0[2]: takes 1 value, not 2"),
        ("set r0[16] 1", "r0[16]: a vector has 16 elements"),
        ("set r4 1", "r4: must be r0 to r3, r5, a register of a file, a flag, an element of these, or [PLACE]"),
        ("set pc 0x10000", "pc: must be r0 to r3"),
        ("set z 2", "z: a flag is 0 or 1 in each element"),
        ("set r0 1e9", "r0: 1e9: must be an integer, a float with a dot, or & and a buffer"),
        ("set r0 0x100000000", "r0: 0x100000000: must fit into 32 bits"),
        ("set r0 &nothing", "r0: &nothing: there is no buffer of this name"),
        ("set [&out, 8] 1", "[&out, 8]: takes 2 values, not 1"),
        ("set [0] 1", "[0]: write at 0x00000000 is outside of memory"),
    ],
)
def test_a_wrong_command_says_what_is_wrong(command, says):
    one = console("sums.qasm", "--uniform", "3", "--uniform", "&out", "--buffer", "out=64")
    with pytest.raises(BadInput) as error:
        execute_script(one, ["step", command])
    assert str(error.value).startswith(f"line 2: {says}")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing.qasm"], "nothing.qasm: no assembly file, words, case directory, or example"),
        (["-"], "-: standard input has the commands; name a file"),
        (["stencil", "--uniform", "1"], "stencil: --uniform, --launch, --buffer, --load and --qpus are for programs"),
        (["hang.qasm", "--config", "qpu", "--qpus", "2"], "hang.qasm: needs 2 QPUs"),
    ],
)
def test_what_cannot_be_debugged(monkeypatch, capsys, arguments, says):
    assert debug(monkeypatch, "", *arguments) == 2
    assert capsys.readouterr().err.startswith(f"vc4: {says}")


def test_every_command_is_explained():
    one = console("hang.qasm")
    overview = said(one, "help").splitlines()
    assert len(overview) == len(one.names()) >= 17
    for name, line in zip(one.names(), overview, strict=True):
        assert line.startswith(name)
        assert said(one, f"help {name}").startswith(line)


def test_a_beginning_of_one_command_is_that_command():
    one = console("hang.qasm")
    assert said(one, "st").splitlines()[0] == "    r0=00000005*16"
    assert one.session.target.position == 2


def test_the_tab_key_knows_what_there_is():
    one = console("sums.qasm", "--uniform", "3", "--uniform", "&out", "--buffer", "out=64")
    assert one.completenames("re") == ["registers"]
    assert one.completedefault("s", "break s", 6, 7) == ["store", "signed"]
    assert one.completedefault("ra1", "print ra1", 6, 9) == ["ra1", *(f"ra1{digit}" for digit in range(10))]


def test_in_a_terminal_errors_are_told_and_the_session_goes_on(monkeypatch):
    one = console("hang.qasm")
    lines = iter(["frobnicate", "print r0[2] signed", "step", "print r0[2] signed"])
    monkeypatch.setattr("builtins.input", lambda prompt="": next(lines, "EOF"))
    converse(one)
    shown = one.stdout.getvalue().splitlines()
    assert shown[0] == "frobnicate: there is no such command, help lists them"
    assert (shown[1], shown[-2]) == ("r0[2] = 0", "r0[2] = 5")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_runs_for_ever_can_be_interrupted(tmp_path):
    path = tmp_path / "endless.qasm"
    path.write_text(":loop\nbrr -, r:loop\nnop\nnop\nnop\n")
    one = console(str(path))
    timer = threading.Timer(0.2, one.session.interrupt)
    timer.start()
    assert said(one, "continue").startswith("interrupted\n")
    assert one.session.target.position > 10
    before = one.session.target.position
    said(one, "step")
    assert one.session.target.position == before + 1
