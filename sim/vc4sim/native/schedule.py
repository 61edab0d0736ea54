"""In which order variables are computed, and in which phases where designs depend on each other."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .design import Design

#: By input of a design, the variables of another one that it is made of.
Links = Mapping[str, Iterable[str]]

__all__ = ["Links", "Step", "joint_phases", "order", "steps"]


class Step(NamedTuple):
    """Variables of a phase and of a block that are computed one after the other."""

    phase: int
    block: int
    names: list[str]


def order(design: Design, inputs: Mapping[str, int]) -> dict[str, int]:
    """The variables of a design, each after those that it reads, and the first phase in which all of these are known.

    `inputs` says from which phase on an input is known; the others, and registers, are known from the beginning.
    Raises `ValueError` if a variable depends on itself.
    """
    phases: dict[str, int] = {}
    for root in design.wanted():
        # Depth first: what is computed together lies close together.
        path = [(root, iter(_reads(design, root)))] if root not in phases else []
        open_ones = {root}
        while path:
            name, rest = path[-1]
            following = next((one for one in rest if one not in phases), None)
            if following is not None:
                if following in open_ones:
                    raise ValueError(f"{following} depends on itself")
                open_ones.add(following)
                path.append((following, iter(_reads(design, following))))
                continue
            path.pop()
            open_ones.discard(name)
            phases[name] = max((phases[one] for one in _reads(design, name)), default=inputs.get(name, 0))
    return phases


def steps(design: Design, phases: Mapping[str, int], blocks: Mapping[str, int]) -> list[Step]:
    """All that is computed, each step after those that it reads, in as few turns from block to block as possible.

    `phases` is what `order` gives.
    """
    turns: dict[str, int] = {}  # from the begin of the phase
    found: dict[tuple[int, int, int], list[str]] = defaultdict(list)
    for name, phase in phases.items():
        if name not in design.computed:
            continue
        block = blocks[name]
        turns[name] = max(
            (
                turns[read] + (blocks[read] != block)
                for read in design.computed[name].reads
                if read in turns and phases[read] == phase
            ),
            default=0,
        )
        found[phase, turns[name], block].append(name)
    return [Step(phase, block, names) for (phase, _, block), names in sorted(found.items())]


def joint_phases(
    whole: Design, parts: Sequence[tuple[Design, Links, Links]], *, most: int = 16
) -> tuple[dict[str, int], list[dict[str, int]]]:
    """The phases of the variables of a design and of others that hang on it, each with its links to and from there.

    They settle in turns: a phase of the whole, the same of all parts. Raises `ValueError` if they depend on each other for ever.
    """
    known: dict[str, int] = {}
    for _ in range(most):
        wholes = order(whole, known)
        theirs = [
            order(part, {name: max(wholes[read] for read in reads) for name, reads in to_part.items()})
            for part, to_part, _ in parts
        ]
        found = {
            name: max(its[read] for read in reads) + 1
            for its, (_, _, to_whole) in zip(theirs, parts, strict=True)
            for name, reads in to_whole.items()
        }
        if found == known:
            return wholes, theirs
        known = found
    raise ValueError("signals depend on themselves from one design to the other")


def _reads(design: Design, name: str) -> list[str]:
    value = design.computed.get(name)
    return sorted(value.reads) if value else []
