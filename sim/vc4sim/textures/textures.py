"""Textures of 32-bit texels: levels of an image or of the six faces of a cube, and their bytes in memory."""

from dataclasses import dataclass

import numpy as np

from vc4.records.tmu import BASE_SHIFT, CubeStride, ParameterKind, TextureImage, TextureSampling, TextureType

from ..model.tmu.formats import FORMATS
from ..model.tmu.layout import chain
from .sampling import Sampling

__all__ = ["PAGE", "Texture", "mipmaps"]

#: Base addresses are multiples of it.
PAGE = 1 << BASE_SHIFT
_TYPE = TextureType.RGBA8888
_FACES = 6


def mipmaps(image: np.ndarray) -> tuple[np.ndarray, ...]:
    """All levels of an image, [row, column, channel] with powers of two: each texel is the mean of four."""
    found = [image]
    while max(found[-1].shape[:2]) > 1:
        height, width, channels = found[-1].shape
        fours = found[-1].reshape(height // 2, 2, width // 2, 2, channels).astype(np.uint32)
        found.append(((fours.sum(axis=(1, 3)) + 2) // 4).astype(np.uint8))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Texture:
    """What is looked up.

    faces : one image, or the six of a cube, +X -X +Y -Y +Z -Z; each is a tuple of its levels, the largest first, and these are
        arrays [row, column, channel] of bytes, red first. Row 0 is where t is 0
    """

    faces: tuple[tuple[np.ndarray, ...], ...]

    @property
    def cube(self) -> bool:
        """It has six faces."""
        return len(self.faces) == _FACES

    @property
    def _size(self) -> tuple[int, int]:
        height, width, _ = self.faces[0][0].shape
        return width, height

    def stored(self) -> tuple[bytes, int, int]:
        """Its bytes, where level 0 of the first face begins in them, and bytes from face to face. They must begin at a page."""
        levels = chain(FORMATS[_TYPE], *self._size, len(self.faces[0]))
        below = -(levels[-1].offset // PAGE) * PAGE
        stride = below - (-levels[0].size // PAGE) * PAGE
        data = np.zeros(len(self.faces) * stride, np.uint8)
        for number, face in enumerate(self.faces):
            for level, image in zip(levels, face, strict=True):
                y, x = np.indices(image.shape[:2])
                first = number * stride + below + level.offset + level.place(x, y) // 8
                data[first[..., None] + np.arange(image.shape[2])] = image
        return data.tobytes(), below, stride

    def parameters(self, sampling: Sampling, base: int, stride: int) -> tuple[int, int, int]:
        """The config parameters of a lookup; level 0 of the first face lies at `base`."""
        width, height = self._size
        image = {
            "levels": len(self.faces[0]) - 1,
            "type": _TYPE.value & 15,
            "cube": self.cube,
            "base": base // PAGE,
        }
        how = {
            "wrap_s": sampling.wrap_s,
            "wrap_t": sampling.wrap_t,
            "minification": sampling.minification,
            "magnification": sampling.magnification,
            "width": width,
            "height": height,
            "type_high": _TYPE.value >> 4,
        }
        cube = {"stride": stride // PAGE, "kind": ParameterKind.CUBE_STRIDE}
        last = CubeStride.const(cube).as_bits() if self.cube else 0
        return TextureImage.const(image).as_bits(), TextureSampling.const(how).as_bits(), last
