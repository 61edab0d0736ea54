"""Writes the picture of the page about debugging: `python -m vc4sim.debug.tui docs/images/debugger.svg`."""

import argparse
import asyncio
from pathlib import Path

from textual.widgets import Input

from ...command_line import parser_of
from ...commands.debug import console_of
from .app import DebuggerApp

__all__ = ["main"]

#: What is debugged, and how.
_ARGUMENTS = ("debug", "mandelbrot")
_COMMANDS = ("break done", "continue", "next", "back until r1", "delete 1", "until [&output]")
_KEYS = ("f2", "f2", "f2")
_MEMORY = "[&output, 128] signed"
_SIZE = 165, 44


async def _picture() -> str:
    app = DebuggerApp(console_of(parser_of(["debug"]).parse_args(_ARGUMENTS)))
    async with app.run_test(size=_SIZE) as pilot:
        for command in _COMMANDS:
            app.action_carry_out(command)
            await app.workers.wait_for_complete()
            await pilot.pause()
        await pilot.press(*_KEYS)
        place = app.query_one("#place", Input)
        place.value = _MEMORY
        await place.action_submit()
        await pilot.pause()
        return app.export_screenshot(simplify=True)


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(
        prog="python -m vc4sim.debug.tui", description="Draw a picture of the debugger in a terminal."
    )
    parser.add_argument("file", type=Path, help="where to write it, such as docs/images/debugger.svg")
    parser.parse_args().file.write_text(asyncio.run(_picture()), encoding="utf-8")


if __name__ == "__main__":
    main()
