"""Faults of chips that software can see, as switches of a configuration (guide, appendix A).

Without them the GPU does what the guide means. With one it does what the chip does instead, so that a program can be tried that
avoids the fault.
"""

from enum import Enum

__all__ = ["CHIPS", "Erratum", "errata_of"]


class Erratum(Enum):
    """A fault, by its number in the guide: what it is."""

    HW_2619 = "half floats that pass a texture unit without a blend lose their sign if they are powers of two"
    HW_2898 = "the first level of a raster texture is looked up as if its width were the next power of two"


#: What chips have.
CHIPS = {"bcm2835": frozenset(Erratum)}


def errata_of(given: str | frozenset[Erratum]) -> frozenset[Erratum]:
    """Those of a chip, or some. Raises `ValueError` for a chip that is none."""
    if not isinstance(given, str):
        return given
    if given not in CHIPS:
        raise ValueError(f"errata are those of {', '.join(CHIPS)}, not of {given!r}")
    return CHIPS[given]
