"""Which components of a part its cells belong to."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Share", "places_in", "shares_of"]

#: Where an instance was, Yosys leaves such a cell, with its name.
_INSTANCE = "$scopeinfo"
#: What Amaranth adds to a name that is there twice, and the number of one of several.
_AGAIN, _NUMBER = re.compile(r"\$\d+"), re.compile(r"_?\d+$")


@dataclass(slots=True)
class Share:
    """How many instances a component has in its place, and all of their cells by types, with those of the components inside."""

    instances: int = 0
    cells: Counter[str] = field(default_factory=Counter)


def shares_of(cells: Mapping[str, Any]) -> dict[str, Share]:
    """The share of each component of a module that Yosys has flattened, by its place: `lane.add_alu`.

    Several in the same place, `lane_0` to `lane_3`, have one share. A cell has the name of the signal that it makes, so it
    belongs to the component that has this signal.
    """
    kinds = _kinds(name for name, cell in cells.items() if cell["type"] == _INSTANCE)
    shares: defaultdict[str, Share] = defaultdict(Share)
    for kind in kinds.values():
        shares[kind].instances += 1
    for name, cell in cells.items():
        if cell["type"] != _INSTANCE:
            for around in filter(kinds.__contains__, places_in(name)):
                shares[kinds[around]].cells[cell["type"]] += 1
    return dict(shares)


def places_in(name: str) -> list[str]:
    """The places that a place lies in, from the outside, and itself."""
    pieces = name.split(".")
    return [".".join(pieces[:end]) for end in range(1, len(pieces) + 1)]


def _kinds(instances: Iterable[str]) -> dict[str, str]:
    """The place of each instance, without the numbers of those of which there are several."""
    stems = {name: _NUMBER.sub("", _AGAIN.sub("", name)) for name in instances}
    several = Counter(stems.values())
    kinds: dict[str, str] = {}
    for name in sorted(stems, key=lambda name: name.count(".")):
        around = name.rpartition(".")[0]
        own = (stems[name] if several[stems[name]] > 1 else _AGAIN.sub("", name)).rpartition(".")[2]
        kinds[name] = f"{kinds.get(around, around)}.{own}".removeprefix(".")
    return kinds
