"""The examples that come with the package.

A program is a folder of `vc4sim.examples` with `source.qasm` and `example.json`; `program.hex`, if it is there, holds the
words to run instead of those that the source assembles to. In `example.json`:

``description``  what it computes, one line
``uniforms``     as on the command line of `vc4 run`
``rows``         names of the rows of the buffer `output`
``expected``     these rows: sixteen words in hexadecimal, or one and `*16`
``origin``       where the expected rows come from

A frame is a folder with `case.json`, as a driver submitted it: Mesa 22.3.6's own, whose shaders, lists and textures are
under the MIT licence.
"""

import dataclasses
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from ..asm import SourceMap
from .case import CASE_FILE
from .compare import Check
from .fields import Fields
from .files import read_text
from .hexfile import bytes_of_hex
from .layout import Region, Start, lay_out
from .workload import Workload

__all__ = [
    "OUTPUT",
    "description_of",
    "example_folder",
    "example_names",
    "example_program",
    "frame_folder",
    "frame_names",
    "is_frame",
    "load_example",
]

#: The buffer of every example.
OUTPUT = "output"

_DESCRIPTION = "example.json"
_WORDS = 16


def example_folder(name: str) -> Traversable:
    """The folder of the example `name`."""
    return resources.files("vc4sim.examples") / name


def example_names() -> list[str]:
    """Names of all programs."""
    return _names(_DESCRIPTION)


def frame_names() -> list[str]:
    """Names of all frames."""
    return _names(CASE_FILE)


def _names(description: str) -> list[str]:
    folders = resources.files("vc4sim.examples").iterdir()
    return sorted(folder.name for folder in folders if (folder / description).is_file())


def _fields(name: str, file: str = _DESCRIPTION) -> Fields:
    return Fields.parse((example_folder(name) / file).read_text("utf-8"), f"{name}/{file}")


def description_of(name: str) -> str:
    """What the example `name` computes or draws."""
    return _fields(name, CASE_FILE if name in frame_names() else _DESCRIPTION).text("description")


def load_example(name: str) -> Workload:
    """The example `name`, one of `example_names`."""
    fields = _fields(name)
    expected = b"".join(_row(text) for text in fields.texts("expected"))
    output = Region(OUTPUT, bytes(len(expected)), rows=tuple(fields.texts("rows")))
    source = example_program(name)
    workload = lay_out(name, source.program, [Start(uniforms=tuple(fields.texts("uniforms")))], [output])
    return dataclasses.replace(
        workload,
        description=fields.text("description"),
        checks=(Check(OUTPUT, workload.buffers[0].address, expected),),
        origin=fields.text("origin"),
        source=source,
    )


def example_program(name: str) -> SourceMap:
    """The program of the example `name`."""
    words = example_folder(name) / "program.hex"
    if words.is_file():
        return SourceMap.of_words(bytes_of_hex(words.read_text("utf-8"), words.name), words.name)
    return SourceMap.of((example_folder(name) / "source.qasm").read_text("utf-8"), f"{name}/source.qasm")


def _row(text: str) -> bytes:
    """The bytes of a row of sixteen words."""
    value, _, count = text.partition("*")
    words = [int(word, 16) for word in value.split()] * int(count or 1)
    if len(words) != _WORDS:
        raise ValueError(f"a row has {_WORDS} words, not {len(words)}")
    return b"".join(word.to_bytes(4, "little") for word in words)


def frame_folder(case: Path) -> Path:
    """The folder of a case, which a name of an example stands for unless there is such a folder here."""
    if not case.exists() and str(case) in frame_names():
        return Path(str(example_folder(str(case))))
    return case


def is_frame(case: Path) -> bool:
    """Whether the folder of a case holds a frame, and not a program."""
    file = case / CASE_FILE
    return file.is_file() and "jobs" in Fields.parse(read_text(str(file)), str(file))
