"""Faults of chips that software can see, as switches of a configuration (guide, appendix A).

Without them the GPU does what the guide means. With one it does what the chip does instead, so that a program can be tried that
avoids the fault.
"""

from collections.abc import Collection
from enum import Enum

__all__ = ["CHIPS", "Erratum", "errata_of"]


class Erratum(Enum):
    """A fault, by its number in the guide: what it is."""

    HW_2116 = "the count of changes of state of the binner has 13 bits, and begins again"
    HW_2619 = "half floats that pass a texture unit without a blend lose their sign if they are powers of two"
    HW_2645 = "a blend of two levels, a negative one and one that is infinite, is negative"
    HW_2885 = "the way to coverage locks up after fragments with varyings"
    HW_2898 = "the first level of a raster texture is looked up as if its width were the next power of two"
    HW_2924 = "all quads of a vector have the stencil test of the side from which the last one is seen"

    def __str__(self) -> str:
        """Its number, as the guide writes it."""
        return self.name.replace("_", "-")

    __repr__ = __str__


#: What chips have.
CHIPS = {"bcm2835": frozenset(Erratum)}
_NAMES = {str(one): one for one in Erratum}


def errata_of(given: str | Collection[Erratum]) -> frozenset[Erratum]:
    """Those of a chip, or some, which may be text, too: their numbers with commas between them. Raises `ValueError` for other text."""
    if not isinstance(given, str):
        return frozenset(given)
    if given in CHIPS:
        return CHIPS[given]
    numbers = given.split(",")
    for number in numbers:
        if number not in _NAMES:
            raise ValueError(f"errata are {', '.join([*CHIPS, *_NAMES])}, not {number!r}")
    return frozenset(_NAMES[number] for number in numbers)
