"""Programs of the user, with launches and memory from the command line."""

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path

from vc4.isa.word import WORD_BYTES

from ..asm import SourceMap
from ..problem import BadInput
from .array_type import ArrayType, read_array
from .files import MAX_BYTES, read_bytes, read_text
from .hexfile import bytes_of_hex
from .layout import Region, Start, lay_out, number_of
from .memory import ADDRESSES, PROGRAM_ADDRESS
from .workload import Workload

__all__ = ["load_source", "read_program"]

#: Files of words: binary, and text.
_BINARY, _TEXT = ".bin", (".hex", ".c", ".h")

_BUFFER = re.compile(r"([A-Za-z_]\w*)(?:@(\w+))?=(.+)", re.ASCII)
_ARRAY_FILE = ".npy"
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
    buffers : `NAME=TYPE:SHAPE` for an array of zeros, see `ArrayType`; `NAME=@FILE.npy` for one of NumPy; `NAME=TYPE:@FILE` for the
        elements in a file; `NAME=BYTES` and `NAME=@FILE` for bytes of which nobody says what they are. After the name may
        stand `@ADDRESS`
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
        raise BadInput(f"buffer {text}: must be NAME=TYPE:SHAPE, NAME=@FILE.npy, NAME=BYTES or NAME=@FILE")
    name, place, what = match.groups()
    address = None if place is None else _address(place, f"buffer {name}")
    try:
        content, type = _content(what)
    except BadInput as error:
        raise BadInput(f"buffer {name}: {error}") from None
    return Region(name, content, address, type=type)


def _content(what: str) -> tuple[bytes, ArrayType | None]:
    """The bytes of a buffer, and what they are, if that is said."""
    element, at, file = what.partition("@")
    if at and element:
        return _elements(element.removesuffix(":"), file)
    if at and file.endswith(_ARRAY_FILE):
        values = read_array(file)
        try:
            type = ArrayType.of(values)
        except BadInput as error:
            raise BadInput(f"{file}: {error}") from None
        return type.data(values), type
    if at:
        return read_bytes(file), None
    if ":" in what:
        type = ArrayType.parse(what)
        return bytes(type.nbytes), type
    count = number_of(what)
    if count is None or not 1 <= count <= MAX_BYTES:
        raise BadInput(f"must have 1 to {MAX_BYTES} bytes, not {what}, or a type and a shape like f32:16x16")
    return bytes(count), None


def _elements(element: str, file: str) -> tuple[bytes, ArrayType]:
    """All that a file holds, as elements of a type."""
    dtype = ArrayType.parse(f"{element}:1").dtype
    if file.endswith(_ARRAY_FILE):
        raise BadInput(f"{file} says itself what it holds: leave {element}: out")
    data = read_bytes(file)
    if not data or len(data) % dtype.itemsize:
        raise BadInput(f"{file}: {len(data)} bytes are no whole number of {element}")
    return data, ArrayType(dtype, (len(data) // dtype.itemsize,))


def _loaded(text: str) -> Region:
    match = _LOADED.fullmatch(text)
    if match is None:
        raise BadInput(f"load {text}: must be FILE@ADDRESS")
    return Region(match[1], read_bytes(match[1]), _address(match[2], f"load {text}"), shown=False)


def _address(text: str, what: str) -> int:
    address = number_of(text)
    if address is None or not 0 <= address < ADDRESSES:
        raise BadInput(f"{what}: must lie at an address, not at {text}")
    return address
