"""What commands that run the tools of FPGAs have in common: what they say meanwhile, and where the tools work."""

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

from ..synth.tools import tool_version

__all__ = ["say", "since", "versions_of", "work_folder"]


def say(*lines: str) -> None:
    """What is being done, beside the bar that shows how far it is."""
    for line in lines:
        tqdm.write(line, file=sys.stderr)


def since(start: float) -> str:
    """The time since `start`, of `time.monotonic`."""
    return f"{time.monotonic() - start:.0f} s"


def versions_of(tools: list[str], folder: Path) -> list[str]:
    """Names and versions. Raises `BadInput` for one that is missing, which should be missed at once."""
    say("looking for the tools; their first start on a machine takes a minute")
    versions = [tool_version(name, folder) for name in tools]
    say(*versions)
    return versions


@contextmanager
def work_folder(kept: Path | None) -> Iterator[Path]:
    """Where the tools work: in a folder that a user wants to keep, or in one that is gone at the end."""
    if kept:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)
