"""Blocks: parts of a design that are computed only where something has changed of what they read."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from .blocks import MOST, Blocks, blocks_of, memory_ports
from .design import Design

__all__ = ["by_hierarchy"]

#: Variables of a block, at the least: to find out whether it is needed takes time, too.
_SMALLEST = 200

#: The instances around something, the outermost first.
_Place = tuple[str, ...]


def by_hierarchy(design: Design, order: Mapping[str, int]) -> Blocks:
    """The blocks of all variables, each of which is compared for who reads it; `order` has them after what they read."""
    names = [*(name for name in order if name in design.computed), *memory_ports(design), *design.ports("output")]
    return blocks_of(design, order, cut(design, order, names, MOST), frozenset())


def cut(design: Design, order: Mapping[str, int], names: Iterable[str], most: int) -> dict[str, int]:
    """The block of each variable or memory of `names`, so many blocks at the most.

    A block is an instance with all that is in it, but for what is a block of its own: the largest ones are cut first.
    """
    places = _places(design, order)
    for memory, ports in memory_ports(design).items():
        places[memory] = next((places[port] for port in ports if port in places), ())
    places = {name: places.get(name, ()) for name in names}
    found: dict[_Place, int] = {}
    for place in _cut(Counter(places.values()), most):
        found[place] = len(found)
    return {
        name: next(found[place[:depth]] for depth in range(len(place), -1, -1) if place[:depth] in found)
        for name, place in places.items()
    }


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


def _cut(counts: Counter[_Place], most: int) -> list[_Place]:
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
    while len(sizes) < most:
        parts = [(sizes[place], totals[child], child) for place in sizes for child in children[place]]
        if not parts:
            break
        _, size, largest = max(parts)
        children[largest[:-1]].remove(largest)
        sizes[largest[:-1]] -= size
        sizes[largest] = size
    return list(sizes)
