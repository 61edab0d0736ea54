"""Where things lie in the memory of an example or an assembly file.

The program lies at 0x00010000, behind it the uniforms, behind them the buffers in their order; each begins at a multiple
of 64 bytes.
"""

import re
import struct
from collections.abc import Mapping, Sequence

from ..backends.base import Launch
from ..problem import BadInput
from .files import MAX_BYTES
from .workload import WORD_BYTES, Buffer, Workload

__all__ = ["PROGRAM_ADDRESS", "lay_out"]

PROGRAM_ADDRESS = 0x1_0000
_ALIGNMENT = 64

_FLOAT = re.compile(r"[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?")


def lay_out(
    name: str, code: bytes, uniforms: Sequence[str], buffers: Mapping[str, bytes], rows: Mapping[str, tuple[str, ...]]
) -> Workload:
    """A workload that runs `code` from its first instruction on.

    uniforms : each an integer, a float with a dot, or `&` and the name of a buffer for its address
    buffers : names and contents at the start
    rows : names of the rows of some buffers

    Raises `BadInput` if there is no code, a uniform makes no sense, or all this is too large.
    """
    if not code:
        raise BadInput(f"{name}: there are no instructions")
    first_uniform = end = PROGRAM_ADDRESS + _room(len(code))
    end += _room(WORD_BYTES * len(uniforms))
    placed = []
    for buffer, content in buffers.items():
        placed.append(Buffer(buffer, end, len(content), rows.get(buffer, ())))
        end += _room(len(content))
    if end - PROGRAM_ADDRESS > MAX_BYTES:
        raise BadInput(f"{name}: program and buffers together are larger than {MAX_BYTES} bytes")
    addresses = {buffer.name: buffer.address for buffer in placed}
    words = b"".join(_uniform(text, addresses) for text in uniforms)
    return Workload(
        name=name,
        image=b"".join(part.ljust(_room(len(part)), b"\0") for part in (code, words, *buffers.values())),
        base=PROGRAM_ADDRESS,
        launches=(Launch(PROGRAM_ADDRESS, first_uniform),),
        buffers=tuple(placed),
    )


def _room(size: int) -> int:
    """What `size` bytes take, up to where the next thing may begin."""
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _uniform(text: str, addresses: Mapping[str, int]) -> bytes:
    """The four bytes of a uniform."""
    if text.startswith("&"):
        if text[1:] not in addresses:
            raise BadInput(f"uniform {text}: there is no buffer of this name")
        return struct.pack("<I", addresses[text[1:]])
    try:
        if _FLOAT.fullmatch(text):
            return struct.pack("<f", float(text))
        value = int(text, 0)
    except (ValueError, OverflowError):
        raise BadInput(f"uniform {text}: must be an integer, a float with a dot, or & and a buffer") from None
    if not -(1 << 31) <= value < 1 << 32:
        raise BadInput(f"uniform {text}: must fit into 32 bits")
    return struct.pack("<I", value & 0xFFFF_FFFF)
