"""The way of a QPU to its fragments and to the tile buffer (guide, sections 5 and 6; pipeline facts, 4.7 and 5.2)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vc4.isa.ops import Signal
from vc4.records.state import DepthTest

from ..cap import cap
from ..tlb.stencil import StencilMode
from ..tlb.tlb import MS_SAMPLES, TileBuffer
from .vectors import same

__all__ = ["FIRST_REGISTER", "LOADS", "FragmentModes", "FragmentPort", "FragmentVectors"]

#: Where W (file A) and Z (file B) of a fragment are at first.
FIRST_REGISTER = 15
#: Signals that bring something of the tile buffer to r4.
LOADS = frozenset({Signal.LOAD_COVERAGE, Signal.LOAD_COLOUR, Signal.LOAD_COLOUR_END, Signal.LOAD_ALPHA_MASK})
_FLAGS = (1 << MS_SAMPLES) - 1
#: A byte in all four places.
_BYTES = np.uint32(0x0101_0101)


@dataclass(frozen=True, slots=True)
class FragmentModes:
    """What control lists say of the tile buffer's work: Z test, updates of Z, reads of coverage."""

    depth: DepthTest = DepthTest.ALWAYS
    z_updates: bool = False
    coverage_clears: bool = True
    coverage_mask: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class FragmentVectors:
    """Vectors of four quads, each array [vector, 16].

    x, y : pixels of the frame
    flags : of the samples that are drawn, four bits
    reverse : seen from behind
    z, w : Z (24 bits), W (float)
    varyings : partial result and C of each
    """

    x: np.ndarray
    y: np.ndarray
    flags: np.ndarray
    reverse: np.ndarray
    z: np.ndarray
    w: np.ndarray
    varyings: tuple[tuple[np.ndarray, np.ndarray], ...]

    def part(self, chosen: slice | np.ndarray) -> "FragmentVectors":
        """Some of the vectors."""
        arrays = (array[chosen] for array in (self.x, self.y, self.flags, self.reverse, self.z, self.w))
        return FragmentVectors(*arrays, tuple((partial[chosen], c[chosen]) for partial, c in self.varyings))


class FragmentPort:
    """What fragment shaders read and write. The vectors must have no pixel twice, so that their order does not matter."""

    def __init__(self, tile: TileBuffer, fragments: FragmentVectors, modes: FragmentModes):
        self.vectors = len(fragments.x)
        self._tile, self._fragments, self._modes = tile, fragments, modes
        self._flags, self._reverse = fragments.flags, fragments.reverse
        self._stencil = StencilMode()
        self._next_varying = 0
        self._loads = self._writes = self._writes_of_all = 0
        self.inputs: dict[str, Callable[[], np.ndarray]] = {
            "x_coord": lambda: fragments.x.astype(np.uint32),
            "y_coord": lambda: fragments.y.astype(np.uint32),
            "ms_mask": lambda: self._flags.astype(np.uint32),
            "rev_flag": lambda: self._reverse.astype(np.uint32),
        }
        self.outputs: dict[str, Callable[[np.ndarray, np.ndarray], None]] = {
            "ms_mask": self._write_flags,
            "rev_flag": self._write_reverse,
            "stencil": lambda value, _: self._stencil.write(same(value)),
            "tlbz": self._write_z,
            "tlbm": self._write_sample,
            "tlbc": self._write_all,
            "tlbam": lambda value, mask: tile.write_mask(*self._pixels(mask), value),
        }

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """W and Z, which a program finds in registers."""
        return self._fragments.w, self._fragments.z

    def varying(self) -> tuple[np.ndarray, np.ndarray]:
        """The next varying: its partial result, and its C. Behind the last one both are 0."""
        number, self._next_varying = self._next_varying, self._next_varying + 1
        if number < len(self._fragments.varyings):
            return self._fragments.varyings[number]
        nothing = np.zeros_like(self._fragments.z)
        return nothing, nothing

    def _pixels(self, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pixels, and their flags where the condition of a write holds."""
        return self._fragments.x, self._fragments.y, np.where(mask, self._flags, 0)

    def _write_flags(self, value: np.ndarray, mask: np.ndarray) -> None:
        self._flags = np.where(mask, (value & np.uint32(_FLAGS)).astype(np.int64), self._flags)

    def _write_reverse(self, value: np.ndarray, mask: np.ndarray) -> None:
        """Bit 0 of element 0, for all elements."""
        first = (value & np.uint32(1) != 0)[..., :1]
        self._reverse = np.broadcast_to(np.where(mask[..., :1], first, self._reverse[..., :1]), self._reverse.shape)

    def _write_z(self, value: np.ndarray, mask: np.ndarray) -> None:
        x, y, flags = self._pixels(mask)
        passed = self._tile.test(
            x,
            y,
            flags,
            self._reverse,
            value,
            self._modes.depth,
            updates=self._modes.z_updates,
            stencil=self._stencil,
        )
        self._flags = np.where(mask, passed, self._flags)

    def _write_sample(self, value: np.ndarray, mask: np.ndarray) -> None:
        """A word of the next sample; without multisampling, of the only one."""
        sample, word = divmod(self._writes, self._tile.shape.words)
        self._writes += 1
        sample %= self._tile.shape.samples
        self._tile.write_colour(*self._pixels(mask), range(sample, sample + 1), word, value)

    def _write_all(self, value: np.ndarray, mask: np.ndarray) -> None:
        word, self._writes_of_all = self._writes_of_all, self._writes_of_all + 1
        self._tile.write_colour(*self._pixels(mask), range(self._tile.shape.samples), word, value)

    def load(self, signal: Signal) -> np.ndarray:
        """What a signal brings to r4: a word of the next sample, the alpha mask or the coverage in all bytes."""
        fragments = self._fragments
        match signal:
            case Signal.LOAD_ALPHA_MASK:
                return self._tile.load_mask(fragments.x, fragments.y).astype(np.uint32) * _BYTES
            case Signal.LOAD_COVERAGE:
                word = self._tile.load_coverage(
                    fragments.x, fragments.y, self._flags, clear=self._modes.coverage_clears
                )
                if self._modes.coverage_mask:
                    return cap.sample_mask(word).astype(np.uint32)
                return cap.level(word).astype(np.uint32) * _BYTES
        sample, word = divmod(self._loads, self._tile.shape.words)
        self._loads += 1
        return self._tile.load_colour(fragments.x, fragments.y, sample, word)
