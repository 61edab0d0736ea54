"""Compiles a design, and the instances that were taken out of it, with a driver.

``VC4_NATIVE_FLAGS`` in the environment are flags for the compiler that override those of here: with ``-Og`` it needs a third of
the time for a quarter of the speed.
"""

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import partial
from importlib import resources
from pathlib import Path

from ..children import side_by_side
from ..cxxrtl.build import Part, compile_quietly, find_compiler, flatten, for_this_processor, make_once, start_yosys
from ..cxxrtl.cuts import Neighbours
from ..cxxrtl.narrow import narrow
from .activity import activity_of, known_texts, recorded_in
from .code import accessors, code
from .design import Design
from .equalities import join_equalities
from .joint import Joint, Side, lanes_for
from .schedule import order
from .siblings import join_siblings

__all__ = ["build_alone", "compile_joined", "flags", "link_joined", "source_texts"]

#: The file with C++ for drivers.
_FOR_DRIVERS = "joined.h"
#: A library that calls its own functions without asking where they are.
_SHARED = ("-shared", "-Wl,-Bsymbolic-functions")


def _compiler() -> list[str]:
    """Its command, with flags. Raises `NoCompiler`."""
    ours = ("-O2", "-std=c++17", "-fPIC", *for_this_processor())
    return [*find_compiler(), *ours, *shlex.split(os.environ.get("VC4_NATIVE_FLAGS", ""))]


def flags() -> str:
    """What the compiler makes of its flags: code for this processor, which others need not understand. Raises `NoCompiler`."""
    asked = [*_compiler(), "-E", "-v", "-x", "c++", "/dev/null"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stderr


def compile_joined(whole: Part, parts: Mapping[str, tuple[Part, int]], constants: str, folder: Path) -> Path:
    """Objects of `whole`, namespace `v3d`, and of so many lanes of each part, a namespace of its name, in a new folder within
    `folder`; with C++ for drivers, which use all of them through the namespaces `v3d_ports`, `name`_ports and `joints`, and
    `constants`, C++ too. Raises `NoCompiler`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        work = Path(place)
        start_yosys(work)
        with side_by_side() as pool:
            named = [("v3d", (whole, 1)), *parts.items()]
            sides = list(pool.map(lambda one: _side(one[0], *one[1], work), named))
            joint = Joint(sides[0], sides[1:])
            for side, phases in zip(sides, (joint.wholes, *joint.parts), strict=True):
                join_siblings(side.design, phases, side.lanes)
            joint = Joint(sides[0], sides[1:])
            codes = [
                code(side.design, side.name, side.lanes, phases)
                for side, phases in zip(sides, (joint.wholes, *joint.parts), strict=True)
            ]
            ports = "".join(
                accessors(side.design, side.ports, side.inputs, side.name, one.readers)
                for side, one in zip(sides, codes, strict=True)
            )
            sources = {
                f"{side.name}{number}": _lanes(side) + one.header + source
                for side, one in zip(sides, codes, strict=True)
                for number, source in enumerate(one.sources)
            }
            objects = list(pool.map(partial(_object, flags=flags(), folder=folder), sources, sources.values()))
    made = Path(tempfile.mkdtemp(dir=folder))
    for name, kept in zip(sources, objects, strict=True):
        shutil.copy(kept, made / f"{name}.o")
    headers = _lanes(*sides) + "".join(one.header for one in codes)
    (made / _FOR_DRIVERS).write_text(headers + ports + joint.text(codes) + constants)
    return made


def link_joined(compiled: Path, driver: str, folder: Path) -> ctypes.CDLL:
    """The library of what `compile_joined` has made, with `driver`, C++ that uses it. Raises `NoCompiler`."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        work = Path(place)
        objects = [_compile("driver", (compiled / _FOR_DRIVERS).read_text() + driver, work)]
        objects += map(str, sorted(compiled.resolve().glob("*.o")))
        library = folder.resolve() / f"{work.name}.so"
        compile_quietly([*_compiler(), *_SHARED, *objects, "-o", str(library)], work)
    return ctypes.CDLL(str(library))


def build_alone(part: Part, lanes: int, driver: str, folder: Path) -> ctypes.CDLL:
    """The library of `lanes` instances of a design, namespace `design`, with `driver`; it is kept in `folder`. Raises `NoCompiler`."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        work = Path(place)
        side = _side("design", part, lanes, work)
        join_siblings(side.design, order(side.design, {}), lanes)
        made = code(side.design, side.name, lanes, order(side.design, {}))
        ports = accessors(side.design, side.ports, side.inputs, side.name, made.readers)
        source = _lanes(side) + made.header + "".join(made.sources) + ports + driver
        library = folder.resolve() / f"{work.name}.so"
        compile_quietly([*_compiler(), *_SHARED, _compile(side.name, source, work), "-o", str(library)], work)
    return ctypes.CDLL(str(library))


def _side(name: str, part: Part, count: int, work: Path) -> Side:
    flat = flatten(part, name, work)
    if part.change:
        part.change(flat)
    inputs = flat.inputs()
    narrowed, ports = narrow(flat, _neighbours(name, count))
    join_equalities(narrowed)
    return Side(name, Design(narrowed), ports, inputs, count)


def _neighbours(name: str, count: int) -> Neighbours:
    """What is kept together in registers: as little as possible where it is recorded what changes."""
    activity = activity_of(name, lanes_for(count))
    if recorded_in():
        return lambda *bits: False
    return activity.neighbours if activity else lambda *bits: True


def _object(name: str, source: str, flags: str, folder: Path) -> Path:
    """The object of `source`, which GPUs that are different elsewhere may share."""

    def compile_it() -> Path:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            work = Path(place)
            return (work / _compile(name, source, work)).rename(folder.resolve() / f"{work.name}.o")

    return make_once([flags, source], compile_it, folder)


def _compile(name: str, source: str, work: Path) -> str:
    (work / f"{name}.cc").write_text(source)
    compile_quietly([*_compiler(), "-c", f"{name}.cc", "-o", f"{name}.o"], work)
    return f"{name}.o"


def source_texts() -> list[str]:
    """The files of this package, and what is known of activity: what it makes of a design depends on all of them."""
    files = (file for file in resources.files(__package__).iterdir() if file.name.endswith((".py", ".h")))
    return [*(file.read_text() for file in sorted(files, key=lambda file: file.name)), *known_texts()]


def _lanes(*sides: Side) -> str:
    """What the code of these needs; the processor's own header takes half a second to read."""
    names = ["lanes.h"]
    if any(side.lanes > 1 for side in sides):
        names.append("wide.h")
    if recorded_in():
        names.append("record.h")
    return "".join((resources.files(__package__) / name).read_text() for name in names)
