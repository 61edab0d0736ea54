"""The way of a QPU to its fragments and to the tile buffer (guide, sections 5 and 6; pipeline facts, 4.7 and 5.2).

Each thread of each QPU has a vector of fragments. Registers and loads have numbers: places in the tuples of names here.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vc4.config import MAX_QPUS
from vc4.isa.ops import Signal
from vc4.isa.registers import ELEMENTS
from vc4.records.state import DepthTest

from ..cap.cap import level, sample_mask
from ..compiled import kernel
from ..tlb.compare import passes
from ..tlb.stencil import BYTE, FACES, stencil_holds, stencil_updated, write_mask_of
from ..tlb.tlb import MS_SAMPLES, SAMPLES, WORDS, TileState, pixel_of

__all__ = [
    "FIRST_REGISTER",
    "FRAGMENT_LOADS",
    "FRAGMENT_READS",
    "FRAGMENT_WRITES",
    "MOST_VARYINGS",
    "FragmentModes",
    "FragmentState",
    "begin_fragments",
    "fragment_load",
    "fragment_read",
    "fragment_start",
    "fragment_varying",
    "fragment_write",
    "new_fragments",
]

#: Where W (file A) and Z (file B) of a fragment are at first.
FIRST_REGISTER = 15
#: Registers that programs read and write, in the order of their numbers.
FRAGMENT_READS = ("x_coord", "y_coord", "ms_mask", "rev_flag")
FRAGMENT_WRITES = ("ms_mask", "rev_flag", "stencil", "tlbz", "tlbm", "tlbc", "tlbam")
#: Numbers of what signals bring from the tile buffer to r4.
FRAGMENT_LOADS = {Signal.LOAD_COVERAGE: 0, Signal.LOAD_COLOUR: 1, Signal.LOAD_COLOUR_END: 1, Signal.LOAD_ALPHA_MASK: 2}
#: A shader record counts up to 255, a point has two more.
MOST_VARYINGS = 257

_THREADS = 2
_QUAD = 4
_QUADS = ELEMENTS // _QUAD
_X_COORD, _Y_COORD, _READ_FLAGS, _ = range(len(FRAGMENT_READS))
_FLAGS, _REVERSE, _STENCIL, _Z, _SAMPLE, _COLOUR, _ = range(len(FRAGMENT_WRITES))
_COVERAGE, _, _MASK = range(3)
_ALL_SAMPLES = (1 << MS_SAMPLES) - 1
_Z_MASK = (1 << 24) - 1
#: A byte in all four places.
_BYTES = 0x0101_0101
#: Counts of the tile buffer.
_WRITTEN, _COVERED, _UNCOVERED, _STENCIL_FAILED, _Z_FAILED, _Z_PASSED = range(6)
#: Numbers of a vector.
_DEPTH, _Z_UPDATES, _CLEARS, _AS_MASK, _VARYINGS, _NEXT, _LOADS, _SAMPLE_WRITES, _COLOUR_WRITES = range(9)
#: Of a face: its set-up, and the mask of bits that may change.
_SET_UP, _WRITE_MASK = range(2)
#: What a test finds out about each element.
_PASSED, _HELD, _NEW_Z, _NEW_STENCIL = range(4)


class FragmentState(NamedTuple):
    """A vector of four quads for each thread of each QPU: arrays [QPU, thread, ...].

    x, y : pixels of the frame, [..., 16]
    flags : of the samples that are drawn, four bits
    reverse : 1 if seen from behind
    z, w : Z (24 bits), W (float)
    partial, c : partial result and C of each varying, [..., varying, 16]
    modes : `FragmentModes`; how many varyings there are, the next one; loads, writes of samples and of colours so far
    stencil : set-up of each face
    tests : what a test is about to write, [..., 16], of all threads
    """

    x: np.ndarray
    y: np.ndarray
    flags: np.ndarray
    reverse: np.ndarray
    z: np.ndarray
    w: np.ndarray
    partial: np.ndarray
    c: np.ndarray
    modes: np.ndarray
    stencil: np.ndarray
    tests: np.ndarray


def new_fragments() -> FragmentState:
    """For as many QPUs as there can be, nothing in them."""

    def zeros(*size: int) -> np.ndarray:
        return np.zeros((MAX_QPUS, _THREADS, *size), np.int64)

    return FragmentState(
        *(zeros(ELEMENTS) for _ in range(6)),
        partial=zeros(MOST_VARYINGS, ELEMENTS),
        c=zeros(MOST_VARYINGS, ELEMENTS),
        modes=zeros(_COLOUR_WRITES + 1),
        stencil=zeros(FACES, 2),
        tests=np.zeros((_NEW_STENCIL + 1, ELEMENTS), np.int64),
    )


@dataclass(frozen=True, slots=True)
class FragmentModes:
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
    fragments: FragmentState, q: int, t: int, varyings: int, depth: int, z_updates: int, clears: int, as_mask: int
) -> None:
    """A new vector, of which nothing has been read or written; no face has a stencil test."""
    for index in range(_NEXT, _COLOUR_WRITES + 1):
        fragments.modes[q, t, index] = 0
    fragments.modes[q, t, _DEPTH] = depth
    fragments.modes[q, t, _Z_UPDATES] = z_updates
    fragments.modes[q, t, _CLEARS] = clears
    fragments.modes[q, t, _AS_MASK] = as_mask
    fragments.modes[q, t, _VARYINGS] = varyings
    for face in range(FACES):
        fragments.stencil[q, t, face, _SET_UP] = 0
        fragments.stencil[q, t, face, _WRITE_MASK] = 0


@kernel
def fragment_start(fragments: FragmentState, q: int, t: int, w_into, z_into) -> None:
    """W and Z, which a program finds in registers."""
    for element in range(ELEMENTS):
        w_into[element] = fragments.w[q, t, element]
        z_into[element] = fragments.z[q, t, element]


@kernel
def fragment_varying(fragments: FragmentState, q: int, t: int, partial_into, c_into) -> None:
    """The next varying: its partial result, and its C. Behind the last one both are 0."""
    number = _next(fragments, q, t, _NEXT)
    there = number < fragments.modes[q, t, _VARYINGS]
    for element in range(ELEMENTS):
        partial_into[element] = fragments.partial[q, t, number, element] if there else 0
        c_into[element] = fragments.c[q, t, number, element] if there else 0


@kernel
def _next(fragments: FragmentState, q: int, t: int, index: int) -> int:
    """Count up one of the numbers of a vector; returns what it was."""
    number = fragments.modes[q, t, index]
    fragments.modes[q, t, index] = number + 1
    return number


@kernel
def fragment_read(fragments: FragmentState, q: int, t: int, which: int, into) -> None:
    """A register: a place in `FRAGMENT_READS`."""
    for element in range(ELEMENTS):
        if which == _X_COORD:
            into[element] = fragments.x[q, t, element]
        elif which == _Y_COORD:
            into[element] = fragments.y[q, t, element]
        elif which == _READ_FLAGS:
            into[element] = fragments.flags[q, t, element]
        else:
            into[element] = fragments.reverse[q, t, element]


@kernel
def fragment_write(fragments: FragmentState, tile: TileState, q: int, t: int, which: int, value, mask) -> None:
    """A register, a place in `FRAGMENT_WRITES`: words, and 1 for each element in which the condition of the write holds."""
    if which == _FLAGS:
        for element in range(ELEMENTS):
            if mask[element]:
                fragments.flags[q, t, element] = value[element] & _ALL_SAMPLES
    elif which == _REVERSE:
        # Bit 0 of element 0, for all elements.
        reverse = value[0] & 1 if mask[0] else fragments.reverse[q, t, 0]
        for element in range(ELEMENTS):
            fragments.reverse[q, t, element] = reverse
    elif which == _STENCIL:
        _write_stencil(fragments, q, t, value[0])
    elif which == _Z:
        _write_z(fragments, tile, q, t, value, mask)
    elif which == _SAMPLE:
        number, words = _next(fragments, q, t, _SAMPLE_WRITES), tile.shape[WORDS]
        sample = number // words % tile.shape[SAMPLES]
        _write_colour(fragments, tile, q, t, sample, sample + 1, number % words, value, mask)
    elif which == _COLOUR:
        number = _next(fragments, q, t, _COLOUR_WRITES)
        _write_colour(fragments, tile, q, t, 0, tile.shape[SAMPLES], number % tile.shape[WORDS], value, mask)
    else:
        for element in range(ELEMENTS):
            if mask[element] and fragments.flags[q, t, element]:
                tile.mask[_pixel(fragments, tile, q, t, element)] = value[element] & BYTE


@kernel
def _write_stencil(fragments: FragmentState, q: int, t: int, word: int) -> None:
    """Configuration of one or both faces, or the write masks of both. Masks enable nothing."""
    select = word >> 30
    for face in range(FACES):
        if select >> face & 1:
            fragments.stencil[q, t, face, _SET_UP] = word
            fragments.stencil[q, t, face, _WRITE_MASK] = write_mask_of(word)
        elif select == 0:
            fragments.stencil[q, t, face, _WRITE_MASK] = word >> 8 * face & BYTE


@kernel
def _pixel(fragments: FragmentState, tile: TileState, q: int, t: int, element: int) -> int:
    """Where the pixel of an element is in the tile."""
    return pixel_of(tile, fragments.x[q, t, element], fragments.y[q, t, element])


@kernel
def _write_colour(
    fragments: FragmentState, tile: TileState, q: int, t: int, first: int, end: int, word: int, value, mask
) -> None:
    """A word of some samples of pixels, each where the flags of its pixel say so."""
    samples, words = tile.shape[SAMPLES], tile.shape[WORDS]
    quads = 0
    for element in range(ELEMENTS):
        flags = fragments.flags[q, t, element] if mask[element] else 0
        quads |= 1 << element // _QUAD if flags else 0
        place = _pixel(fragments, tile, q, t, element) * samples
        for sample in range(first, end):
            if flags >> sample & 1:
                tile.colour[(place + sample) * words + word] = value[element]
    if word == 0 and first == 0:
        tile.counts[_WRITTEN] += _ones(quads)


@kernel
def _ones(quads: int) -> int:
    """How many of four bits are set."""
    count = 0
    for quad in range(_QUADS):
        count += quads >> quad & 1
    return count


@kernel
def _write_z(fragments: FragmentState, tile: TileState, q: int, t: int, value, mask) -> None:
    """Stencil and Z test of samples that have a flag; what passes both keeps its flag.

    Without multisampling there is one sample, with flag 0, and a pixel that passes has all flags.
    """
    samples, tests = tile.shape[SAMPLES], fragments.tests
    for element in range(ELEMENTS):
        tests[_PASSED, element] = 0
        tests[_HELD, element] = 0
    for sample in range(samples):
        # All are tested before any is written: the last quad of a vector may be in it several times.
        for element in range(ELEMENTS):
            if mask[element] and fragments.flags[q, t, element] >> sample & 1:
                _test(fragments, tile, q, t, element, sample, value[element] & _Z_MASK)
        for element in range(ELEMENTS):
            if mask[element] and fragments.flags[q, t, element] >> sample & 1:
                place = _pixel(fragments, tile, q, t, element) * samples + sample
                tile.z[place] = tests[_NEW_Z, element]
                tile.stencil[place] = tests[_NEW_STENCIL, element]
    tried, held, passed = 0, 0, 0
    for element in range(ELEMENTS):
        if mask[element]:
            quad, through = 1 << element // _QUAD, tests[_PASSED, element]
            tried |= quad if fragments.flags[q, t, element] else 0
            held |= quad if tests[_HELD, element] else 0
            passed |= quad if through else 0
            fragments.flags[q, t, element] = through if samples > 1 or through == 0 else _ALL_SAMPLES
    tile.counts[_STENCIL_FAILED] += _ones(tried) - _ones(held)
    tile.counts[_Z_FAILED] += _ones(tried) - _ones(passed)
    tile.counts[_Z_PASSED] += _ones(passed)


@kernel
def _test(fragments: FragmentState, tile: TileState, q: int, t: int, element: int, sample: int, z: int) -> None:
    """Both tests of a sample: whether it passes, and what the buffers then have."""
    place = _pixel(fragments, tile, q, t, element) * tile.shape[SAMPLES] + sample
    face = fragments.reverse[q, t, element]
    set_up, write_mask = fragments.stencil[q, t, face, _SET_UP], fragments.stencil[q, t, face, _WRITE_MASK]
    old_z, old, tests = tile.z[place], tile.stencil[place], fragments.tests
    nearer = passes(fragments.modes[q, t, _DEPTH], z, old_z)
    holds = stencil_holds(set_up, old)
    if holds:
        tests[_HELD, element] = 1
        if nearer:
            tests[_PASSED, element] |= 1 << sample
    tests[_NEW_Z, element] = z if holds and nearer and fragments.modes[q, t, _Z_UPDATES] else old_z
    tests[_NEW_STENCIL, element] = stencil_updated(set_up, write_mask, old, holds, nearer)


@kernel
def fragment_load(fragments: FragmentState, tile: TileState, q: int, t: int, which: int, into) -> None:
    """What a signal brings to r4: a word of the next sample, the alpha mask or the coverage in all bytes."""
    samples, words = tile.shape[SAMPLES], tile.shape[WORDS]
    if which == _COVERAGE:
        _load_coverage(fragments, tile, q, t, into)
    elif which == _MASK:
        for element in range(ELEMENTS):
            into[element] = tile.mask[_pixel(fragments, tile, q, t, element)] * _BYTES
    else:
        number = _next(fragments, q, t, _LOADS)
        sample = number // words % samples
        for element in range(ELEMENTS):
            place = _pixel(fragments, tile, q, t, element) * samples + sample
            into[element] = tile.colour[place * words + number % words]


@kernel
def _load_coverage(fragments: FragmentState, tile: TileState, q: int, t: int, into) -> None:
    """Coverage of pixels; perhaps that of pixels with any flag is cleared."""
    samples = tile.shape[SAMPLES]
    drawn, covered = 0, 0
    for element in range(ELEMENTS):
        place = _pixel(fragments, tile, q, t, element) * samples
        word = tile.z[place] << 8 | tile.stencil[place]
        if fragments.flags[q, t, element]:
            drawn |= 1 << element // _QUAD
            covered |= 1 << element // _QUAD if word else 0
        into[element] = sample_mask(word) if fragments.modes[q, t, _AS_MASK] else level(word) * _BYTES
    for element in range(ELEMENTS):
        if fragments.modes[q, t, _CLEARS] and fragments.flags[q, t, element]:
            place = _pixel(fragments, tile, q, t, element) * samples
            tile.z[place] = 0
            tile.stencil[place] = 0
    tile.counts[_COVERED] += _ones(covered)
    tile.counts[_UNCOVERED] += _ones(drawn) - _ones(covered)
