"""Pairs of operands of both ALUs of a lane."""

from collections.abc import Callable, Iterable
from typing import ClassVar

import numpy as np

from ..backends.base import Waves
from ..bench.vectors import Report
from ..coverage.count import Cells
from ..coverage.groups import Gap, Group
from ..coverage.products import product_group
from ..problem import BadInput
from ..random_pairs.alus import ALUS, Alu, compiled_alu
from ..random_pairs.operands import random_pairs
from .job import Settings, SteeredCell
from .kind import Done, Kind, Small

__all__ = ["Arithmetic"]

#: Pairs of an item, of each ALU; of these so many are of rare cells.
_PAIRS = 1 << 15
_SHARE = 0.3
#: Kinds of words by the exponent that they have as floats: names, and the first exponent of each.
_BOUNDS = {"0 or denormal": 0, "tiny": 1, "below 1": 64, "from 1 on": 127, "huge": 191, "infinity or NaN": 255}
_FIRST = np.array(list(_BOUNDS.values()))
_ENDS = np.append(_FIRST[1:], 256)
_CLASSES = tuple(f"{sign}{name}" for sign in ("", "-") for name in _BOUNDS)


def _group(alu: Alu) -> Group:
    codes = {one.value: one.name.lower() for one in alu.operations}
    count = 1 << max(codes).bit_length()
    labels = [codes.get(code, f"code {code}") for code in range(count)]
    others = tuple(code for code in range(count) if code not in codes)
    gaps = [Gap("the operation computes nothing", {f"{alu.name} operation": others})] if others else []
    dimensions = {f"{alu.name} operation": labels, f"{alu.name} a": _CLASSES, f"{alu.name} b": _CLASSES}
    return product_group(f"{alu.name}: operation x a x b", dimensions, gaps)


_GROUPS = {name: _group(alu) for name, alu in ALUS.items()}
_Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


class Arithmetic(Kind):
    """Pairs of operands that reach the corners of the arithmetic, with all operations, a pair a clock."""

    name = "arithmetic"
    unit = "pairs"
    doc = "operands of both ALUs, all operations mixed: results and flags"
    config = "qpu"
    configs: ClassVar[tuple[str, ...]] = ("qpu",)
    item = 2 * _PAIRS
    size = 30 * item
    most_shrinking = 1

    def groups(self, settings: Settings) -> tuple[Group, ...]:
        """Operations, and kinds of words."""
        return tuple(_GROUPS.values())

    def steerable(self, groups: Iterable[Group]) -> tuple[Group, ...]:
        """All."""
        return tuple(groups)

    def run(
        self,
        settings: Settings,
        seed: int,
        cells: tuple[SteeredCell, ...],
        covered: Cells,
        *,
        on: str,
        waves: Waves | None = None,
    ) -> Done:
        """Pairs of both ALUs, in native code whatever simulator is named."""
        if waves:
            raise BadInput("pairs have no waves: a test of tests/arith shows one")
        for alu in ALUS.values():
            rows = _rows(alu, seed, cells)
            _check(alu, rows, f"{alu.name} ALU, seed {seed}")
            operations, a, b = rows
            names = _GROUPS[alu.name].dimensions
            covered.add(dict(zip(names, (operations, _class_of(a), _class_of(b)), strict=True)))
        return Done(2 * _PAIRS)

    def shrink(
        self, settings: Settings, seed: int, cells: tuple[SteeredCell, ...], told: Callable[[], object]
    ) -> Small | None:
        """The first pair that differs, alone."""
        for alu in ALUS.values():
            rows = _rows(alu, seed, cells)
            report, *_ = _run(alu, rows)
            if report.mismatches:
                one = tuple(column[report.first : report.first + 1] for column in rows)
                told()
                try:
                    _check(alu, one, "one pair")
                except AssertionError as error:
                    return Small(f"one pair of the {alu.name} ALU: {error}")
                return Small(f"pair {report.first} of the {alu.name} ALU, and not if it is alone")
        return None


def _rows(alu: Alu, seed: int, cells: tuple[SteeredCell, ...]) -> _Rows:
    """Operations and operands of a seed."""
    rng = np.random.default_rng([seed, len(alu.operations)])
    a, b = (words[:_PAIRS] for words in random_pairs(rng, _PAIRS))
    order = rng.permutation(_PAIRS)
    codes = np.array([one.value for one in alu.operations], np.uint32)
    operations, a, b = rng.choice(codes, _PAIRS), a[order], b[order]
    mine = [cell for cell in cells if cell.group == _GROUPS[alu.name].name]
    if mine:
        weights = np.array([cell.weight for cell in mine], float)
        flat = np.array([cell.cell for cell in mine])
        chosen = rng.choice(flat, int(_SHARE * _PAIRS), p=weights / weights.sum())
        some = np.unravel_index(chosen, _GROUPS[alu.name].shape)
        count = len(chosen)
        operations[:count] = some[0]
        a[:count], b[:count] = (_word_of(rng, kinds) for kinds in some[1:])
    return operations, a, b


def _class_of(words: np.ndarray) -> np.ndarray:
    """Indices of `_CLASSES`."""
    kinds = np.searchsorted(_FIRST, words >> 23 & 255, side="right") - 1
    return kinds + len(_BOUNDS) * (words >> 31).astype(np.int64)


def _word_of(rng: np.random.Generator, classes: np.ndarray) -> np.ndarray:
    """Any word of each class."""
    sign, kind = np.divmod(classes, len(_BOUNDS))
    exponent = rng.integers(_FIRST[kind], _ENDS[kind])
    return (sign << 31 | exponent << 23 | rng.integers(0, 1 << 23, len(classes))).astype(np.uint32)


def _run(alu: Alu, rows: _Rows) -> tuple[Report, dict, dict]:
    stimuli, expected = alu.stimuli(*rows), alu.expected(*rows)
    return compiled_alu(alu.name).run(stimuli, expected), stimuli, expected


def _check(alu: Alu, rows: _Rows, what: str) -> None:
    """Raises `AssertionError` for a pair that differs."""
    report, stimuli, expected = _run(alu, rows)
    if report.mismatches:
        raise AssertionError(report.text(stimuli, expected, what))
