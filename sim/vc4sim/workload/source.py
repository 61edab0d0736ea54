"""Programs of the user, with launches and memory from the command line."""

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path

from vc4.isa.word import WORD_BYTES

from ..asm import SourceMap
from ..problem import BadInput
from .files import MAX_BYTES, read_bytes, read_text
from .hexfile import bytes_of_hex
from .layout import PROGRAM_ADDRESS, Region, Start, lay_out, number_of
from .workload import Workload

__all__ = ["load_source", "read_program"]

#: Files of words: binary, and text.
_BINARY, _TEXT = ".bin", (".hex", ".c", ".h")

_BUFFER = re.compile(r"([A-Za-z_]\w*)(?:@(\w+))?=(?:@(.+)|(\w+))", re.ASCII)
_LOADED = re.compile(r"(.+)@(\w+)", re.ASCII)


def read_program(path: str, folders: Sequence[Path] = ()) -> SourceMap:
    """The program in a file: words if its name ends with .bin, .hex, .c or .h, else assembly.

    folders : where included files may lie

    Raises `BadInput` or `AsmError`.
    """
    suffix = Path(path).suffix
    if suffix == _BINARY:
        code = read_bytes(path)
        if len(code) % WORD_BYTES:
            raise BadInput(f"{path}: {len(code)} bytes are no whole number of instructions")
        return SourceMap.of_words(code, path)
    if suffix in _TEXT:
        return SourceMap.of_words(bytes_of_hex(read_text(path), path), path)
    return SourceMap.of(read_text(path), path, folders)


def load_source(
    path: str,
    starts: Sequence[Start],
    buffers: Sequence[str],
    loaded: Sequence[str] = (),
    *,
    base: int = PROGRAM_ADDRESS,
    folders: Sequence[Path] = (),
) -> Workload:
    """The program in a file, as `read_program` reads it.

    starts : its launches
    buffers : `NAME=BYTES` for a region of zeros, `NAME=@FILE` for the bytes of a file; behind the name may stand
        `@ADDRESS`
    loaded : `FILE@ADDRESS` for bytes that are not shown
    base : the address of the program
    folders : where included files may lie

    Raises `BadInput` or `AsmError`.
    """
    regions = [_buffer(text) for text in buffers]
    names = [region.name for region in regions]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"buffer {name}: given twice")
    regions += [_loaded(text) for text in loaded]
    source = read_program(path, folders)
    workload = lay_out(path, source.program, starts, regions, base)
    return dataclasses.replace(workload, source=dataclasses.replace(source, start=base - workload.base))


def _buffer(text: str) -> Region:
    match = _BUFFER.fullmatch(text)
    if match is None:
        raise BadInput(f"buffer {text}: must be NAME=BYTES or NAME=@FILE")
    name, place, file, size = match.groups()
    address = None if place is None else _address(place, f"buffer {name}")
    if file is not None:
        return Region(name, read_bytes(file), address)
    count = number_of(size)
    if count is None or not 1 <= count <= MAX_BYTES:
        raise BadInput(f"buffer {name}: must have 1 to {MAX_BYTES} bytes, not {size}")
    return Region(name, bytes(count), address)


def _loaded(text: str) -> Region:
    match = _LOADED.fullmatch(text)
    if match is None:
        raise BadInput(f"load {text}: must be FILE@ADDRESS")
    return Region(match[1], read_bytes(match[1]), _address(match[2], f"load {text}"), shown=False)


def _address(text: str, what: str) -> int:
    address = number_of(text)
    if address is None or not 0 <= address < 1 << 32:
        raise BadInput(f"{what}: must lie at an address, not at {text}")
    return address
