"""Builds and installs the C interface: library, header, and a file for pkg-config."""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from importlib import metadata, resources
from pathlib import Path

from ..cache import cache_folder
from ..problem import BadInput

__all__ = ["build", "build_mesa", "default_prefix", "library_of"]

_PKG_CONFIG = """\
prefix={prefix}

Name: vc4sim
Description: The VideoCore IV 3D as a library, for drivers
Version: {version}
Libs: -L${{prefix}}/lib -lvc4sim
Cflags: -I${{prefix}}/include
"""
_SOURCES = ("vc4sim.c", "embedded.c", "remote.c")
_FLAGS = ("-O2", "-std=c11", "-D_GNU_SOURCE", "-fPIC", "-shared", "-fvisibility=hidden")


def default_prefix() -> Path:
    """Where it goes if nobody says."""
    return cache_folder() / "gl"


def library_of(prefix: Path) -> Path:
    """The library in `prefix`."""
    return prefix / "lib/libvc4sim.so"


def build(prefix: Path, registers: str) -> Path:
    """Compile the library for this Python and install it in `prefix`; returns where it is.

    registers : what ``v3d.h`` shall be, the header with the names of registers

    Raises `BadInput` if there is no C compiler, or this Python is no shared library with headers.
    """
    library = library_of(prefix)
    for folder in (library.parent / "pkgconfig", prefix / "include"):
        folder.mkdir(parents=True, exist_ok=True)
    with resources.as_file(resources.files(__package__)) as sources:
        shutil.copy(sources / "vc4sim.h", prefix / "include")
        _compile([sources / name for name in _SOURCES], library)
    (prefix / "include/v3d.h").write_text(registers)
    text = _PKG_CONFIG.format(prefix=prefix.absolute(), version=metadata.version("vc4-rtl"))
    (library.parent / "pkgconfig/vc4sim.pc").write_text(text)
    return library


def build_mesa(prefix: Path) -> None:
    """Build Mesa with a device that draws with the library in `prefix`, and install it there; what it says is shown.

    Raises `BadInput` if that fails.
    """
    script = Path(__file__).parents[2] / "mesa/build.sh"
    if not script.exists():
        raise BadInput(f"there is no {script}: Mesa is built from a checkout of the sources")
    if subprocess.run([script, prefix], check=False).returncode:
        raise BadInput("Mesa is not built, for the reason above")


def _compile(sources: Sequence[Path], library: Path) -> None:
    python = _python_library()
    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if not shutil.which(compiler[0]):
        raise BadInput(f"there is no C compiler {compiler[0]}: set CC, or apt-get install gcc")
    defines = {"PYTHON": sys.executable, "PYTHON_LIBRARY": str(python)}
    new = library.with_suffix(".new")
    command = [
        *compiler,
        *_FLAGS,
        *(f'-D{name}="{value}"' for name, value in defines.items()),
        f"-I{sysconfig.get_path('include')}",
        *map(str, sources),
        str(python),
        f"-Wl,-rpath,{python.parent}",
        "-o",
        str(new),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BadInput(f"{shlex.join(command)}: {done.stderr.strip()}")
    new.replace(library)  # a program that has it open keeps the old one


def _python_library() -> Path:
    """Python, that of this process, as a shared library. Raises `BadInput`."""
    folder, name = sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME")
    library = Path(folder or "/") / (name or "none")
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not sysconfig.get_config_var("Py_ENABLE_SHARED") or not library.exists():
        raise BadInput(
            f"{sys.executable} is no shared library: use a Python that is, like Debian's (apt-get install python3-dev)"
        )
    if not header.exists():
        raise BadInput(f"there is no {header}: apt-get install python3-dev")
    return library
