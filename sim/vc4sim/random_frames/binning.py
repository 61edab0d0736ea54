"""What a random frame has that is binned first: memory for tile lists, clip coordinates, a shader of coordinates."""

from dataclasses import dataclass
from typing import Any

from vc4.records.control import RECORDS, ControlCode, Threads
from vc4.records.state import BlockSize

from .transfers import Frame
from .values import Random, bits_of_float

__all__ = ["CLIP_WORDS", "Binning", "clip_words", "coordinate_program", "may_be_binned", "random_binning"]

_PAGE = 0x1000
#: Words of a vertex in front of its place.
CLIP_WORDS = 4
_SMALLEST_BLOCK = 32
_MOST_BLOCKS, _AMPLE = 6, 0x1_0000


@dataclass(frozen=True)
class Binning:
    """Memory of a binner.

    fields : of the configuration record
    tiles : bytes of the first block of a tile list
    overspill : addresses and sizes of what the host gives when there is no more
    end : of all of it
    """

    fields: dict[str, Any]
    tiles: int
    overspill: tuple[tuple[int, int], ...]
    end: int

    @property
    def first(self) -> int:
        """Where it begins."""
        return self.fields["tile_state_data_array_address"]

    def list_of(self, tile: int) -> int:
        """Address of a tile list."""
        return self.fields["tile_allocation_memory_address"] + tile * self.tiles


def random_binning(rng: Random, frame: Frame, first: int, *, ample: bool) -> Binning:
    """Memory from address `first` on, with or without what the host gives later; `ample`: without, and enough of it."""
    column, row = frame.tiles[-1]
    # Small blocks are full soon.
    initial, block = (rng.mostly(BlockSize.BYTES_32, tuple(BlockSize), 0.4) for _ in range(2))
    tiles = _SMALLEST_BLOCK << initial.value
    pool = first + _PAGE
    size = len(frame.tiles) * tiles + (_AMPLE if ample else rng.choice((0, 0, 100, _PAGE)))
    end = -(-(pool + size) // _PAGE) * _PAGE
    overspill = []
    for _ in range(0 if ample else _MOST_BLOCKS):
        given = rng.choice((_PAGE, _PAGE + 300, 3 * _PAGE))
        overspill.append((end, given))
        end = -(-(end + given) // _PAGE) * _PAGE
    shared = ("multisample_mode", "tile_buffer_64_bit_color_depth", "double_buffer_in_non_ms_mode")
    fields = {
        "tile_allocation_memory_address": pool,
        "tile_allocation_memory_size": size,
        "tile_state_data_array_address": first,
        "width": column + 1,
        "height": row + 1,
        **{name: frame.fields[name] for name in shared},
        "auto_initialise_tile_state_data_array": 1,
        "tile_allocation_initial_block_size": initial,
        "tile_allocation_block_size": block,
    }
    return Binning(fields, tiles, tuple(overspill), end)


def may_be_binned(code: ControlCode) -> bool:
    """Whether a binning list may have a record."""
    return Threads.BINNING in RECORDS[code.value].threads


def clip_words(rng: Random) -> tuple[int, ...]:
    """Clip coordinates of a vertex: mostly in view."""
    if rng.chance(0.9):
        return (0, 0, 0, bits_of_float(1.0))
    return (*(rng.number(-1.3, 1.3) for _ in range(3)), rng.number(0.2, 2))


def coordinate_program(words: tuple[int, ...], size: int) -> str:
    """Writes these clip coordinates and the first `size` words of the attributes."""
    lines = ["ldi vw_setup, 0x1a00", *(f"ldi vpm, {word:#010x}" for word in words)]
    lines += [f"ldi vr_setup, {0x1A00 | size << 20:#x}", "nop", "nop", "nop"]
    lines += ["mov vpm, vpm"] * size
    return "\n".join([*lines, "nop", "thrend", "nop", "nop", ""])
