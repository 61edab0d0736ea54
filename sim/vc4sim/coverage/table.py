"""Coverage as text."""

from collections.abc import Iterator

from .count import Coverage, share
from .groups import GROUPS, Group

__all__ = ["explained", "table"]

#: Holes of a group that are listed.
_MOST = 20


def table(coverage: Coverage) -> Iterator[str]:
    """Lines: the groups, what can never be reached, and what is missing."""
    width = max(len(group.name) for group in GROUPS)
    for group in GROUPS:
        reached, total = coverage.counts(group)
        about = "" if group.in_total else ", not in the total"
        yield f"  {group.name:{width}} {share(reached, total):>7} of {total:,}{about}"
    for group in GROUPS:
        for reason, cells in explained(group).items():
            yield f"left out: {group.name}: {cells} cells: {reason}"
    for group in GROUPS:
        holes = coverage.holes(group) if group.in_total else []
        yield from (f"missing: {group.name}: {hole}" for hole in holes[:_MOST])
        if len(holes) > _MOST:
            yield f"missing: {group.name}: {len(holes) - _MOST} more"


def explained(group: Group) -> dict[str, int]:
    """The reasons why cells of a group are left out, and how many each one takes out."""
    cells: dict[str, int] = {}
    for gap in group.gaps:
        cells[gap.reason] = cells.get(gap.reason, 0) + int(group.cells(gap).sum())
    return cells
