"""Statements that are done where a block is awake, and who reads what they change."""

from collections.abc import Iterable
from typing import NamedTuple

from .blocks import bits

__all__ = ["CHANGED", "Statement", "guarded"]

#: In the text of a statement, the variable that is not 0 where something has changed.
CHANGED = "@changed"


class Statement(NamedTuple):
    """C++ that is needed where one of these `blocks` is awake, with a place for `CHANGED` if somebody has to know that: the blocks
    `readers`. That is of the type `kind`.
    """

    blocks: int
    readers: int
    text: str
    kind: str = "V"


def guarded(statements: Iterable[Statement], awake: str, woken: str, seldom: int) -> str:
    """C++ of statements, which do not depend on the order of their blocks; in C++, `awake` are the blocks that are awake, and to `woken`
    those are added whom that wakes up. What is needed only in blocks that are `seldom` awake lies out of the way of the rest.
    """
    together: dict[int, list[Statement]] = {}
    for statement in statements:
        together.setdefault(statement.blocks, []).append(statement)
    return "".join(
        f"    if ({'' if blocks & ~seldom else 'lanes::seldom'}({awake} & {bits(blocks)})) {{\n{_body(its, woken)}    }}\n"
        for blocks, its in together.items()
    )


def _body(statements: Iterable[Statement], woken: str) -> str:
    names: dict[tuple[int, str], str] = {}
    lines = []
    for one in statements:
        text = one.text
        if CHANGED in text:
            text = text.replace(CHANGED, names.setdefault((one.readers, one.kind), f"changed{len(names)}"))
        lines.append(f"    {text}\n")
    begin = "".join(f"    {kind} {name}{{}};\n" for (_, kind), name in names.items())
    end = "".join(
        f"    {woken} |= lanes::wake(any({name}), {bits(readers)});\n" for (readers, _), name in names.items()
    )
    return begin + "".join(lines) + end
