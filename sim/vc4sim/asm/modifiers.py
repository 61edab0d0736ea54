"""Suffixes of operations and destinations: conditions, flags, packs (QPU facts, 10.3)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vc4.isa.ops import BranchCondition, Condition

from .errors import Problem
from .habits import OPERATION_PACKS
from .names import BRANCH_CONDITIONS, CONDITIONS, PACKS, SET_FLAGS, UNPACK_PREFIX, UNPACKS, PackName, UnpackName
from .statement import Operand, Statement

__all__ = ["Modifiers", "branch_modifiers", "modifiers"]


@dataclass(frozen=True, slots=True)
class Modifiers:
    """What the suffixes of an operation and of its destination ask for; `pack` stands at `pack_column`."""

    condition: Condition = Condition.ALWAYS
    set_flags: bool = False
    pack: PackName | None = None
    unpack: UnpackName | None = None
    rotate: bool = False
    pack_column: int = 0


#: Conditions without `if` are for destinations only.
_SHORT_CONDITION = re.compile("[znc]|[znc][zncs]")

#: A destination may have its pack as it comes after a mnemonic.
_DESTINATION_PACKS = PACKS | OPERATION_PACKS

_Meaning = tuple[str, Any]


def _of_operation(text: str) -> _Meaning | None:
    """What a suffix means after a mnemonic: the field of `Modifiers` and its value."""
    if text in CONDITIONS and not _SHORT_CONDITION.fullmatch(text):
        return "condition", CONDITIONS[text]
    if text in OPERATION_PACKS:
        return "pack", OPERATION_PACKS[text]
    if text.startswith(UNPACK_PREFIX) and text in UNPACKS:
        return "unpack", UNPACKS[text]
    return ("rotate", True) if text == "rot" else _flags(text)


def _of_destination(text: str) -> _Meaning | None:
    """What a suffix means after a destination."""
    if text in CONDITIONS:
        return "condition", CONDITIONS[text]
    if text in _DESTINATION_PACKS:
        return "pack", _DESTINATION_PACKS[text]
    return _flags(text)


def _flags(text: str) -> _Meaning | None:
    return ("set_flags", True) if text in SET_FLAGS else None


def _meanings(statement: Statement, destinations: tuple[Operand, ...]) -> Iterator[tuple[_Meaning, int]]:
    """The meaning and the column of each suffix; those of a destination stand where the destination begins."""
    written = [(token.text, token.column, _of_operation(token.text)) for token in statement.suffixes]
    for operand in destinations:
        written += [(text, operand.column, _of_destination(text)) for text in operand.register().suffixes]
    for text, column, meaning in written:
        if meaning is None:
            raise Problem(column, f"expected a condition, a pack or .setf, not .{text}")
        yield meaning, column


def modifiers(statement: Statement, *destinations: Operand) -> Modifiers:
    """The suffixes of `statement` and of those of its `destinations` to consider.

    Raises `Problem` if one is unknown there, or if two say something about the same thing.
    """
    fields: dict[str, Any] = {}
    for (name, value), column in _meanings(statement, destinations):
        if name in fields:
            raise Problem(column, f"expected one {name.replace('_', ' ')}, not two")
        fields[name] = value
        if name == "pack":
            fields["pack_column"] = column
    return Modifiers(**fields)


def branch_modifiers(statement: Statement) -> tuple[BranchCondition, bool]:
    """The condition of a branch and whether it sets flags; `Problem` at a suffix that is neither, or comes twice."""
    conditions = [BRANCH_CONDITIONS[token.text] for token in statement.suffixes if token.text in BRANCH_CONDITIONS]
    flags = [token for token in statement.suffixes if token.text in SET_FLAGS]
    if len(conditions) > 1 or len(flags) > 1 or len(conditions) + len(flags) < len(statement.suffixes):
        raise Problem(statement.suffixes[0].column, "expected one condition of branches and .setf at most")
    return (conditions or [BranchCondition.ALWAYS])[0], bool(flags)
