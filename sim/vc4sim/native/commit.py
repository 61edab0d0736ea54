"""The end of a clock: what registers and memories become, block by block."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .banks import Bank
from .blocks import Blocks, bits
from .changes import CHANGED, Statement, guarded
from .design import Design

__all__ = ["commit_text", "constant"]


def commit_text(design: Design, blocks: Blocks, readers: Mapping[str, int], banks: Sequence[Bank]) -> str:
    """C++ of it, for the blocks that are `due`, with a bit for each block that reads a variable or memory.

    Every register belongs to the block of what it becomes, and a memory to one block with all that it is read and written with. A
    word of a memory is read before or after it may be written. Where the design is reset, registers become something else after all.
    """
    steps = (
        _loads(design, blocks, readers, late=False),
        _stores(design, blocks, readers),
        _loads(design, blocks, readers, late=True),
        _registers(design, blocks, readers, banks),
    )
    return "".join(guarded(step, "due", "awake", blocks.seldom) for step in steps) + _reset(design)


def _loads(design: Design, blocks: Blocks, readers: Mapping[str, int], *, late: bool) -> Iterator[Statement]:
    for one in design.reads:
        if one.late == late:
            full = str(one.full).lower()
            value = f"load<{full}>({one.memory}, {one.address}, {one.enable}, {one.result})"
            text = f"renew({CHANGED}, {one.result}, {value});"
            yield Statement(1 << blocks.homes[one.memory], readers.get(one.result, 0), text)


def _stores(design: Design, blocks: Blocks, readers: Mapping[str, int]) -> Iterator[Statement]:
    for one in design.writes:
        text = f"store({one.memory}, {one.address}, {one.bits}, {one.data}); {CHANGED} |= {one.bits};"
        yield Statement(1 << blocks.homes[one.memory], readers.get(one.memory, 0), text)


def _registers(
    design: Design, blocks: Blocks, readers: Mapping[str, int], banks: Sequence[Bank]
) -> Iterator[Statement]:
    for bank in banks:
        text = f"awake |= wake(renewed({bank.values}, {bank.following}), {bits(bank.readers)});"
        yield Statement(1 << bank.block, 0, text)
    banked = {name for bank in banks for name in bank.names}
    for one in design.registers:
        if one.name in banked:
            continue
        text = f"renew({CHANGED}, {one.name}, {one.following});"
        yield Statement(1 << blocks.homes[one.following], readers.get(one.name, 0), text, design.kind(one.name))


def _reset(design: Design) -> str:
    """In most clocks there is none, so it costs one question for all registers. Whatever has slept has to find out what follows."""
    lines = defaultdict(list)
    for one in design.registers:
        if one.reset:
            kind = design.kind(one.name)
            when = f"same<{kind}>({one.reset})"
            lines[one.reset].append(f"        {one.name} = mux({when}, {one.name}, {constant(kind, one.values)});\n")
    return "".join(
        f"    if (any({reset})) {{\n{''.join(its)}        awake = ~Blocks(0);\n    }}\n" for reset, its in lines.items()
    )


def constant(kind: str, words: Iterable[int]) -> str:
    """C++ of a variable of a type with these words, the same in all lanes."""
    return f"beside<{kind}>({', '.join(f'k({word:#x}u)' for word in words)})"
