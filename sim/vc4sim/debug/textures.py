"""The textures that a program looks up, as images."""

from dataclasses import dataclass

import numpy as np

from vc4.isa.ops import Signal
from vc4.isa.registers import WRITE
from vc4.isa.word import WORD_BYTES
from vc4.records.tmu import TextureType

from ..launch import Launch
from ..model.compiled import Buffers
from ..model.memory import Memory, MemoryFault
from ..model.qpu.decoded import decoded
from ..model.tmu.formats import BITS, CHANNELS, FORMAT_ROWS, RASTER, TILE_HEIGHT, TILE_WIDTH, Channels
from ..model.tmu.layout import LEVEL_HEIGHT, LEVEL_WIDTH, list_levels
from ..model.tmu.parameters import PARAMETERS, Texture, describe, texture
from ..model.tmu.texels import new_sampler, read_texel
from ..problem import BadInput
from ..workload.compare import WORD_BYTES as UNIFORM_BYTES

__all__ = ["BoundTexture", "bound_textures", "image_of"]

#: Instructions of a program that are looked at.
_MOST_INSTRUCTIONS = 1 << 13
_ENDS = (Signal.PROGRAM_END, Signal.LOAD_COLOUR_END)
#: The service of uniforms, and what gives them a new address.
_UNIFORMS, _ADDRESSES = "uniforms", ("unif_addr", "unif_addr_rel")
_BYTE = 255


@dataclass(frozen=True, slots=True)
class BoundTexture:
    """What a lookup of a program samples.

    at : address of the instruction that begins the lookup
    unit : its name of the texture unit
    uniforms : that describe the texture
    """

    at: int
    unit: int
    uniforms: tuple[int, ...]

    @property
    def texture(self) -> Texture:
        """As the unit understands the uniforms."""
        return texture(self.uniforms)


def bound_textures(memory: Memory, launch: Launch) -> list[BoundTexture]:
    """The textures of a program, in the order of its lookups.

    Uniforms are counted along the program, from its first instruction to its end, or to the first branch or new address of uniforms:
    what comes then depends on values.
    """
    found, pending, taken = [], ([], []), 0
    try:
        for number in range(_MOST_INSTRUCTIONS):
            address = launch.pc + number * WORD_BYTES
            todo = decoded(memory.read_int(address, WORD_BYTES))
            if todo.branch or any(WRITE.name(one.address, one.file) in _ADDRESSES for one in todo.writes):
                break
            unit, letter = todo.tmu_write or (0, "")
            uniform = None
            if _UNIFORMS in todo.units or (letter and (letter != "s" or pending[unit])):
                uniform = memory.read_int(launch.uniforms + UNIFORM_BYTES * taken, UNIFORM_BYTES)
                taken += 1
            if letter and (letter != "s" or pending[unit]):
                pending[unit].append(uniform)
            if letter == "s":
                if pending[unit]:
                    found.append(BoundTexture(address, unit, tuple(pending[unit][:PARAMETERS])))
                pending[unit].clear()
            if todo.signal in _ENDS:
                break
    except MemoryFault:
        pass  # what is not there has no lookups
    return [one for one in found if len(one.uniforms) > 1]


def image_of(memory: Memory, bound: BoundTexture, level: int = 0, face: int = 0) -> np.ndarray:
    """A level of a texture, of a face of a cube: [row, column, channel] of bytes, red first; row 0 is where t is 0.

    Floats are limited to 0 to 1, which is 255; of integers the high byte is shown. What memory does not have is 0.
    Raises `BadInput` if there is no such level or face.
    """
    what = bound.texture
    if not 0 <= level < what.levels or not 0 <= face < (6 if what.cube else 1):
        raise BadInput(f"the texture has {what.levels} levels{' of 6 faces' if what.cube else ''}")
    sampler, row = Buffers(new_sampler()).views, FORMAT_ROWS[what.type.value]
    describe(sampler.texture, memoryview(np.array(bound.uniforms, np.int64)), len(bound.uniforms))
    shape = row[BITS], row[TILE_WIDTH], row[TILE_HEIGHT], row[RASTER]
    list_levels(sampler.levels, *shape, what.width, what.height, what.levels)
    width, height = sampler.levels[level, LEVEL_WIDTH], sampler.levels[level, LEVEL_HEIGHT]
    state = memory.state.views
    texels = [[read_texel(sampler, state, level, face, x, y) for x in range(width)] for y in range(height)]
    return _bytes(np.array(texels, np.int64), what.type)


def _bytes(channels: np.ndarray, type_: TextureType) -> np.ndarray:
    """Channels of texels with 8 bits each."""
    kind = Channels(FORMAT_ROWS[type_.value][CHANNELS])
    if kind is Channels.BYTES:
        return channels.astype(np.uint8)
    if kind is Channels.HALVES:
        floats = np.nan_to_num(np.clip(channels.astype(np.uint16).view(np.float16).astype(np.float64), 0, 1))
        found = (floats * _BYTE).round().astype(np.uint8)
    else:
        found = (channels >> 8).astype(np.uint8)
    if type_ is not TextureType.RGBA64:
        found[..., 3] = _BYTE  # they have one channel
    return found
