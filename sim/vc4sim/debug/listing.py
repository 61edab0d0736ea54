"""Where instructions are in their source, and where places that people name lie."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from vc4.isa.word import WORD_BYTES

from ..asm import SourceMap, disassemble
from ..model.memory import Memory, MemoryFault
from ..problem import BadInput
from ..workload import Workload
from ..workload.layout import PROGRAM, number_of

__all__ = ["Line", "Listing"]

_ADDRESSES = 1 << 32


@dataclass(frozen=True, slots=True)
class Line:
    """An instruction as it is shown.

    place : file, line and label, or nothing if there is no source
    text : the line of the source, or the disassembly
    word : of 64 bits; `None` outside of memory
    """

    address: int
    place: str
    text: str
    word: int | None = None

    @property
    def disassembly(self) -> str:
        """The word as a statement."""
        return self.text if self.word is None else disassemble(self.word, self.address)


@dataclass(frozen=True, kw_only=True)
class Listing:
    """The program of a run, if it has one, and names of places.

    source : by offsets from `base`
    buffers : addresses by name
    """

    source: SourceMap | None = None
    base: int = 0
    buffers: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, workload: Workload) -> "Listing":
        """That of a workload."""
        buffers = {PROGRAM: workload.code.start} | {buffer.name: buffer.address for buffer in workload.buffers}
        return cls(source=workload.source, base=workload.base, buffers=buffers)

    @cached_property
    def _start(self) -> int:
        return self.base + (self.source.start if self.source else 0)

    @cached_property
    def labels(self) -> dict[str, int]:
        """Addresses by name."""
        labels = self.source.program.labels if self.source else {}
        return {name: self._start + offset for name, offset in labels.items()}

    @cached_property
    def lines(self) -> dict[int, tuple[str, int]]:
        """File and line of each instruction that has one, by address."""
        lines = self.source.program.lines if self.source else {}
        return {self._start + offset: place for offset, place in lines.items()}

    def line(self, address: int, memory: Memory) -> Line:
        """The instruction at an address, as it is in memory now."""
        try:
            word = memory.read_int(address, WORD_BYTES)
        except MemoryFault:
            return Line(address, "", "outside of memory")
        place = self.source.place(address - self.base) if self.source else None
        text = self.source.line(address - self.base) if self.source and place else None
        return Line(address, place or "", text or disassemble(word, address), word)

    def addresses_of(self, file: str, line: int) -> list[int]:
        """The instructions of a line, lowest first; `file` is a path, or the end of one; empty for the main file."""
        return sorted(
            address for address, (name, number) in self.lines.items() if number == line and self.is_file(name, file)
        )

    def is_file(self, name: str, file: str) -> bool:
        """Whether the file of a line is meant by `file`, see `addresses_of`."""
        wanted = Path(file).parts
        if not file:
            return self.source is not None and name == self.source.filename
        return (
            name == file or Path(name).parts[-len(wanted) :] == wanted or Path(name).resolve() == Path(file).resolve()
        )

    def locate(self, text: str) -> int:
        """The address of `LABEL`, `LABEL+INSTRUCTIONS`, `FILE:LINE`, `:LINE`, `&BUFFER`, `&BUFFER+BYTES`, or an integer.

        Raises `BadInput` if there is none.
        """
        if (number := number_of(text)) is not None:
            address = number
        elif text.startswith("&"):
            name, _, distance = text[1:].partition("+")
            address = self._named(self.buffers | self.labels, name, text) + self._distance(distance, text)
        elif ":" in text:
            return self._in_source(text)
        else:
            name, _, distance = text.partition("+")
            address = self._named(self.labels, name, text) + self._distance(distance, text) * WORD_BYTES
        if not 0 <= address < _ADDRESSES:
            raise BadInput(f"{text}: is no address")
        return address

    def _in_source(self, text: str) -> int:
        file, _, line = text.rpartition(":")
        number = number_of(line)
        found = self.addresses_of(file, number) if number is not None else []
        if not found:
            raise BadInput(f"{text}: there is no instruction on this line")
        return found[0]

    @staticmethod
    def _named(places: dict[str, int], name: str, text: str) -> int:
        if name not in places:
            known = f" ({', '.join(sorted(places))})" if places else ""
            raise BadInput(f"{text}: there is no place of this name{known}")
        return places[name]

    @staticmethod
    def _distance(distance: str, text: str) -> int:
        found = number_of(distance or "0")
        if found is None:
            raise BadInput(f"{text}: the distance must be an integer")
        return found
