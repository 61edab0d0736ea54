"""Random textures for fragment shaders."""

from typing import NamedTuple

from vc4.records.tmu import BASE_SHIFT

from ..model.tmu.formats import FORMATS
from ..model.tmu.layout import chain
from ..model.tmu.parameters import PARAMETERS, texture
from ..random_programs.textures import random_uniforms
from .values import Random

__all__ = ["TEXEL_BYTES", "SampledTexture", "random_texture"]

_PAGE = 1 << BASE_SHIFT
_TYPES = 32
#: Memory with texels; after it they are 0.
TEXEL_BYTES = 8 * _PAGE


class SampledTexture(NamedTuple):
    """Its uniforms, and how many words a lookup of it returns."""

    uniforms: tuple[int, ...]
    words: int


def random_texture(rng: Random, first: int) -> SampledTexture:
    """A texture that lies at `first`, a multiple of 4 KiB, or after it, and nowhere before."""
    words = random_uniforms(rng, rng.randrange(_TYPES), PARAMETERS - 2, large=0.0)
    shown = texture(words)
    below = -chain(FORMATS[shown.type], shown.width, shown.height, shown.levels)[-1].offset
    words[0] |= -(-(first + below) // _PAGE) * _PAGE
    return SampledTexture(tuple(words), FORMATS[shown.type].reads)
