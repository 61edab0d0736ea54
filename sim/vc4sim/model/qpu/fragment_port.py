"""The way of a QPU to its fragments and to the tile buffer (guide, sections 5 and 6; pipeline facts, 4.7 and 5.2).

Each thread of each QPU has a vector of fragments. Registers and loads have numbers: places in the tuples of names here.
"""

import numpy as np

from vc4.isa.ops import Signal
from vc4.isa.registers import ELEMENTS

from ..cap.cap import level, sample_mask
from ..compiled import kernel
from ..tlb.compare import passes
from ..tlb.stencil import BYTE, FACES, stencil_holds, stencil_updated, write_mask_of
from ..tlb.tlb import COUNTS, MS_SAMPLES, SAMPLES, WORDS, TileState, pixel_of
from .fragment_state import (
    AS_MASK,
    CLEARS,
    COLOUR_WRITES,
    DEPTH,
    FACE_OF_LAST,
    FACE_SET_UPS,
    FLAGS,
    HELD,
    LOADS,
    NEXT,
    PASSED,
    REAL,
    REVERSE,
    SAMPLE_WRITES,
    VARYINGS,
    Z_UPDATES,
    FragmentState,
    W,
    X,
    Y,
    Z,
)

__all__ = [
    "FRAGMENT_LOADS",
    "FRAGMENT_READS",
    "FRAGMENT_WRITES",
    "fragment_load",
    "fragment_read",
    "fragment_start",
    "fragment_varying",
    "fragment_write",
]

#: Registers that programs read and write, in the order of their numbers; the first ones also that of `FragmentState.pixels`.
FRAGMENT_READS = ("x_coord", "y_coord", "ms_mask", "rev_flag")
FRAGMENT_WRITES = ("ms_mask", "rev_flag", "stencil", "tlbz", "tlbm", "tlbc", "tlbam")
#: Numbers of what signals bring from the tile buffer to r4.
FRAGMENT_LOADS = {Signal.LOAD_COVERAGE: 0, Signal.LOAD_COLOUR: 1, Signal.LOAD_COLOUR_END: 1, Signal.LOAD_ALPHA_MASK: 2}
_QUAD = 4
_WRITES_FLAGS, _WRITES_REVERSE, _WRITES_STENCIL, _WRITES_Z, _WRITES_SAMPLE, _WRITES_COLOUR, _WRITES_MASK = range(
    len(FRAGMENT_WRITES)
)
_LOADS_COVERAGE, _LOADS_COLOUR, _LOADS_MASK = range(3)
_ALL_SAMPLES = (1 << MS_SAMPLES) - 1
_Z_MASK = (1 << 24) - 1
#: A byte in all four places.
_BYTES = 0x0101_0101
#: Counts of the tile buffer.
_WRITTEN, _COVERED, _UNCOVERED, _STENCIL_FAILED, _Z_FAILED, _Z_PASSED = range(COUNTS, COUNTS + 6)


@kernel
def _next(modes: np.ndarray, q: int, t: int, index: int) -> int:
    """Count up one of the numbers of a vector; returns what it was."""
    number = modes[q, t, index]
    modes[q, t, index] = number + 1
    return int(number)


@kernel
def _ones(quads: int) -> int:
    """How many of four bits are set."""
    return (quads & 1) + (quads >> 1 & 1) + (quads >> 2 & 1) + (quads >> 3 & 1)


@kernel
def fragment_start(fragments: FragmentState, q: int, t: int, w_into: np.ndarray, z_into: np.ndarray) -> None:
    """W and Z, which a program finds in registers."""
    for element in range(ELEMENTS):
        w_into[element] = fragments.pixels[q, t, W, element]
        z_into[element] = fragments.pixels[q, t, Z, element]


@kernel
def fragment_varying(fragments: FragmentState, q: int, t: int, partial_into: np.ndarray, c_into: np.ndarray) -> None:
    """The next varying: its partial result, and its C. After the last one both are 0."""
    number = _next(fragments.modes, q, t, NEXT)
    there = number < fragments.modes[q, t, VARYINGS]
    for element in range(ELEMENTS):
        partial_into[element] = fragments.varyings[q, t, number, 0, element] if there else 0
        c_into[element] = fragments.varyings[q, t, number, 1, element] if there else 0


@kernel
def fragment_read(fragments: FragmentState, q: int, t: int, which: int, into: np.ndarray) -> None:
    """A register: a place in `FRAGMENT_READS`."""
    for element in range(ELEMENTS):
        into[element] = fragments.pixels[q, t, which, element]


@kernel
def fragment_write(
    fragments: FragmentState, tile: TileState, q: int, t: int, which: int, value: np.ndarray, mask: np.ndarray
) -> None:
    """A register, a place in `FRAGMENT_WRITES`: words, and 1 for each element in which the condition of the write holds."""
    pixels, modes, about = fragments.pixels, fragments.modes, tile.about
    samples, words = about[SAMPLES], about[WORDS]
    if which == _WRITES_FLAGS:
        for element in range(modes[q, t, REAL]):
            if mask[element]:
                pixels[q, t, FLAGS, element] = value[element] & _ALL_SAMPLES
    elif which == _WRITES_REVERSE:
        # Bit 0 of element 0, for all elements.
        reverse = value[0] & 1 if mask[0] else pixels[q, t, REVERSE, 0]
        for element in range(ELEMENTS):
            pixels[q, t, REVERSE, element] = reverse
    elif which == _WRITES_STENCIL:
        _write_stencil(modes, q, t, value[0])
    elif which == _WRITES_Z:
        of_last = fragments.errata[FACE_OF_LAST]
        _write_z(pixels, modes, fragments.tests, tile.zs, about, q, t, value, mask, of_last)
    elif which == _WRITES_MASK:
        for element in range(ELEMENTS):
            if mask[element] and pixels[q, t, FLAGS, element]:
                place = pixel_of(about, pixels[q, t, X, element], pixels[q, t, Y, element])
                tile.mask[place] = value[element] & BYTE
    else:
        first, end = 0, samples
        if which == _WRITES_SAMPLE:
            number = _next(modes, q, t, SAMPLE_WRITES)
            first = number // words % samples
            end = first + 1
        else:
            number = _next(modes, q, t, COLOUR_WRITES)
        _write_colour(pixels, tile.colour, about, q, t, first, end, number % words, value, mask)


@kernel
def _write_stencil(modes: np.ndarray, q: int, t: int, word: int) -> None:
    """Configuration of one or both faces, or the write masks of both. Masks enable nothing."""
    select = word >> 30
    for face in range(FACES):
        set_up = FACE_SET_UPS + 2 * face
        if select >> face & 1:
            modes[q, t, set_up] = word
            modes[q, t, set_up + 1] = write_mask_of(word)
        elif select == 0:
            modes[q, t, set_up + 1] = word >> 8 * face & BYTE


@kernel
def _write_colour(
    pixels: np.ndarray,
    colour: np.ndarray,
    about: np.ndarray,
    q: int,
    t: int,
    first: int,
    end: int,
    word: int,
    value: np.ndarray,
    mask: np.ndarray,
) -> None:
    """A word of some samples of pixels, each where the flags of its pixel say so."""
    quads = 0
    for element in range(ELEMENTS):
        flags = pixels[q, t, FLAGS, element] if mask[element] else 0
        quads |= 1 << element // _QUAD if flags else 0
        place = pixel_of(about, pixels[q, t, X, element], pixels[q, t, Y, element]) * about[SAMPLES]
        for sample in range(first, end):
            if flags >> sample & 1:
                colour[(place + sample) * about[WORDS] + word] = value[element]
    if word == 0 and first == 0:
        about[_WRITTEN] += _ones(quads)


@kernel
def _write_z(
    pixels: np.ndarray,
    modes: np.ndarray,
    tests: np.ndarray,
    zs: np.ndarray,
    about: np.ndarray,
    q: int,
    t: int,
    value: np.ndarray,
    mask: np.ndarray,
    of_last: int,
) -> None:
    """Stencil and Z test of samples that have a flag; what passes both keeps its flag.

    Without multisampling there is one sample, with flag 0, and a pixel that passes has all flags. With `of_last` all pixels have the
    stencil test of the last quad's side, which is also that of places left in the vector: the erratum HW-2924.
    """
    samples = about[SAMPLES]
    for element in range(ELEMENTS):
        tests[PASSED, element] = 0
        tests[HELD, element] = 0
    for sample in range(samples):
        for element in range(ELEMENTS):
            if mask[element] and pixels[q, t, FLAGS, element] >> sample & 1:
                place = pixel_of(about, pixels[q, t, X, element], pixels[q, t, Y, element]) * samples + sample
                face = pixels[q, t, REVERSE, ELEMENTS - 1 if of_last else element]
                zs[place] = _tested(modes, tests, q, t, face, element, sample, value[element] & _Z_MASK, zs[place])
    tried, held, passed = 0, 0, 0
    for element in range(ELEMENTS):
        if mask[element]:
            quad, through = 1 << element // _QUAD, tests[PASSED, element]
            tried |= quad if pixels[q, t, FLAGS, element] else 0
            held |= quad if tests[HELD, element] else 0
            passed |= quad if through else 0
            pixels[q, t, FLAGS, element] = through if samples > 1 or through == 0 else _ALL_SAMPLES
    about[_STENCIL_FAILED] += _ones(tried) - _ones(held)
    about[_Z_FAILED] += _ones(tried) - _ones(passed)
    about[_Z_PASSED] += _ones(passed)


@kernel
def _tested(
    modes: np.ndarray, tests: np.ndarray, q: int, t: int, face: int, element: int, sample: int, z: int, old: int
) -> int:
    """Both tests of a sample: notes whether it passes, and returns what the buffer then has."""
    set_up, write_mask = modes[q, t, FACE_SET_UPS + 2 * face], modes[q, t, FACE_SET_UPS + 2 * face + 1]
    nearer, holds = passes(modes[q, t, DEPTH], z, old >> 8), stencil_holds(set_up, old & BYTE)
    new_z = old >> 8
    if holds:
        tests[HELD, element] = 1
        if nearer:
            tests[PASSED, element] |= 1 << sample
            if modes[q, t, Z_UPDATES]:
                new_z = z
    return new_z << 8 | stencil_updated(set_up, write_mask, old & BYTE, holds, nearer)


@kernel
def fragment_load(fragments: FragmentState, tile: TileState, q: int, t: int, which: int, into: np.ndarray) -> None:
    """What a signal brings to r4: a word of the next sample, the alpha mask or the coverage in all bytes."""
    pixels, about = fragments.pixels, tile.about
    samples, words = about[SAMPLES], about[WORDS]
    if which == _LOADS_COVERAGE:
        _load_coverage(pixels, fragments.modes, tile.zs, about, q, t, into)
    else:
        number = 0 if which == _LOADS_MASK else _next(fragments.modes, q, t, LOADS)
        for element in range(ELEMENTS):
            place = pixel_of(about, pixels[q, t, X, element], pixels[q, t, Y, element])
            if which == _LOADS_MASK:
                into[element] = tile.mask[place] * _BYTES
            else:
                sample = place * samples + number // words % samples
                into[element] = tile.colour[sample * words + number % words]


@kernel
def _load_coverage(
    pixels: np.ndarray, modes: np.ndarray, zs: np.ndarray, about: np.ndarray, q: int, t: int, into: np.ndarray
) -> None:
    """Coverage of pixels; perhaps that of pixels with any flag is cleared, when all are read."""
    drawn, covered = 0, 0
    for element in range(ELEMENTS):
        word = zs[pixel_of(about, pixels[q, t, X, element], pixels[q, t, Y, element]) * about[SAMPLES]]
        if pixels[q, t, FLAGS, element]:
            drawn |= 1 << element // _QUAD
            covered |= 1 << element // _QUAD if word else 0
        into[element] = sample_mask(word) if modes[q, t, AS_MASK] else level(word) * _BYTES
    for element in range(ELEMENTS):
        if modes[q, t, CLEARS] and pixels[q, t, FLAGS, element]:
            zs[pixel_of(about, pixels[q, t, X, element], pixels[q, t, Y, element]) * about[SAMPLES]] = 0
    about[_COVERED] += _ones(covered)
    about[_UNCOVERED] += _ones(drawn) - _ones(covered)
