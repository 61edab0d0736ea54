"""The GPU as a C library: a driver in C draws a captured frame, and what it has drawn is recorded."""

import os
import re
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from vc4sim.cli import main

from ..render.captures import draw
from .driver import MEMORY, arguments_of
from .needs import needs_c

pytestmark = needs_c
ROOT = Path(__file__).parents[2]


def run_driver(driver, case, folder, **variables):
    """Draws the one job of a case; returns what driver and library say, and memory after."""
    done = subprocess.run(
        [driver, *arguments_of(case, folder)], env=os.environ | variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(), done.stderr, (folder / MEMORY).read_bytes()


@pytest.mark.parametrize("name", ["tri_flat", pytest.param("overflow", marks=pytest.mark.thorough)])
def test_a_driver_draws_a_frame(driver, recorded, tmp_path, capsys, name):
    """Memory is the driver's, byte for byte as after a host of ours; and the recorded frame is drawn again."""
    case = recorded / "cases/gl" / name
    said, line, memory = run_driver(driver, case, tmp_path, VC4_CAPTURE=str(tmp_path / "frames"), VC4_PROGRESS="1")
    assert said == ["02443356", "2", "1"]
    assert "1 frames [" in line
    assert re.search(r"[1-9]\d* instructions, [1-9][\d,]* quads", line)
    _, host, _ = draw(case)
    assert memory == host.memory.data
    (frame,) = (tmp_path / "frames").iterdir()
    assert frame.name == "job-0001"
    assert (frame / "picture.png").exists()
    assert main(["render", str(frame), "--compare"]) == 0
    assert "0 bad pixels" in capsys.readouterr().out


@pytest.mark.thorough
def test_the_rtl_draws_for_a_driver(driver, recorded, tmp_path):
    """The same bytes, in lockstep with the model."""
    case = recorded / "cases/gl/tri_flat"
    said, _, memory = run_driver(driver, case, tmp_path, VC4_ON="native", VC4_LOCKSTEP="1")
    assert said == ["02443356", "2", "1"]
    _, host, _ = draw(case)
    assert memory == host.memory.data


CALLS = """
import ctypes, sys
library, memory = ctypes.CDLL(sys.argv[1]), ctypes.create_string_buffer(4096)
library.vc4sim_open.restype = ctypes.c_void_p
gpu = ctypes.c_void_p(library.vc4sim_open(memory, 4096))
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("call", "variables", "message"),
    [
        ("library.vc4sim_read32(gpu, 0x40)", {}, "there is no register at offset 0x40"),
        ("library.vc4sim_write32(gpu, 0x1000, 1)", {}, "there is no register at offset 0x1000"),
        ("library.vc4sim_open(memory, 4096)", {}, "a process has one GPU"),
        ("library.vc4sim_close(gpu); library.vc4sim_run(gpu, ctypes.c_uint64(1))", {}, "the GPU is closed"),
        ("", {"VC4_ON": "abacus"}, "VC4_ON is abacus: what draws frames is model, native"),
        ("", {"VC4_LOCKSTEP": "1"}, "VC4_LOCKSTEP is for VC4_ON=native"),
        ("", {"VC4_CAPTURE": "/dev/null"}, "frames cannot be kept in /dev/null: File exists"),
    ],
)
def test_what_makes_no_sense_ends_with_a_line(prefix, call, variables, message):
    command = [sys.executable, "-c", CALLS + call, str(prefix / "lib/libvc4sim.so")]
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGABRT
    assert done.stderr == f"vc4sim: {message}\n"


def test_it_is_silent(driver, recorded, tmp_path):
    _, line, _ = run_driver(driver, recorded / "cases/gl/tri_flat", tmp_path)
    assert line == ""


def test_the_example_of_the_page(prefix, flags):
    """It is compiled with all warnings, and so is the library."""
    page = (ROOT / "docs/user/library.md").read_text()
    (example,) = re.findall(r"```c\n(.*?)```", page, re.DOTALL)
    source = prefix / "example.c"
    source.write_text(example)
    sources = sorted((ROOT / "sim/vc4sim/gl").glob("*.c"))
    python = [f"-I{sysconfig.get_path('include')}", '-DPYTHON=""', '-DPYTHON_LIBRARY=""']
    for file in (source, *sources):
        command = ["cc", "-fsyntax-only", "-std=c11", "-Wall", "-Wextra", "-Werror", *flags, *python, str(file)]
        subprocess.run(command, check=True)


def test_another_thread_may_call(prefix):
    call = "import threading\n"
    call += "threading.Thread(target=lambda: print(hex(library.vc4sim_read32(gpu, 0)))).start()"
    command = [sys.executable, "-c", CALLS + call, str(prefix / "lib/libvc4sim.so")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "0x2443356\n"


def test_without_work_it_rests(prefix):
    call = "print(library.vc4sim_run(gpu, ctypes.c_uint64(1 << 40)))"
    command = [sys.executable, "-c", CALLS + call, str(prefix / "lib/libvc4sim.so")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "0\n"
