"""Random set-up words of the VPM and its DMA engines."""

import random
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from amaranth.lib import data

from vc4.records.vpm import (
    DmaMode,
    SetupId,
    VdrBasicSetup,
    VdrExtendedSetup,
    VdwBasicSetup,
    VdwStrideSetup,
    VpmReadSetup,
    VpmSize,
    VpmWriteSetup,
    setup_layout,
)

from ..backends.base import Waves
from ..backends.engines import ENGINES
from ..coverage.count import Cells
from ..coverage.groups import Gap, Group
from ..coverage.products import product_group
from ..lockstep import Lockstep
from ..random_programs import Wanted, Wish
from ..random_programs.setup_job import SETUPS, SetupJob, check_ending, setup_job
from ..shrink.again import Again, error_of
from ..shrink.search import needed
from .job import Settings, SteeredCell
from .kind import Done, Kind, Small
from .programs import pace_of

__all__ = ["Setups"]


class _Form(NamedTuple):
    """A kind of word: where it is written, what it is, and the fields whose products are counted."""

    register: str
    layout: Any
    fields: tuple[str, ...]


_FORMS = {
    "vectors that are written": _Form("vw_setup", VpmWriteSetup, ("size", "laned", "horizontal")),
    "vectors that are read": _Form("vr_setup", VpmReadSetup, ("size", "laned", "horizontal", "count")),
    "DMA store": _Form("vw_setup", VdwBasicSetup, ("mode", "laned", "horizontal", "column")),
    "pitch of a store": _Form("vw_setup", VdwStrideSetup, ("block_mode",)),
    "DMA load": _Form("vr_setup", VdrBasicSetup, ("mode", "vertical", "memory_pitch")),
    "rows of a load": _Form("vr_setup", VdrBasicSetup, ("rows", "row_length", "vertical")),
    "pitch of a load": _Form("vr_setup", VdrExtendedSetup, ()),
}
#: What the top bits of a word say that make it one of a form.
_TOP = {
    VpmWriteSetup: (3 << 30, SetupId.WRITE.value << 30),
    VpmReadSetup: (3 << 30, 0),
    VdwBasicSetup: (3 << 30, SetupId.VDW_BASIC.value << 30),
    VdwStrideSetup: (3 << 30, SetupId.VDW_STRIDE.value << 30),
    VdrBasicSetup: (1 << 31, 1 << 31),
    VdrExtendedSetup: (15 << 28, 9 << 28),
}
_ENUMS = {"size": VpmSize, "mode": DmaMode}


def _group(name: str, form: _Form) -> Group:
    layout = data.Layout.cast(form.layout)
    dimensions = {}
    for field in form.fields:
        values = range(1 << layout[field].width)
        labels = [_ENUMS[field](value).name.lower() if field in _ENUMS else str(value) for value in values]
        dimensions[f"{name}: {field}"] = labels
    gaps = []
    if form.layout is VdrBasicSetup and "mode" in form.fields:
        gaps.append(Gap("the mode marks a pitch", {f"{name}: mode": (DmaMode.EXTENDED.value,)}))
    return product_group(f"{name}: {' x '.join(form.fields)}", dimensions, gaps)


_GROUPS = {name: _group(name, form) for name, form in _FORMS.items() if form.fields}
_WORDS = ("vw_setup: unknown", "vr_setup: unknown", *_FORMS)
_KINDS = product_group("word", {"word": _WORDS})


class Setups(Kind):
    """Programs that write set-up words of any bits, and use what they have set up."""

    name = "setups"
    unit = "set-ups"
    doc = "set-up words of any bits for the VPM, its loads and stores, and what then moves"
    config = "qpu"
    configs: ClassVar[tuple[str, ...]] = ("qpu", "slice", "gpu", "bcm2835")
    size = 60 * SETUPS
    item = SETUPS

    def groups(self, settings: Settings) -> tuple[Group, ...]:
        """Fields of the words."""
        return (_KINDS, *_GROUPS.values())

    def steerable(self, groups: Iterable[Group]) -> tuple[Group, ...]:
        """Those of fields."""
        return tuple(group for group in groups if group.name != _KINDS.name)

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
        done = _compare(job, on, waves)
        for register, word in job.setups:
            for some in _observed(register, word):
                covered.add(some)
        return Done(len(job.setups), done)

    def shrink(
        self, settings: Settings, seed: int, cells: tuple[SteeredCell, ...], told: Callable[[], object]
    ) -> Small | None:
        """The program with the set-ups that are needed."""

        def run(job: SetupJob) -> int:
            return _compare(job, settings.on)

        found = error_of(lambda: run(_job(settings, seed, cells)))
        if not found:
            return None
        again = Again(found, lambda kept: _job(settings, seed, cells, kept), run, settings.shrink_runs, told)
        kept = needed(range(SETUPS), again)
        job = _job(settings, seed, cells, kept)
        lines = (f"  {line}" for line in job.source.splitlines())
        return Small("\n".join([f"{len(kept)} of {SETUPS} set-ups, after {again.runs} runs: {again.error}", *lines]))


def _job(
    settings: Settings, seed: int, cells: tuple[SteeredCell, ...], kept: Collection[int] | None = None
) -> SetupJob:
    rng = random.Random(f"set-ups {seed}")
    memory = pace_of(seed)
    return setup_job(rng, settings.built, wanted=Wanted(_wishes(cells)), kept=kept, seed=seed, qpus=1, **memory)


def _compare(job: SetupJob, on: str, waves: Waves | None = None) -> int:
    """Run it on both; returns the number of instructions."""
    lockstep = Lockstep(job)
    check_ending(lockstep.run(ENGINES[on].run, None, waves))
    return lockstep.retired


def _observed(register: str, word: int) -> Iterator[dict[str, list[int]]]:
    """What a word is, and its fields."""
    layout = setup_layout(register, word)
    names = [name for name, form in _FORMS.items() if form.layout is layout]
    if layout is None:
        names = [f"{register}: unknown"]
    yield {"word": [_WORDS.index(name) for name in names]}
    for name in names:
        if name in _GROUPS:
            fields = data.Layout.cast(layout)
            yield {
                f"{name}: {field}": [word >> fields[field].offset & (1 << fields[field].width) - 1]
                for field in _FORMS[name].fields
            }


def _wishes(cells: Iterable[SteeredCell]) -> Iterator[Wish]:
    """A word of the form, with the bits of the fields."""
    groups = {group.name: (name, group) for name, group in _GROUPS.items()}
    for cell in cells:
        name, group = groups[cell.group]
        form = _FORMS[name]
        layout = data.Layout.cast(form.layout)
        mask, bits = _TOP[form.layout]
        for field, number in zip(form.fields, np.unravel_index(cell.cell, group.shape), strict=True):
            mask |= (1 << layout[field].width) - 1 << layout[field].offset
            bits |= int(number) << layout[field].offset
        yield Wish("setup", {"register": (form.register,), "mask": (mask,), "bits": (bits,)}, cell.weight)
