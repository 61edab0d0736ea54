"""Writes the pages: `python -m vc4sim.reference docs/reference`."""

import sys
from pathlib import Path

from . import control_lists, instructions, queues, register_files, setup_words, uart

__all__ = ["PAGES"]

#: Pages by the names of their files.
PAGES = {
    "instructions.md": instructions.page,
    "register_files.md": register_files.page,
    "setup_words.md": setup_words.page,
    "control_lists.md": control_lists.page,
    "queues.md": queues.page,
    "uart.md": uart.page,
}

if __name__ == "__main__":
    folder = Path(*sys.argv[1:2])
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")
