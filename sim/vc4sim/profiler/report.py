"""A profile as text, for a terminal of a hundred columns."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ..timed import SLOT_CLOCKS
from .counts import Counts
from .hot import Part
from .limits import Limit

__all__ = ["COLUMNS", "clock_lines", "label_lines", "limit_lines", "source_lines"]

#: Of a line, at the most.
COLUMNS = 100
_COMMENT = re.compile(r"\s+(#|//).*")
_BAR, _REASON = 20, 15
_HEAD = f"{'issued':>9}{'clocks':>11}{'%':>6}{'lost':>10}  {'waits for':<{_REASON}}  "


def clock_lines(counts: Counts, clocks: int, qpus: int) -> Iterator[str]:
    """Where the clocks of `qpus` QPUs went, in a run of so many clocks."""
    every = max(clocks * qpus, 1)
    yield f"{'clocks of the QPUs':<26}{'clocks':>14}{'%':>7}"
    rows = [("instructions, four each", SLOT_CLOCKS * counts.instructions)]
    rows += [(f"lost for {reason}", lost) for reason, lost in counts.stalls.most_common()]
    rows.append(("no program runs", clocks * qpus - counts.running))
    for name, spent in rows:
        yield f"  {name:<24}{spent:>14,}{100 * spent / every:>7.1f}  {_bar(spent / every)}".rstrip()


def limit_lines(limits: Sequence[Limit]) -> Iterator[str]:
    """What each unit did, as far as it did something, and which one is nearest to what it can do."""
    yield f"{'limits':<26}{'a clock':>14}{'%':>7}  {'':{_BAR}}  at most"
    for one in limits:
        if one.used:
            most = f"{one.most:g} {one.unit}"
            yield f"  {one.name:<24}{one.used:>14.3f}{100 * one.part:>7.1f}  {_bar(one.part):{_BAR}}  {most}"
    busiest = max(limits, key=lambda one: one.part)
    yield f"  nearest to its limit: {busiest.name}, {busiest.part:.0%}"


def label_lines(parts: Sequence[Part], every: int) -> Iterator[str]:
    """Labels, of a run whose programs ran for `every` clocks."""
    yield f"{_HEAD}label"
    for part in parts:
        yield f"{_numbers(part, every)}{part.label}"[:COLUMNS].rstrip()


def source_lines(parts: Sequence[Part], every: int, *, with_labels: bool) -> Iterator[str]:
    """Lines or instructions, of a run whose programs ran for `every` clocks; where the label changes, it is told `with_labels`."""
    files = list(dict.fromkeys(part.file for part in parts))
    yield f"{_HEAD}{', '.join(filter(None, files)) or 'address'}"
    places = [f"{part.file}:{part.place}" if len(files) > 1 and part.file else part.place for part in parts]
    width = max(map(len, places), default=0)
    label = None
    for part, place in zip(parts, places, strict=True):
        if with_labels and part.label != label:
            label = part.label
            yield f"{'':{len(_HEAD)}}{'':{width}}  :{label}"
        times = f"{part.size} x " if part.size > 1 else ""
        text = _COMMENT.sub("", part.text)
        yield f"{_numbers(part, every)}{place:>{width}}  {times}{text}"[:COLUMNS].rstrip()


def _bar(part: float) -> str:
    return "#" * round(_BAR * min(part, 1.0))


def _numbers(part: Part, every: int) -> str:
    lost = f"{part.lost.total():,}" if part.lost else ""
    share = 100 * part.clocks / max(every, 1)
    return f"{part.issued:>9,}{part.clocks:>11,}{share:>6.1f}{lost:>10}  {_reason(part.lost):<{_REASON}}  "


def _reason(lost: Counter[str]) -> str:
    """The most important one, and whether there are more."""
    return "".join(name for name, _ in lost.most_common(1)) + "+" * (len(lost) > 1)
