"""Random programs."""

import random
from collections.abc import Callable, Iterable
from typing import ClassVar

import numpy as np

from ..backends.base import Job as RunJob
from ..backends.base import Waves
from ..backends.engines import ENGINES
from ..coverage.count import Cells, Coverage
from ..coverage.groups import Group, groups_of
from ..random_programs import Wanted, Wish, compare_programs, random_run
from .instruction_cells import fields_of, steerable
from .job import Settings, SteeredCell
from .kind import Done, Kind, Small
from .small import small_program

__all__ = ["GAPS", "LATENCIES", "Programs", "pace_of"]

_LENGTH = 4000
#: That the programs of an item run: to make them takes longer than a run.
_TIMES = 8
#: Of memory: clocks to the first word, chances of a pause.
LATENCIES, GAPS = (1, 4, 20, 20, 40, 100), (0.0, 0.0, 0.0, 0.1, 0.3)


def pace_of(seed: int) -> dict:
    """The memory of the item of a seed: latency, gap and the seed of its pauses."""
    rng = random.Random(f"pace {seed}")
    return {"latency": rng.choice(LATENCIES), "gap": rng.choice(GAPS)}


class Programs(Kind):
    """Runs of random programs, as `vc4 lockstep` makes them, with memory of any pace."""

    name = "programs"
    unit = "instructions"
    doc = "runs of random programs, every effect of every instruction compared"
    config = "qpu"
    configs: ClassVar[tuple[str, ...]] = ("qpu", "slice", "gpu", "bcm2835")
    size = 100_000
    item = _LENGTH * _TIMES
    most_shrinking = 400

    def groups(self, settings: Settings) -> tuple[Group, ...]:
        """What instructions there are."""
        return tuple(group for group in groups_of(settings.built) if group.in_total)

    def steerable(self, groups: Iterable[Group]) -> tuple[Group, ...]:
        """Those with cells that fields of an instruction make."""
        return tuple(filter(steerable, groups))

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
        """In lockstep."""
        coverage = Coverage(covered.groups)
        done = compare_programs(self._job(settings, seed, cells), ENGINES[on].run, coverage, waves)
        coverage.finish()
        covered.join(coverage)
        return Done(done, done)

    def shrink(
        self, settings: Settings, seed: int, cells: tuple[SteeredCell, ...], told: Callable[[], object]
    ) -> Small | None:
        """A case of `vc4 run`."""
        return small_program(settings, self._job(settings, seed, cells), f"random program of seed {seed}", told)

    def _job(self, settings: Settings, seed: int, cells: tuple[SteeredCell, ...]) -> RunJob:
        """The run of a seed."""
        wanted = _wanted(self.groups(settings), cells)
        return random_run(seed, _LENGTH, settings.built, times=_TIMES, wanted=wanted, **pace_of(seed))


def _wanted(groups: Iterable[Group], cells: tuple[SteeredCell, ...]) -> Wanted:
    """Cells as a generator of programs knows them."""
    shapes = {group.name: group.shape for group in groups}
    wishes = []
    for cell in cells:
        numbers = tuple(int(number) for number in np.unravel_index(cell.cell, shapes[cell.group]))
        wish = fields_of(cell.group, numbers)
        if wish:
            wishes.append(Wish(*wish, cell.weight))
    return Wanted(wishes)
