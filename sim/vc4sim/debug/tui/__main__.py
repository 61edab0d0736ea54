"""The picture of the interface in the documentation: `python -m vc4sim.debug.tui FILE.svg`."""

import asyncio
import sys

from textual.widgets import Input

from ...command_line import parser_of
from ...commands.debug import console_of
from .app import DebuggerApp

__all__ = []

#: What is debugged, and how.
_ARGUMENTS = ("debug", "mandelbrot")
_COMMANDS = ("break done", "continue", "next", "back until r1", "delete 1", "until [&output]")
_MEMORY = "[&output, 128] signed"
_SIZE = 165, 44


async def _picture() -> str:
    app = DebuggerApp(console_of(parser_of(["debug"]).parse_args(_ARGUMENTS)))
    async with app.run_test(size=_SIZE) as pilot:
        for command in _COMMANDS:
            app.action_carry_out(command)
            await app.workers.wait_for_complete()
            await pilot.pause()
        await pilot.press("f2", "f2", "f2")
        place = app.query_one("#place", Input)
        place.value = _MEMORY
        await place.action_submit()
        await pilot.pause()
        return app.export_screenshot(simplify=True)


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(asyncio.run(_picture()))
