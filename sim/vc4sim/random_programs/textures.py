"""Random textures, with the uniforms that tell them to a texture unit."""

import random
import struct
from dataclasses import dataclass

from vc4.records.tmu import (
    BASE_SHIFT,
    ChildOffset,
    ChildSize,
    CubeStride,
    MagnificationFilter,
    MinificationFilter,
    ParameterKind,
    TextureImage,
    TextureSampling,
    Wrap,
)

from ..model.tmu.formats import FORMATS
from ..model.tmu.layout import chain
from ..model.tmu.parameters import PARAMETERS, texture

__all__ = ["Texture", "Textures", "random_uniforms"]

_PAGE = 1 << BASE_SHIFT
#: Types, with those that stand for others, and how many textures there are of each.
_TYPES, _OF_EACH = 32, 2
#: Memory with their texels. After it texels are 0.
_BYTES = 16 * _PAGE
_UNIFORMS = struct.Struct(f"<{PARAMETERS}I")
#: What is drawn for every texture; to list the members of an enum takes longer.
_WRAPS, _KINDS = tuple(Wrap), tuple(ParameterKind)
_MAGNIFICATIONS, _MINIFICATIONS = tuple(MagnificationFilter), tuple(MinificationFilter)


@dataclass(frozen=True, slots=True)
class Texture:
    """A texture.

    uniforms : address of its uniforms
    words : that a lookup of it returns
    """

    uniforms: int
    words: int


class Textures:
    """Textures of all types, filters, wrap modes and sizes, in memory from address `first` on and nowhere before.

    first : a multiple of 4 KiB
    all : the textures
    image : what lies at `first`: their uniforms, then texels
    """

    def __init__(self, random_: random.Random, first: int):
        self.first = first
        uniforms = [_uniforms(random_, kind, first) for kind in _OF_EACH * (*range(_TYPES),)]
        table = b"".join(_UNIFORMS.pack(*some) for some in uniforms)
        self.image = table + random_.randbytes(_BYTES - len(table))
        self.all = tuple(
            Texture(first + number * _UNIFORMS.size, FORMATS[texture(some).type].reads)
            for number, some in enumerate(uniforms)
        )

    @staticmethod
    def address(last: int) -> int:
        """Where they can begin after the address `last`."""
        return -(-last // _PAGE) * _PAGE


def _uniforms(random_: random.Random, code: int, first: int) -> list[int]:
    """As many uniforms as count, of a texture of a type whose levels all lie at `first` or after it."""
    words = random_uniforms(random_, code, PARAMETERS - 2, large=0.1)
    shown = texture(words)
    # Smaller levels lie before the base, everything else after it.
    below = -chain(FORMATS[shown.type], shown.width, shown.height, shown.levels)[-1].offset
    words[0] |= Textures.address(first + below) + random_.choice((0, 0, _PAGE, 3 * _PAGE))
    return words


def random_uniforms(random_: random.Random, code: int, others: int, *, large: float, **given: int) -> list[int]:
    """The uniforms of a texture at address 0, with any filter, wrap mode and size, and so many after the first two.

    code : of the type, 5 bits
    large : how often width and height may be anything; else they are small
    given : fields of the first two that are not drawn
    """

    def extent() -> int:
        return random_.randrange(2048) if random_.random() < large else random_.randrange(1, random_.choice((9, 70)))

    image = {
        "levels": random_.choice((0, 3, random_.getrandbits(4))),
        "type": code & 15,
        "flip": random_.getrandbits(1),
        "cube": random_.random() < 0.2,
        "swizzle": random_.getrandbits(2),
    }
    sampling = {
        "wrap_s": random_.choice(_WRAPS),
        "wrap_t": random_.choice(_WRAPS),
        "minification": random_.choice(_MINIFICATIONS),
        "magnification": random_.choice(_MAGNIFICATIONS),
        "width": extent(),
        "flip_blocks": random_.getrandbits(1),
        "height": extent(),
        "type_high": code >> 4,
    }
    words = [
        layout.const(drawn | {name: value for name, value in given.items() if name in drawn}).as_bits()
        for layout, drawn in ((TextureImage, image), (TextureSampling, sampling))
    ]
    return words + [_other(random_) for _ in range(others)]


def _other(random_: random.Random) -> int:
    """A config parameter after the second."""
    kind = random_.choice(_KINDS)
    match kind:
        case ParameterKind.CUBE_STRIDE:
            fields = {"bias_only": random_.getrandbits(1), "stride": random_.randrange(4), "kind": kind}
            return CubeStride.const(fields).as_bits()
        case ParameterKind.CHILD_SIZE:
            fields = {"width": random_.randrange(64), "height": random_.randrange(64), "kind": kind}
            return ChildSize.const(fields).as_bits()
        case ParameterKind.CHILD_OFFSET:
            fields = {"x": random_.randrange(64), "y": random_.randrange(64), "kind": kind}
            return ChildOffset.const(fields).as_bits()
    return random_.getrandbits(30)
