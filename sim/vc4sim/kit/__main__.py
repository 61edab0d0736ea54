"""Writes the page of the documentation: `python -m vc4sim.kit docs/user/kit.md`."""

import sys
from pathlib import Path

from .page import page

__all__ = ["main"]


def main() -> None:
    """Write it to the file that is named."""
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
