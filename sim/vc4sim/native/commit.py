"""The end of a clock: what registers and memories become, block by block."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from .blocks import bits
from .changes import Changes
from .design import Design, MemoryRead, MemoryWrite

__all__ = ["Commit"]


class _Statement(NamedTuple):
    """C++ of a block, with a place for what notes that something has changed that `readers` read."""

    block: int
    readers: int
    text: str
    kind: str = "V"


class Commit:
    """Every register belongs to the block of what it becomes, and a memory to one block with all that it is read and written with.

    `homes` says to which block a variable belongs.
    """

    def __init__(self, design: Design, homes: Mapping[str, int]):
        self._design = design
        self._homes = homes
        self._memories: dict[str, int] = {}
        for one in (*design.writes, *design.reads):
            block = next((homes[name] for name in _ports(one) if name in homes), 0)
            self._memories.setdefault(one.memory, block)

    def reads(self) -> Iterator[tuple[str, int]]:
        """What a block reads, which is computed again where this has changed: a memory, too."""
        for register in self._design.registers:
            yield register.following, self._homes[register.following]
        for one in (*self._design.writes, *self._design.reads):
            block = self._memories[one.memory]
            yield one.memory, block
            yield from ((name, block) for name in _ports(one))

    def text(self, readers: Mapping[str, int]) -> str:
        """C++ of it, for the blocks that are `due`. A word of a memory is read before or after it may be written."""
        order = (self._loads(readers, late=False), self._stores(readers), self._loads(readers, late=True))
        return "".join(map(_guarded, (*order, self._registers(readers))))

    def _loads(self, readers: Mapping[str, int], *, late: bool) -> Iterator[_Statement]:
        for one in self._design.reads:
            if one.late == late:
                value = f"load({one.memory}, {one.address}, {one.enable}, {one.result})"
                text = f"renew({{}}, {one.result}, {value});"
                yield _Statement(self._memories[one.memory], readers.get(one.result, 0), text)

    def _stores(self, readers: Mapping[str, int]) -> Iterator[_Statement]:
        for one in self._design.writes:
            text = f"store({one.memory}, {one.address}, {one.bits}, {one.data}); {{}} |= {one.bits};"
            yield _Statement(self._memories[one.memory], readers[one.memory], text)

    def _registers(self, readers: Mapping[str, int]) -> Iterator[_Statement]:
        for one in self._design.registers:
            text = f"renew({{}}, {one.name}, {one.following});"
            yield _Statement(self._homes[one.following], readers.get(one.name, 0), text, self._design.kind(one.name))


def _ports(one: MemoryRead | MemoryWrite) -> tuple[str, ...]:
    return (one.address, one.enable) if isinstance(one, MemoryRead) else (one.bits, one.address, one.data)


def _guarded(statements: Iterable[_Statement]) -> str:
    by_block: dict[int, list[_Statement]] = defaultdict(list)
    for statement in statements:
        by_block[statement.block].append(statement)
    texts = []
    for block, its in by_block.items():
        changes = Changes("awake")
        lines = "".join(f"    {one.text.format(changes.among(one.readers, one.kind))}\n" for one in its)
        texts.append(f"    if (due & {bits(1 << block)}) {{\n{changes.around(lines)}    }}\n")
    return "".join(texts)
