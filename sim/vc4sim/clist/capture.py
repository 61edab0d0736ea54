"""Captured frames: what a driver had put into memory and registers, job after job (`case.json` and `memory.bin.xz`)."""

import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..model.memory import Memory
from ..problem import BadInput
from ..workload.case import CASE_FILE
from ..workload.fields import Fields
from ..workload.files import read_bytes, read_text

__all__ = ["Capture", "CaptureJob", "load_capture", "new_capture", "save_capture"]

_ADDRESSES = 1 << 32
#: Bytes: all that a Raspberry Pi has.
_MOST_MEMORY = 1 << 30
#: Address and length in front of the bytes that go there.
_HEADER_BYTES = 8
_WORD_BYTES = 4
_MEMORY_FILE = "memory.bin.xz"
_PAGE = 4096
#: The tolerance of a picture that must be the same.
_EXACT = {"per_channel": 0, "max_bad_fraction": 0}
_REGISTERS = ("CT0CA", "CT0EA", "CT1CA", "CT1EA")


@dataclass(frozen=True)
class CaptureJob:
    """What the host does for one pair of lists.

    name : for messages
    registers : CTnCA and CTnEA, of the threads that it starts
    updates : addresses and bytes that go into memory before
    details : everything else in the file
    """

    name: str
    registers: dict[str, int]
    updates: tuple[tuple[int, bytes], ...]
    details: Fields

    @property
    def threads(self) -> tuple[int, ...]:
        """Numbers of the threads that it starts: those whose list is not empty."""
        bounds = [[self.registers.get(f"CT{number}{end}", 0) for end in ("CA", "EA")] for number in (0, 1)]
        return tuple(number for number, (start, end) in enumerate(bounds) if start != end)

    @property
    def starts(self) -> tuple[tuple[str, int], ...]:
        """Registers that start its threads, with their words: the ends come last."""
        names = (f"CT{thread}{end}" for end in ("CA", "EA") for thread in self.threads)
        return tuple((name, self.registers[name]) for name in names)

    def load(self, memory: Memory) -> None:
        """Put the bytes into memory, over what is there."""
        for address, data in self.updates:
            memory.write(address, data)


@dataclass(frozen=True)
class Capture:
    """A captured frame; its memory begins at address 0."""

    name: str
    folder: Path
    memory_size: int
    jobs: tuple[CaptureJob, ...]
    details: Fields


def load_capture(folder: Path) -> Capture:
    """The captured frame in `folder`. Raises `BadInput` for whatever is missing or makes no sense."""
    path = folder / CASE_FILE
    case = Fields.parse(read_text(path), str(path))
    size = case.integer("mem_size", 1, _MOST_MEMORY)
    source = folder / case.text("memory_file")
    image = _decompress(source)
    return Capture(
        name=case.text("name"),
        folder=folder,
        memory_size=size,
        jobs=tuple(_job(job, number, size, image, source) for number, job in enumerate(case.objects("jobs"))),
        details=case,
    )


def _decompress(path: Path) -> bytes:
    try:
        decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ)
        data = decompressor.decompress(read_bytes(path), _MOST_MEMORY)
    except lzma.LZMAError as error:
        raise BadInput(f"{path}: not an xz file that can be read: {error}") from None
    if not decompressor.eof:
        raise BadInput(f"{path}: cut short, or larger than {_MOST_MEMORY} bytes")
    return data


def _job(job: Fields, number: int, size: int, image: bytes, source: Path) -> CaptureJob:
    start = job.integer("memory_offset", 0, len(image))
    length = job.integer("memory_length", 0, len(image) - start)
    return CaptureJob(
        name=f"job {number}",
        registers=_registers_of(job),
        updates=tuple(_updates(image, start, start + length, size, source)),
        details=job,
    )


def _registers_of(job: Fields) -> dict[str, int]:
    words = job.object("registers")
    return {name: words.integer(name, 0, _ADDRESSES - 1) for name in _REGISTERS if name in words}


def _updates(image: bytes, start: int, end: int, size: int, source: Path) -> Iterator[tuple[int, bytes]]:
    """The pieces of memory between two bytes of the file."""
    while start < end:
        header = image[start : min(start + _HEADER_BYTES, end)]
        address = int.from_bytes(header[:_WORD_BYTES], "little")
        length = int.from_bytes(header[_WORD_BYTES:], "little")
        data = image[start + _HEADER_BYTES : min(start + _HEADER_BYTES + length, end)]
        if len(header) < _HEADER_BYTES or len(data) < length:
            raise BadInput(f"{source}: what begins at byte {start} goes on after the end of the job, byte {end}")
        if address + length > size:
            raise BadInput(f"{source}: at byte {start}: {length} bytes at {address:#010x} are outside of memory")
        yield address, data
        start += _HEADER_BYTES + length


def new_capture(
    memory: bytes,
    registers: Mapping[str, int],
    *,
    name: str = "frame",
    overflows: Sequence[Mapping[str, int]] = (),
    check: Mapping[str, object] | None = None,
) -> Capture:
    """A frame of one job; for its parameters see `save_capture`. Raises `BadInput` for what makes no sense."""
    case = Fields({"check": dict(check or {}), "tolerance": dict(_EXACT)}, name)
    job = Fields(_job_of(registers, overflows), name)
    return Capture(
        name=name,
        folder=Path(),
        memory_size=len(memory),
        jobs=(CaptureJob("job 0", _registers_of(job), ((0, memory),), job),),
        details=case,
    )


def _job_of(registers: Mapping[str, int], overflows: Sequence[Mapping[str, int]]) -> dict[str, object]:
    """What a file says of a job without its memory."""
    job: dict[str, object] = {"registers": dict(registers)}
    if overflows:
        job["overflows"] = [dict(one) for one in overflows]
    return job


def save_capture(
    folder: Path,
    memory: bytes,
    registers: Mapping[str, int],
    *,
    description: str = "",
    overflows: Sequence[Mapping[str, int]] = (),
    check: Mapping[str, object] | None = None,
) -> None:
    """Write a frame of one job into a folder, from which `load_capture` reads it.

    memory : all of it, from address 0 on, before the host starts the lists
    registers : CTnCA and CTnEA, of the threads that it starts
    overflows : BPOA and BPOS, each time the binner asks for memory
    check : where the picture is: `addr`, `tiling` (raster, T or LT), `format` (RGBA8888 or BGR565), `width`, `height`; perhaps
        the file with the picture that is expected, `expected`, and `first_row`
    """
    image = b"".join(_pieces(memory))
    job = {"memory_offset": 0, "memory_length": len(image)} | _job_of(registers, overflows)
    case = {
        "name": folder.name,
        "description": description,
        "mem_size": len(memory),
        "memory_file": _MEMORY_FILE,
        "jobs": [job],
        "tolerance": _EXACT,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _MEMORY_FILE).write_bytes(lzma.compress(image, preset=0))
    (folder / CASE_FILE).write_text(json.dumps(case | ({"check": dict(check)} if check else {}), indent=1) + "\n")


def _pieces(memory: bytes) -> Iterator[bytes]:
    """Address, length and bytes of all pages that are not 0, those that follow each other as one."""
    whole = len(memory) - len(memory) % _PAGE
    pages = np.frombuffer(memory, np.uint8)[:whole].reshape(-1, _PAGE)
    used = np.concatenate([[False], pages.any(axis=1), [whole < len(memory)], [False]])
    for first, last in np.flatnonzero(np.diff(used)).reshape(-1, 2).tolist():
        data = memory[first * _PAGE : last * _PAGE]
        yield (first * _PAGE).to_bytes(4, "little") + len(data).to_bytes(4, "little") + data
