"""The terminal interface, without a terminal."""

import asyncio
import io
import sys

import pytest

from vc4sim.cli import main

from .transcripts import FOLDER, console

pytest.importorskip("textual")

from textual.widgets import Input, RichLog

from vc4sim.debug.tui import DebuggerApp
from vc4sim.debug.tui.panes import MemoryPane, QpuPane, RegisterPane, SourcePane

SUMS = ("sums.qasm", "--uniform", "3", "--uniform", "&out", "--buffer", "out=64")


class Person:
    """Types, presses keys and looks."""

    def __init__(self, app, pilot):
        self.app, self.pilot = app, pilot

    async def settled(self):
        await self.app.workers.wait_for_complete()
        await self.pilot.pause()

    async def press(self, *keys):
        await self.pilot.press(*keys)
        await self.settled()

    async def type(self, text, where="#command"):
        entry = self.app.query_one(where, Input)
        entry.focus()
        entry.value = text
        await self.press("enter")

    def sees(self, pane) -> list[str]:
        return self.app.query_one(pane).content.plain.split("\n")

    def current(self):
        return next(line for line in self.sees(SourcePane) if line[1:2] == ">")

    def said(self):
        return [line.text for line in self.app.query_one("#said", RichLog).lines]


def with_a_person(*arguments, size=(150, 50)):
    """A decorator: the test is what a person does with the interface."""

    def decorate(script):
        def test():
            async def run():
                app = DebuggerApp(console(*arguments))
                async with app.run_test(size=size) as pilot:
                    person = Person(app, pilot)
                    await person.settled()
                    await script(person)

            asyncio.run(run())

        test.__name__, test.__doc__ = script.__name__, script.__doc__
        return test

    return decorate


@with_a_person(*SUMS)
async def test_it_begins_with_the_first_instruction(person):
    assert person.current().endswith("mov ra0, unif")
    assert person.sees(QpuPane)[0] == "position 1"
    assert person.sees(RegisterPane)[0] == "r0    00000000*16"
    assert person.sees(MemoryPane) == ["0x00010100", "  00000000*16"]
    assert person.app.title == "vc4 debug sums.qasm"
    assert person.app.focused.id == "command"


@with_a_person(*SUMS)
async def test_commands_are_those_of_the_console(person):
    await person.type("break again")
    await person.type("continue")
    assert person.said()[1:4] == ["> break again", "breakpoint 1: again", "> continue"]
    assert person.current().startswith("*> 0x00010010")
    await person.type("frobnicate")
    assert person.said()[-1] == "frobnicate: there is no such command, help lists them"
    await person.type("until store")
    assert person.sees(RegisterPane)[0] == "r0    00000003*16"
    assert person.app.sub_title == "QPU 0, position 9"
    entry = person.app.query_one("#command", Input)
    await person.press("up", "up", "up")
    assert entry.value == "continue"
    await person.press("down", "down", "down", "down")
    assert entry.value == ""


@with_a_person(*SUMS)
async def test_keys_go_on_and_back(person):
    await person.press("f10")
    await person.press("f10")
    assert person.current().split()[2] == "sums.qasm:5:"
    await person.press("f8")
    assert person.current().split()[2] == "sums.qasm:3"
    await person.press("f5")
    assert person.sees(SourcePane) == ["there are no instructions"]
    assert person.sees(MemoryPane)[1:] == ["    0  00000000 00000001 00000002 00000003 00000004 00000005 00000006 00000007",
                                           "    8  00000006 00000006 00000006 00000006 00000006 00000006 00000006 00000006"]  # fmt: skip
    await person.press("f7")
    assert person.current().endswith("thrend")
    await person.press("f6")
    assert person.app.session.target.position == 1


@with_a_person(*SUMS)
async def test_registers_in_other_groups_and_formats(person):
    await person.type("step")
    await person.press("f3")
    assert person.sees(RegisterPane)[0] == "ra0   00000003*16"
    await person.press("f2")
    assert person.sees(RegisterPane)[0] == "ra0   3*16"
    await person.press("f3", "f3")
    assert person.sees(RegisterPane)[5] == "r5    0*16"
    assert person.app.query_one("#registers").border_title == "registers: accumulators, signed"


@with_a_person(*SUMS)
async def test_memory_of_another_place(person):
    await person.type("[0x100c0, 8] signed", "#place")
    assert person.sees(MemoryPane) == ["0x000100c0", "    0      3 65792"]
    await person.type("[nowhere]", "#place")
    assert person.sees(MemoryPane)[0].startswith("nowhere: there is no place of this name")
    await person.type("", "#place")
    assert person.sees(MemoryPane) == [""]


@pytest.mark.thorough
@with_a_person(*SUMS, size=(80, 24))
async def test_a_small_terminal(person):
    assert person.current().endswith("mov ra0, unif")
    await person.type("step 9")
    assert person.current()


def test_quit_ends_it():
    async def run():
        app = DebuggerApp(console("hang.qasm"))
        async with app.run_test() as pilot:
            app.query_one("#command", Input).value = "quit"
            await pilot.press("enter")
            await pilot.pause()
            assert not app.is_running or app._exit

    asyncio.run(run())


@pytest.mark.thorough
def test_escape_interrupts(tmp_path):
    path = tmp_path / "endless.qasm"
    path.write_text(":loop\nbrr -, r:loop\nnop\nnop\nnop\n")

    async def run():
        app = DebuggerApp(console(str(path)))
        async with app.run_test() as pilot:
            person = Person(app, pilot)
            await pilot.press("f5")
            await pilot.pause(0.2)
            assert app.query_one("#command", Input).disabled
            await pilot.press("f10")  # nothing else begins meanwhile
            await pilot.press("escape")
            await person.settled()
            assert "interrupted" in person.said()
            assert not app.query_one("#command", Input).disabled

    asyncio.run(run())


def test_without_textual_a_line_says_what_to_do(monkeypatch, capsys):
    for name in [name for name in sys.modules if name.startswith("vc4sim.debug.tui")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "textual.app", None)
    monkeypatch.chdir(FOLDER)
    assert main(["debug", "--tui", "hang.qasm"]) == 2
    assert capsys.readouterr().err == "vc4: Textual is not installed: pip install 'vc4-rtl[debug]'\n"


@pytest.mark.thorough
def test_the_picture_of_the_page_is_drawn(tmp_path, monkeypatch):
    from vc4sim.debug.tui.__main__ import main as draw

    monkeypatch.setattr("sys.argv", ["tui", str(tmp_path / "picture.svg")])
    draw()
    text = (tmp_path / "picture.svg").read_text().replace("&#160;", " ")
    assert "vc4 debug mandelbrot" in text
    assert "QPU 0 has written 768 bytes at 0x00010180" in text


def test_it_wants_a_terminal(monkeypatch, capsys):
    monkeypatch.chdir(FOLDER)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert main(["debug", "--tui", "hang.qasm"]) == 2
    assert capsys.readouterr().err == "vc4: --tui: standard input and output must be a terminal\n"
