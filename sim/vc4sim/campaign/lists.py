"""Binning lists with damage anywhere in their frame."""

from collections.abc import Callable, Collection, Iterable

import numpy as np

from ..backends.base import Waves
from ..coverage.count import Cells
from ..coverage.groups import Group
from ..coverage.products import product_group
from ..damaged import Damage, DamagedJob, compare_damaged, damaged_job
from ..damaged import whole_frame as frame
from ..damaged.binning import ENDS, REGIONS
from ..damaged.mutation import HOW
from ..shrink.again import Again, error_of
from ..shrink.search import needed
from .frames import drawing_config
from .job import Settings, SteeredCell
from .kind import Done, Kind, Small

__all__ = ["Lists"]

#: What begins at each address of a region.
_NAMES = {
    frame.LISTS: "list",
    frame.RECORDS: "shader records",
    frame.VERTICES: "vertices",
    frame.SHADED: "shaded vertices",
    frame.INDICES: "indices",
    frame.ALLOCATION: "tile lists",
}
_PLACES = tuple(_NAMES.values())
_PLACE_OF = [_PLACES.index(_NAMES[first]) for first, _ in REGIONS]
_WHAT = product_group("place x damage", {"place": _PLACES, "damage": HOW})
_GROUPS = (
    _WHAT,
    product_group("place x end", {"place": _PLACES, "end": ENDS}),
    product_group("damage x end", {"damage": HOW, "end": ENDS}),
)


class Lists(Kind):
    """Small frames with everything, whose lists, records, vertices or tile lists are damaged: how binning ends."""

    name = "lists"
    unit = "lists"
    doc = "damaged binning lists: they end as on the model, and write nothing else"
    size = 60

    def groups(self, settings: Settings) -> tuple[Group, ...]:
        """Where the damage is, what it is, and how the list ends."""
        return _GROUPS

    def steerable(self, groups: Iterable[Group]) -> tuple[Group, ...]:
        """Where and what; how it ends nobody knows before."""
        return (_WHAT,)

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
        """A list on both."""
        job = _job(settings, seed, cells)
        end = ENDS.index(compare_damaged(job, on, waves))
        places, damages = (list(columns) for columns in zip(*_numbers(job), strict=True))
        covered.add({"place": places, "damage": damages, "end": [end] * len(places)})
        return Done(1)

    def shrink(
        self, settings: Settings, seed: int, cells: tuple[SteeredCell, ...], told: Callable[[], object]
    ) -> Small | None:
        """The damages that are needed."""

        def run(job: DamagedJob) -> str:
            return compare_damaged(job, settings.on)

        job = _job(settings, seed, cells)
        found = error_of(lambda: run(job))
        if not found:
            return None
        again = Again(found, lambda kept: _job(settings, seed, cells, kept), run, settings.shrink_runs, told)
        kept = needed(range(len(job.damages)), again)
        lines = [f"{len(kept)} of {len(job.damages)} damages, after {again.runs} runs: {again.error}"]
        for one in (job.damages[number] for number in kept):
            lines.append(f"  {HOW[one.how]} at {one.address:#x}, in {_PLACES[_PLACE_OF[one.region]]}")
        return Small("\n".join(lines))


def _numbers(job: DamagedJob) -> list[tuple[int, int]]:
    """Of each damage where it is, and what."""
    return [(_PLACE_OF[damage.region], damage.how) for damage in job.damages]


def _job(
    settings: Settings, seed: int, cells: tuple[SteeredCell, ...], kept: Collection[int] | None = None
) -> DamagedJob:
    """The list of a seed: of three lists one begins with a damage that is rare, if any is."""
    rng = np.random.default_rng(seed)
    first = None
    if cells and rng.random() < 1 / 3:
        weights = np.array([cell.weight for cell in cells], float)
        cell = cells[int(rng.choice(len(cells), p=weights / weights.sum()))]
        place, how = divmod(cell.cell, len(HOW))
        regions = [region for region, one in enumerate(_PLACE_OF) if one == place]
        first = Damage(int(rng.choice(regions)), how)
    return damaged_job(seed, drawing_config(settings), first, kept)
