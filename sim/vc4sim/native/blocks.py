"""Blocks: parts of a design that are computed only where something has changed of what they read."""

from collections import Counter, defaultdict
from collections.abc import Mapping

from .design import Design

__all__ = ["MOST", "OUTSIDE", "bits", "blocks"]

#: A mask of C++, `lanes::Blocks`, has a bit for each block, and one for those who read outputs.
MOST = OUTSIDE = 127
#: Variables of a block, at the least: to find out whether it is needed takes time, too.
_SMALLEST = 200

#: The instances around something, the outermost first.
_Place = tuple[str, ...]


def blocks(design: Design, order: Mapping[str, int]) -> dict[str, int]:
    """The block of each variable that is computed; `order` has them behind what they read.

    A block is an instance with all that is in it, but for what is a block of its own: the largest ones are cut first. Which block a
    variable belongs to decides about speed, never about what is computed.
    """
    places = _places(design, order)
    found: dict[_Place, int] = {}
    for place in _cut(Counter(places.values())):
        found[place] = len(found)
    return {
        name: next(found[place[:depth]] for depth in range(len(place), -1, -1) if place[:depth] in found)
        for name, place in places.items()
    }


def bits(mask: int) -> str:
    """The mask of blocks in C++."""
    return f"lanes::blocks({mask >> 64:#x}u, {mask & (1 << 64) - 1:#x}u)"


def _places(design: Design, order: Mapping[str, int]) -> dict[str, _Place]:
    """What has no place is where it is read."""
    names = [name for name in order if name in design.computed]
    places: dict[str, _Place] = {}
    readers: dict[str, Counter[_Place]] = defaultdict(Counter)
    for name in reversed(names):
        most = readers[name].most_common(1)
        places[name] = place = design.places.get(name) or (most[0][0] if most else ())
        if place:
            for read in sorted(design.computed[name].reads):
                readers[read][place] += 1
    return places


def _cut(counts: Counter[_Place]) -> list[_Place]:
    """The instances that are blocks."""
    totals: Counter[_Place] = Counter()
    for place, count in counts.items():
        for depth in range(len(place) + 1):
            totals[place[:depth]] += count
    children: dict[_Place, list[_Place]] = defaultdict(list)
    for place, count in sorted(totals.items()):
        if place and count >= _SMALLEST:
            children[place[:-1]].append(place)
    sizes = {(): totals[()]}
    while len(sizes) < MOST:
        parts = [(sizes[place], totals[child], child) for place in sizes for child in children[place]]
        if not parts:
            break
        _, size, largest = max(parts)
        children[largest[:-1]].remove(largest)
        sizes[largest[:-1]] -= size
        sizes[largest] = size
    return list(sizes)
