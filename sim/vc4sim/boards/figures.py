"""What a build needs of its device, and the clock that it reaches there."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..synth.figures import RESOURCES, path_lines
from ..synth.route import Routed

__all__ = ["BoardFigures"]


@dataclass(frozen=True, slots=True)
class BoardFigures:
    """A build.

    board, doc : its name, and in full
    config : of the GPU
    device : its name in full
    mhz_asked : clock that it must reach
    tools : names and versions
    room : LUTs that only leave room, which are not counted
    runs : one a seed, at least one
    """

    board: str
    doc: str
    config: str
    device: str
    mhz_asked: float
    tools: Sequence[str]
    room: int
    runs: Sequence[Routed]

    @property
    def best(self) -> Routed:
        """The fastest run."""
        return max(self.runs, key=lambda run: run.mhz)

    @property
    def reached(self) -> bool:
        """Whether the fastest run reaches what was asked for."""
        return self.best.mhz >= self.mhz_asked

    @property
    def cells(self) -> Mapping[str, int]:
        """What the fastest run uses, by the names of the resources."""
        return {
            name: self.best.cells.get(name, 0) - (self.room if "LUT4" in types else 0) for name, types, _ in RESOURCES
        }

    def as_json(self, command: str) -> Mapping:
        """Everything, in types that JSON has; `command` made it."""
        return {
            "command": command,
            "board": self.board,
            "config": self.config,
            "device": self.device,
            "tools": list(self.tools),
            "cells": self.cells,
            "room": self.room,
            "available": {name: self.best.available.get(name, 0) for name, *_ in RESOURCES},
            "mhz_asked": self.mhz_asked,
            "reached": self.reached,
            "seeds": {str(run.seed): run.mhz for run in self.runs},
            "critical_path": [dataclasses.asdict(hop) for hop in self.best.path],
        }

    def lines(self) -> Iterator[str]:
        """The table in Markdown, the clock of each seed, the verdict, and the slowest path."""
        yield f"{self.doc} ({self.device}) with the GPU `{self.config}`, with {', '.join(self.tools)}"
        yield ""
        yield f"| {'resource':22} | {'used':>7} | of the device |"
        yield f"|{'-' * 24}|{'-' * 8}:|{'-' * 14}:|"
        for name, _, doc in RESOURCES:
            yield f"| {doc:22} | {self.cells[name]:7,} | {self.best.available.get(name, 0):13,} |"
        yield ""
        yield ", ".join(f"{run.mhz:.1f} MHz with seed {run.seed}" for run in self.runs)
        yield f"{'PASS' if self.reached else 'FAIL'}: {self.best.mhz:.1f} of {self.mhz_asked:g} MHz with seed {self.best.seed}"
        yield ""
        yield f"slowest path with seed {self.best.seed}:"
        yield from path_lines(self.best.path)
