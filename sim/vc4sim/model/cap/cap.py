"""Coverage accumulation: two bits for each of the sixteen samples of a pixel (guide, sections 1 and 5; pipeline facts, 8).

They take the place of Z and stencil. Bits 2 n + 1 and 2 n belong to sample n.
"""

from vc4.records.state import CoverageUpdate

from ..compiled import kernel

__all__ = ["SAMPLES", "level", "sample_mask", "updated"]

SAMPLES = 16
_NONZERO, _ODD, _OR = (mode.value for mode in (CoverageUpdate.NONZERO, CoverageUpdate.ODD, CoverageUpdate.OR))


@kernel
def updated(word: int, mode: int, turns: int, covered: int) -> int:
    """Coverage (32 bits) of a pixel of which samples are covered: non-zero counts modulo 4, odd toggles, or sets, zero clears.

    mode : a code of `CoverageUpdate`
    turns : 1 for a primitive that turns to the front, -1 for one that turns to the back
    """
    for sample in range(SAMPLES):
        if covered >> sample & 1:
            old, new = word >> 2 * sample & 3, 0
            if mode == _NONZERO:
                new = old + turns & 3
            elif mode == _ODD:
                new = old ^ 1
            elif mode == _OR:
                new = old | 1
            word ^= (old ^ new) << 2 * sample
    return word


@kernel
def sample_mask(word: int) -> int:
    """A bit for each sample that is covered."""
    mask = 0
    for sample in range(SAMPLES):
        if word >> 2 * sample & 3:
            mask |= 1 << sample
    return mask


@kernel
def level(word: int) -> int:
    """How much of a pixel is covered, 8 bits: 255 n / 16 for n samples, rounded to the nearest."""
    count = 0
    for sample in range(SAMPLES):
        count += 1 if word >> 2 * sample & 3 else 0
    return count * 255 + SAMPLES // 2 >> 4
