"""Runs the program in C on a stand-in for a Raspberry Pi."""

import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from vc4sim.commands.regs import header
from vc4sim.gl.device import Device, open_device
from vc4sim.gl.server import serving
from vc4sim.kit.folder import PROGRAM, write_folder

__all__ = ["FLAGS", "needs_board", "needs_cc", "program", "run"]

FLAGS = ("-std=c99", "-pedantic", "-O2", "-Wall", "-Wextra", "-Werror")
_SOURCES = Path(__file__).parents[2] / "sim/vc4sim/gl"
needs_cc = pytest.mark.skipif(not shutil.which("cc"), reason="needs cc")
needs_board = pytest.mark.skipif(
    not shutil.which("cc") or (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="needs cc, and Linux on x86-64",
)


def program(folder: Path, questions) -> Path:
    """The program in C for some questions, and what is preloaded."""
    write_folder(folder, questions, header())
    subprocess.run(["cc", *FLAGS, "-o", folder / "kit", folder / PROGRAM], check=True)
    sources = [Path(__file__).parent / "board.c", _SOURCES / "remote.c"]
    flags = ["-D_GNU_SOURCE", "-shared", "-fPIC", f"-I{_SOURCES}"]
    subprocess.run(["cc", *flags, "-o", folder / "board.so", *sources], check=True)
    return folder / "kit"


def run(
    kit: Path, *arguments: str, open_gpu: Callable[[memoryview], Device] = open_device, **environment: str
) -> subprocess.CompletedProcess:
    """Runs it to its end; returns status and what it printed."""
    output, errors = kit.with_name("output"), kit.with_name("errors")
    with serving(open_gpu) as server, output.open("w") as to, errors.open("w") as complaints:
        variables = {"LD_PRELOAD": str(kit.with_name("board.so")), "VC4_SERVER": str(server.path)}
        process = subprocess.Popen(
            [kit, *arguments], env=os.environ | variables | environment, stdout=to, stderr=complaints
        )
        server.serve(process.pid)
        status = process.wait()
    return subprocess.CompletedProcess(process.args, status, output.read_text(), errors.read_text())
