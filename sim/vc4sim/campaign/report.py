"""What the file of a campaign says, as text and in Markdown."""

from collections.abc import Iterator
from typing import NamedTuple

from ..coverage.count import share
from ..coverage.groups import Group
from ..coverage.table import explained
from .kinds import KINDS
from .small import FOLDER
from .store import Kept, Store

__all__ = ["Rate", "failure_lines", "head", "markdown", "rates", "text"]

#: Holes of a group that are listed.
_MOST = 20


class Rate(NamedTuple):
    """How fast a campaign was.

    processor : units that a worker makes in a second in which it has a processor, whoever else wants that
    worker : units a second that a worker makes
    all : units a second of all workers together, while somebody worked on it
    workers : of which there were so many on the mean
    """

    processor: float
    worker: float
    all: float
    workers: float


def rates(store: Store) -> Rate | None:
    """From when jobs began and ended; `None` before the first is done."""
    jobs = store.rows("session, units, seconds, ended, processor", "job")
    begun = dict(store.rows("number, began", "session"))
    busy, computing = (sum(row[column] for row in jobs) for column in (2, 4))
    if not busy:
        return None
    units = sum(row[1] for row in jobs)
    ends: dict[int, float] = {}
    for session, _, _, ended, _ in jobs:
        ends[session] = max(ended, ends.get(session, 0))
    passed = sum(end - begun.get(session, end) for session, end in ends.items())
    return Rate(units / max(computing, 1e-3), units / busy, units / max(passed, 1e-3), busy / max(passed, 1e-3))


def head(store: Store) -> Iterator[str]:
    """What it is, how far it is, and how fast."""
    settings, done, kind = store.settings, store.progress, KINDS[store.settings.kind]
    errata = f" with errata {settings.errata}" if settings.errata else ""
    yield f"campaign of {kind.name}, seed {settings.seed}, on {settings.config}{errata}: {kind.doc}"
    state = "finished" if done.jobs == settings.jobs else "not finished"
    yield (
        f"{done.units:,} {kind.unit} of {settings.count:,}, in {done.items:,} runs and {done.jobs:,} of {settings.jobs:,} "
        f"jobs: {state}"
    )
    if done.instructions and kind.unit != "instructions":
        yield f"{done.instructions:,} instructions in them"
    rate = rates(store)
    if rate:
        yield (
            f"{_shown(rate.worker)} {kind.unit} a second and worker, {_shown(rate.processor)} in each second with a processor; "
            f"{_shown(rate.all)} a second in all, with {rate.workers:.1f} workers on the mean"
        )
    sources = store.rows("count(*), sources", "job GROUP BY sources", "1 DESC")
    if len(sources) > 1:
        yield f"from {len(sources)} versions of the sources: " + ", ".join(
            f"{one} ({jobs} jobs)" for jobs, one in sources
        )
    yield f"{done.failures} failure{'s' * (done.failures != 1)}"
    yield store.covered.summary()


def _shown(rate: float) -> str:
    """A few digits."""
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"


def text(store: Store) -> Iterator[str]:
    """Lines: the head, the groups, what is left out, what is missing, and failures."""
    yield from head(store)
    covered = store.covered
    width = max(len(group.name) for group in store.groups)
    for group in store.groups:
        reached, total = covered.counts(group)
        yield f"  {group.name:{width}} {share(reached, total):>7} of {total:,}"
    for group in store.groups:
        yield from (f"left out: {group.name}: {cells} cells: {why}" for why, cells in explained(group).items())
    yield from (f"missing: {line}" for line in _missing(store))
    for group in covered.surprises():
        yield f"surprise: {group}: cells are reached that the tables call out of reach"
    for kept in store.failures():
        yield from failure_lines(store, kept)


def _missing(store: Store) -> Iterator[str]:
    """What can be reached and is not, and why, as far as somebody knows."""
    steerable = KINDS[store.settings.kind].steerable(store.groups) if store.settings.steer else ()
    for group in store.groups:
        holes = store.covered.holes(group)
        why = _why(store, group, asked=group in steerable)
        yield from (f"{group.name}: {hole}: {why}" for hole in holes[:_MOST])
        if len(holes) > _MOST:
            yield f"{group.name}: {len(holes) - _MOST} more: {why}"


def _why(store: Store, group: Group, *, asked: bool) -> str:
    """Why cells of a group are missing that no table calls out of reach."""
    settings = store.settings
    hits = int(store.covered.hits[store.groups.index(group)].sum())
    mean = hits / max(1, int(group.reachable().sum()))
    rarity = f"no table has a reason; cells of the group are hit {mean:,.1f} times on the mean"
    if not asked:
        return rarity + ", and the generator cannot be asked for them"
    if settings.jobs <= 2 * settings.round:
        return rarity + ", and the campaign is too short to ask for more"
    return rarity + ", although the generator is asked for them"


def failure_lines(store: Store, kept: Kept, folder: str = FOLDER) -> Iterator[str]:
    """All about a failure: what it is, what is left of it, and the commands that run it again."""
    number, job, failure = kept
    yield f"failure {number}, job {job}: {failure.what} at seed {failure.seed}: {failure.text}"
    yield f"replay: vc4 campaign replay {store.path} {number}"
    if failure.small:
        first, *rest = failure.small.replace(FOLDER, folder).splitlines()
        yield f"smallest: {first}"
        yield from rest


def markdown(store: Store) -> Iterator[str]:
    """The section of a page of the documentation that tells of the campaign."""
    settings, done, kind = store.settings, store.progress, KINDS[store.settings.kind]
    rate = rates(store)
    yield f"## {done.units:,} {kind.unit}\n"
    errata = f" --errata {settings.errata}" if settings.errata else ""
    yield f"    vc4 campaign {kind.name} --count {settings.count} --seed {settings.seed} --config {settings.config}{errata}\n"
    instructions = f" with {done.instructions:,} instructions" if kind.unit != "instructions" else ""
    failures = f"{done.failures} of them failed" if done.failures else "none of them failed"
    yield f"{done.units:,} {kind.unit}{instructions}, in {done.items:,} runs: {kind.doc}; {failures}."
    if rate:
        yield f"In each second in which it had a processor, a worker compared {_shown(rate.processor)} {kind.unit}."
    yield "\n| group | reached | of cells |\n|---|---|---|"
    for group in store.groups:
        reached, total = store.covered.counts(group)
        yield f"| {group.name} | {share(reached, total)} | {total:,} |"
    yield f"\n{store.covered.summary().capitalize()}.\n"
    missing = list(_missing(store))
    yield "Missing:\n" if missing else "Nothing is missing."
    yield from (f"* {line}" for line in missing)
    left_out = [(group.name, cells, why) for group in store.groups for why, cells in explained(group).items()]
    if left_out:
        yield "\n| left out of | cells | why |\n|---|---|---|"
        yield from (f"| {name} | {cells:,} | {why} |" for name, cells, why in left_out)
