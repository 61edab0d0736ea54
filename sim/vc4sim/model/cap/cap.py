"""Coverage accumulation: two bits for each of the sixteen samples of a pixel (guide, sections 1 and 5; pipeline facts, 8).

They take the place of Z and stencil. Bits 2 n + 1 and 2 n belong to sample n.
"""

from dataclasses import dataclass

import numpy as np

from vc4.records.state import CoverageUpdate

__all__ = ["SAMPLES", "Update", "level", "sample_mask", "updated"]

SAMPLES = 16
_FIELDS = 2 * np.arange(SAMPLES)
_WEIGHTS = 1 << np.arange(SAMPLES)


@dataclass(frozen=True, slots=True)
class Update:
    """What a primitive does to the samples in it.

    turns : 1 for a primitive that turns to the front, -1 for one that turns to the back
    """

    mode: CoverageUpdate
    turns: int = 1


def _counts(word: np.ndarray) -> np.ndarray:
    """What each sample has, [..., 16]."""
    return word[..., None] >> _FIELDS & 3


def updated(word: np.ndarray, update: Update, covered: np.ndarray) -> np.ndarray:
    """Coverage (32 bits) of pixels of which samples are covered: non-zero counts modulo 4, odd toggles, or sets, zero clears."""
    old = _counts(word)
    match update.mode:
        case CoverageUpdate.NONZERO:
            new = old + update.turns & 3
        case CoverageUpdate.ODD:
            new = old ^ 1
        case CoverageUpdate.OR:
            new = old | 1
        case _:
            new = np.zeros_like(old)
    inside = covered[..., None] >> np.arange(SAMPLES) & 1 != 0
    return (np.where(inside, new, old) << _FIELDS).sum(-1)


def sample_mask(word: np.ndarray) -> np.ndarray:
    """A bit for each sample that is covered."""
    return ((_counts(word) != 0) * _WEIGHTS).sum(-1)


def level(word: np.ndarray) -> np.ndarray:
    """How much of a pixel is covered, 8 bits: 255 n / 16 for n samples, rounded to the nearest."""
    return (_counts(word) != 0).sum(-1) * 255 + SAMPLES // 2 >> 4
