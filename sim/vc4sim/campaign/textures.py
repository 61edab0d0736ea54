"""Lookups of random textures."""

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

import numpy as np
from amaranth.lib import enum

from vc4.records.tmu import (
    LEVELS,
    MagnificationFilter,
    MinificationFilter,
    TextureImage,
    TextureSampling,
    TextureType,
    Wrap,
)

from ..backends.base import Ending, Waves
from ..backends.engines import ENGINES
from ..coverage.count import Cells
from ..coverage.groups import Group
from ..coverage.products import product_group
from ..lockstep import Lockstep
from ..random_programs import Wanted, Wish
from ..random_programs.texture_job import TextureJob, texture_job
from .job import Settings, SteeredCell
from .kind import Done, Kind, Small
from .programs import pace_of
from .small import small_program

__all__ = ["Textures"]

#: Lookups of a program.
_LOOKUPS = 120


def _labels(members: type[enum.Enum], count: int) -> list[str]:
    """The name of each value; those that are reserved have one, too."""
    names = {member.value: member.name.lower() for member in members}
    return [names.get(value, f"reserved_{value}") for value in range(count)]


_TYPES, _WRAPS = _labels(TextureType, 32), _labels(Wrap, 4)
_MINIFICATIONS, _MAGNIFICATIONS = _labels(MinificationFilter, 8), _labels(MagnificationFilter, 2)
_SWITCH = ("no", "yes")
_GROUPS = (
    product_group(
        "type x minification x magnification",
        {"code": _TYPES, "minification": _MINIFICATIONS, "magnification": _MAGNIFICATIONS},
    ),
    product_group("type x wrap s x wrap t", {"code": _TYPES, "wrap_s": _WRAPS, "wrap_t": _WRAPS}),
    product_group(
        "type x cube x flip x swizzle",
        {"code": _TYPES, "cube": _SWITCH, "flip": _SWITCH, "swizzle": [str(value) for value in range(4)]},
    ),
    product_group(
        "minification x levels", {"minification": _MINIFICATIONS, "levels": [str(value) for value in range(LEVELS)]}
    ),
)


class Textures(Kind):
    """Programs that look up random textures at random coordinates."""

    name = "textures"
    unit = "lookups"
    doc = "lookups of textures of all types, filters and wraps, at any coordinates"
    config = "slice"
    configs: ClassVar[tuple[str, ...]] = ("slice", "gpu", "bcm2835")
    size = 6 * _LOOKUPS
    item = _LOOKUPS

    def groups(self, settings: Settings) -> tuple[Group, ...]:
        """Fields of the config parameters."""
        return _GROUPS

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
        """A program in lockstep."""
        job = _job(settings, seed, cells)
        lockstep = Lockstep(job)
        outcome = lockstep.run(ENGINES[on].run, None, waves)
        assert outcome.ending is Ending.DONE, outcome.why
        covered.add(_observed(job))
        return Done(len(job.lookups), lockstep.retired)

    def shrink(
        self, settings: Settings, seed: int, cells: tuple[SteeredCell, ...], told: Callable[[], object]
    ) -> Small | None:
        """A case of `vc4 run`."""
        return small_program(settings, _job(settings, seed, cells), f"lookups of textures, seed {seed}", told)


def _job(settings: Settings, seed: int, cells: tuple[SteeredCell, ...]) -> TextureJob:
    return texture_job(seed, _LOOKUPS, settings.built, wanted=Wanted(_wishes(cells)), **pace_of(seed), qpus=1)


def _observed(job: TextureJob) -> dict[str, list[int]]:
    """The fields of all lookups."""
    rows = []
    for image, sampling, *_ in job.lookups:
        first, second = TextureImage.from_bits(image), TextureSampling.from_bits(sampling)
        rows.append(
            {
                "code": first.type | second.type_high << 4,
                **{name: getattr(first, name) for name in ("cube", "flip", "swizzle", "levels")},
                **{name: getattr(second, name) for name in ("wrap_s", "wrap_t", "minification", "magnification")},
            }
        )
    return {name: [int(getattr(row[name], "value", row[name])) for row in rows] for name in rows[0]}


def _wishes(cells: Iterable[SteeredCell]) -> Iterator[Wish]:
    groups = {group.name: group for group in _GROUPS}
    for cell in cells:
        group = groups[cell.group]
        numbers = np.unravel_index(cell.cell, group.shape)
        yield Wish(
            "texture",
            {name: (int(number),) for name, number in zip(group.dimensions, numbers, strict=True)},
            cell.weight,
        )
