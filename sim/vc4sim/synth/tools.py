"""Finds and runs the tools that come from PyPI."""

import os
import shutil
import sys
from pathlib import Path

from ..children import run_child
from ..problem import BadInput

__all__ = ["find_tool", "run_tool", "tool_version"]


def find_tool(name: str) -> str:
    """The path of a tool, which lies beside the interpreter or on the path. Raises `BadInput` if there is none."""
    folders = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    found = shutil.which(name, path=folders)
    if not found:
        raise BadInput(f"{name} is not installed: pip install 'vc4-rtl[fpga]'")
    return found


def run_tool(name: str, *options: str, folder: Path) -> str:
    """What the tool says; it works in `folder`. Raises `BadInput`, with the reason that it gives, if it fails."""
    status, said = run_child([find_tool(name), *options], folder)
    if status:
        raise BadInput(f"{name} failed: {_reason(said)}")
    return said


def _reason(said: str) -> str:
    """The line that tells why a tool gave up."""
    lines = [line for line in said.splitlines() if line.strip()] or ["it did not say why"]
    return next((line for line in lines if line.startswith("ERROR")), lines[-1])


def tool_version(name: str, folder: Path) -> str:
    """Name and version, as the tool tells them; the first start on a machine may say more before."""
    return run_tool(name, "--version", folder=folder).strip().splitlines()[-1]
