"""Assembly files, with uniforms and buffers from the command line."""

import dataclasses
import re
from collections.abc import Sequence

from ..asm import SourceMap
from ..problem import BadInput
from .files import MAX_BYTES, read_bytes, read_text
from .layout import lay_out
from .workload import Workload

__all__ = ["load_source"]

_BUFFER = re.compile(r"([A-Za-z_]\w*)=(?:@(.+)|(\w+))", re.ASCII)


def load_source(path: str, uniforms: Sequence[str], buffers: Sequence[str]) -> Workload:
    """The program in an assembly file.

    uniforms : as `lay_out` takes them
    buffers : `NAME=BYTES` for a region of zeros, `NAME=@FILE` for the bytes of a file

    Raises `BadInput` or `AsmError`.
    """
    contents: dict[str, bytes] = {}
    for text in buffers:
        name, content = _buffer(text)
        if name in contents:
            raise BadInput(f"buffer {name}: given twice")
        contents[name] = content
    source = SourceMap.of(read_text(path), path)
    return dataclasses.replace(lay_out(path, source.program.code, uniforms, contents, {}), source=source)


def _buffer(text: str) -> tuple[str, bytes]:
    match = _BUFFER.fullmatch(text)
    if match is None:
        raise BadInput(f"buffer {text}: must be NAME=BYTES or NAME=@FILE")
    name, file, size = match.groups()
    if file is not None:
        return name, read_bytes(file)
    try:
        count = int(size, 0)
    except ValueError:
        count = 0
    if not 1 <= count <= MAX_BYTES:
        raise BadInput(f"buffer {name}: must have 1 to {MAX_BYTES} bytes, not {size}")
    return name, bytes(count)
