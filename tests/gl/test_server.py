"""A GPU in another process: what programs in C see of it is the same."""

import os
import subprocess
import sys
from functools import partial

import pytest

from vc4sim.gl.device import open_device
from vc4sim.gl.server import serving

from ..render.captures import draw
from .driver import MEMORY, arguments_of
from .needs import needs_c

pytestmark = needs_c
SHARED = """
import ctypes, mmap, os, sys
file = os.memfd_create("memory")
os.ftruncate(file, 8192)
shared = mmap.mmap(file, 8192)
library, memory = ctypes.CDLL(sys.argv[1]), (ctypes.c_char * 8192).from_buffer(shared)
library.vc4sim_open.restype = ctypes.c_void_p
"""
OPEN = SHARED + "gpu = ctypes.c_void_p(library.vc4sim_open(ctypes.byref(memory, 100), 4096))\n"
READ = OPEN + "print(hex(library.vc4sim_read32(gpu, 0)))"


@pytest.fixture
def python(prefix):
    """A program in Python that calls the library."""
    return lambda text: [sys.executable, "-c", text, str(prefix / "lib/libvc4sim.so")]


def start(server, command):
    environment = os.environ | {"VC4_SERVER": str(server.path)}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(command, env=environment, text=True, **pipes)


def run_with(server, command):
    """A program that the server answers; returns its status and what it has said."""
    program = start(server, command)
    server.serve(program.pid)
    said, errors = program.communicate()
    return program.returncode, said, errors


def test_a_driver_draws_frames(driver, recorded, tmp_path):
    """One after the other; memory is the driver's, byte for byte as after a host in this process."""
    with serving(partial(open_device, record=tmp_path / "frames")) as server:
        for count, name in enumerate(("tri_flat", "points"), 1):
            case = recorded / "cases/gl" / name
            status, said, errors = run_with(server, [driver, *arguments_of(case, tmp_path)])
            assert (status, said.split(), errors) == (0, ["02443356", "2", "1"], "")
            assert (tmp_path / MEMORY).read_bytes() == draw(case)[1].memory.data
            assert len([*(tmp_path / "frames").iterdir()]) == count


def test_memory_may_begin_anywhere(python):
    """In the middle of a page of a file; what the server writes there, the program sees."""

    def opened(memory):
        assert len(memory) == 4096
        memory[:1] = b"U"
        return open_device(memory)

    with serving(opened) as server:
        assert run_with(server, python(OPEN + "print(memory[100])")) == (0, "b'U'\n", "")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (OPEN + "library.vc4sim_read32(gpu, 0x40)", "there is no register at offset 0x40"),
        (SHARED + "library.vc4sim_open(ctypes.create_string_buffer(4096), 4096)", "memory is not shared"),
        (SHARED + "os.closerange(3, 20)\nlibrary.vc4sim_open(memory, 4096)", "the file of memory is closed"),
        (SHARED + "os.putenv('VC4_SERVER', '/no')\nlibrary.vc4sim_open(memory, 4096)", "VC4_SERVER is /no: No such"),
    ],
)
def test_what_makes_no_sense_ends_the_program(python, program, message):
    """And the next one is served."""
    with serving(open_device) as server:
        status, _, errors = run_with(server, python(program))
        assert status < 0
        assert errors.startswith(f"vc4sim: {message}")
        assert errors.count("\n") == 1
        assert run_with(server, python(READ)) == (0, "0x2443356\n", "")


def test_a_fault_of_ours_ends_the_program(python, capsys):
    """With its trace here."""
    with serving(lambda memory: 1 / len(memory[:0])) as server:
        _, said, errors = run_with(server, python(READ))
    assert (said, errors) == ("", "vc4sim: this is a fault of the simulator\n")
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_program_that_outlives_the_server_ends(python):
    with serving(open_device) as server:
        program = start(server, python(OPEN + "print('.', flush=True)\ninput()\nlibrary.vc4sim_read32(gpu, 0)"))
        with subprocess.Popen(["head", "-c", "1"], stdin=program.stdout, stdout=subprocess.DEVNULL) as has_opened:
            server.serve(has_opened.pid)
    _, errors = program.communicate("\n")
    assert errors == "vc4sim: the server has gone\n"
