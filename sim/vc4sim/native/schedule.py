"""In which order variables are computed, and in which phases where two designs depend on each other."""

from collections.abc import Iterable, Mapping

from .design import Design

#: By input of a design, the variables of the other one that it is made of.
Links = Mapping[str, Iterable[str]]

__all__ = ["Links", "order", "phases_of_two"]


def order(design: Design, inputs: Mapping[str, int]) -> dict[str, int]:
    """The variables of a design, each behind those that it reads, and the first phase in which all of these are known.

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


def phases_of_two(
    whole: Design, part: Design, to_part: Links, to_whole: Links, *, most: int = 16
) -> tuple[dict[str, int], dict[str, int]]:
    """The phases of the variables of two designs, which settle in turns: a phase of the whole, the same of the part.

    Raises `ValueError` if they depend on each other for ever.
    """
    known: dict[str, int] = {}
    for _ in range(most):
        wholes = order(whole, known)
        parts = order(part, {name: max(wholes[read] for read in reads) for name, reads in to_part.items()})
        found = {name: max(parts[read] for read in reads) + 1 for name, reads in to_whole.items()}
        if found == known:
            return wholes, parts
        known = found
    raise ValueError("signals depend on themselves from one design to the other")


def _reads(design: Design, name: str) -> list[str]:
    value = design.computed.get(name)
    return sorted(value.reads) if value else []
