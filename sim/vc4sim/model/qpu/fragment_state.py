"""The fragments of the QPUs: a vector of four quads for each thread (guide, section 6; pipeline facts, 4.7)."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from vc4.config import MAX_QPUS
from vc4.errata import Erratum
from vc4.isa.registers import ELEMENTS
from vc4.records.state import DepthTest

from ..compiled import kernel
from ..tlb.stencil import FACES

__all__ = [
    "AS_MASK",
    "CLEARS",
    "COLOUR_WRITES",
    "DEPTH",
    "DONE",
    "FACE_OF_LAST",
    "FACE_SET_UPS",
    "FLAGS",
    "HELD",
    "LOADS",
    "MOST_VARYINGS",
    "NEXT",
    "PASSED",
    "REAL",
    "REVERSE",
    "SAMPLE_WRITES",
    "VARYINGS",
    "W",
    "X",
    "Y",
    "Z",
    "Z_UPDATES",
    "FragmentModes",
    "FragmentState",
    "begin_fragments",
    "new_fragments",
]

#: A shader record counts up to 255, a point has two more.
MOST_VARYINGS = 257

_THREADS = 2
#: Rows of `FragmentState.pixels`.
X, Y, FLAGS, REVERSE, Z, W = range(6)
#: Numbers of `FragmentState.modes`; from the last one on, set-up and mask of bits that may change of each face.
DEPTH, Z_UPDATES, CLEARS, AS_MASK, VARYINGS, REAL, NEXT, DONE, LOADS, SAMPLE_WRITES, COLOUR_WRITES, FACE_SET_UPS = (
    range(12)
)
#: What a test finds out about each element.
PASSED, HELD = range(2)
#: Errata of fragments, and their numbers in `FragmentState`.
ERRATA = (Erratum.HW_2924,)
FACE_OF_LAST = 0


class FragmentState(NamedTuple):
    """A vector of four quads for each thread of each QPU: arrays [QPU, thread, ...].

    pixels : x and y in the frame, flags of the samples that are drawn, 1 if seen from behind, Z (24 bits), W (float), [..., 16]
    varyings : partial result and C of each, [..., varying, 2, 16]
    modes : `FragmentModes`; how many varyings there are, how many elements have quads of their own, the next varying; 1 once the scoreboard is unlocked; loads, writes of samples and of colours so far; faces
    tests : what tests have found out, [..., 16], of all threads
    errata : whether there is each of `ERRATA`, for all threads
    """

    pixels: np.ndarray
    varyings: np.ndarray
    modes: np.ndarray
    tests: np.ndarray
    errata: np.ndarray


def new_fragments(errata: Collection[Erratum] = ()) -> FragmentState:
    """For as many QPUs as there can be, nothing in them."""

    def zeros(*size: int) -> np.ndarray:
        return np.zeros((MAX_QPUS, _THREADS, *size), np.int64)

    return FragmentState(
        pixels=zeros(W + 1, ELEMENTS),
        varyings=zeros(MOST_VARYINGS, 2, ELEMENTS),
        modes=zeros(FACE_SET_UPS + 2 * FACES),
        tests=np.zeros((HELD + 1, ELEMENTS), np.int64),
        errata=np.array([one in errata for one in ERRATA], np.int64),
    )


class FragmentModes(NamedTuple):
    """What control lists say of the tile buffer's work: Z test, updates of Z, reads of coverage."""

    depth: DepthTest = DepthTest.ALWAYS
    z_updates: bool = False
    coverage_clears: bool = True
    coverage_mask: bool = False

    @property
    def codes(self) -> tuple[int, int, int, int]:
        """As `begin_fragments` takes them."""
        return self.depth.value, int(self.z_updates), int(self.coverage_clears), int(self.coverage_mask)


@kernel
def begin_fragments(
    modes: np.ndarray, q: int, t: int, varyings: int, real: int, depth: int, z_updates: int, clears: int, as_mask: int
) -> None:
    """A new vector, of which nothing has been read or written; no face has a stencil test."""
    for index in range(NEXT, FACE_SET_UPS + 2 * FACES):
        modes[q, t, index] = 0
    modes[q, t, DEPTH] = depth
    modes[q, t, Z_UPDATES] = z_updates
    modes[q, t, CLEARS] = clears
    modes[q, t, AS_MASK] = as_mask
    modes[q, t, VARYINGS] = varyings
    modes[q, t, REAL] = real
