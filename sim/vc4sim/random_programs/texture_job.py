"""A program that looks up random textures at random coordinates."""

import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vc4.config import V3DConfig
from vc4.records.tmu import BASE_SHIFT, TextureType

from ..asm import assemble
from ..backends.base import Job, Launch
from ..model.tmu.formats import FORMATS
from ..model.tmu.parameters import texture
from .textures import random_uniforms
from .wanted import NOTHING, Wanted

__all__ = ["TextureJob", "coordinates_of", "letters_of", "pattern", "texture_job", "uniforms_of"]

_BASE, _PAGE = 0x10_0000, 4096
_TEXTURES = 0x4_0000
#: Vectors of a lookup: s, t, r and b.
_VECTORS, _ELEMENTS = 4, 16
#: Lookups of textures under way: two words of each have room among the results, not all parameters have in the slots.
_TOGETHER = 3
_CLOCKS = 10_000_000
#: Patterns that reach the ends of the range.
_CORNERS = (0, 1 << 31, 0x3F80_0000, 0xBF80_0000, 0x3F7F_FFFF, 0x4000_0000, 0xC000_0000, 0x7F80_0000, 0xFF80_0000,
            0x7FC0_0001, 0xFFFF_FFFF, 0x007F_FFFF, 0x807F_FFFF, 0x0080_0000, 0x8080_0000, 0x3380_0000, 0xB380_0000)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TextureJob(Job):
    """A run of the program, see `Job`.

    lookups : the config parameters of each
    """

    lookups: tuple[tuple[int, ...], ...] = ()


def pattern(rng: random.Random) -> int:
    """A float: a corner, near the image, anything."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(_CORNERS)
    if kind == 1:
        return rng.getrandbits(1) << 31 | rng.randrange(100, 132) << 23 | rng.getrandbits(23)
    if kind == 2:
        return rng.getrandbits(1) << 31 | rng.randrange(124, 160) << 23 | (rng.getrandbits(23) & rng.getrandbits(23))
    return rng.getrandbits(32)


def coordinates_of(rng: random.Random) -> list[list[int]]:
    """Sixteen words each for s, t, r and b: any patterns, coordinates close together, or around the image."""
    vectors = []
    for _ in range(_VECTORS):
        kind, first = rng.randrange(3), 0x3F00_0000 + rng.getrandbits(23)
        bits = rng.randrange(1, 23)
        draw = (
            lambda: pattern(rng),
            lambda first=first, bits=bits: first + rng.getrandbits(bits),
            lambda: rng.getrandbits(1) << 31 | rng.randrange(120, 130) << 23 | rng.getrandbits(23),
        )[kind]
        vectors.append([draw() for _ in range(_ELEMENTS)])
    return vectors


def uniforms_of(rng: random.Random, pages: Sequence[int], wanted: Wanted = NOTHING) -> list[int]:
    """The uniforms of a random texture, of any type, filter, wrap mode and size, whose base is one of `pages`.

    wanted : fields of `TextureImage` and `TextureSampling`, in the form `texture`; `code` is the type
    """
    wish = wanted.draw(rng, "texture")
    fields = wish[1] if wish else {}
    code = fields.pop("code", None)
    if code is None:
        code = rng.choice((*(kind.value for kind in TextureType), rng.getrandbits(5)))
    image, *others = random_uniforms(rng, code, rng.choice((0, 0, 1, 2)), large=1 / 3, **fields)
    return [image | rng.choice(pages) << BASE_SHIFT, *others]


def letters_of(rng: random.Random, count: int) -> str:
    """The names of as many parameters, in any order, with s as the last one."""
    return "".join(rng.sample("trb", count - 1)) + "s"


def _lookups(
    rng: random.Random, count: int, pages: Sequence[int], wanted: Wanted
) -> Iterator[tuple[list[str], list[list[int]], list[list[int]]]]:
    """Lines of a program, its uniforms and its vectors, of one to three lookups that are under way at once."""
    while count:
        together = min(rng.randrange(1, _TOGETHER + 1), count)
        count -= together
        lines, uniforms, vectors, words = [], [], [], 0
        for number, values in enumerate(values for _ in range(together) for values in coordinates_of(rng)):
            vectors.append(values)
            lines += ["mov t0s, r0", f"add r0, r0, r1; ldtmu0\nmov ra{number}, r4"]
        for first in range(0, _VECTORS * together, _VECTORS):
            config = uniforms_of(rng, pages, wanted)
            uniforms.append(config)
            lines += [f"mov t0{letter}, ra{first + 'strb'.index(letter)}" for letter in letters_of(rng, len(config))]
            words += FORMATS[texture(config).type].reads
        lines += [f"nop; ldtmu0\nmov rb{number}, r4" for number in range(words)]
        yield lines, uniforms, vectors


def texture_job(seed: int, count: int, config: V3DConfig, *, wanted: Wanted = NOTHING, **memory) -> TextureJob:
    """A program with `count` lookups of textures of random bytes; some lie outside of memory.

    wanted : see `uniforms_of`
    memory : latency and gap, see `Job`
    """
    rng = random.Random(seed)
    code_bytes = (25 * count + 16) * 8 & -_PAGE
    data = _BASE + code_bytes + _PAGE
    room = 4 * (4 * count + 1) + 64 * _VECTORS * count
    first = data + room + _PAGE & -_PAGE
    pages = [*range(first >> BASE_SHIFT, first + _TEXTURES >> BASE_SHIFT), 0, 0xFFFFF]
    lines, uniforms, vectors = ["shl r0, elem_num, 2", "add r0, r0, unif", "ldi r1, 64"], [], []
    for some in _lookups(rng, count, pages, wanted):
        for all_, more in zip((lines, uniforms, vectors), some, strict=True):
            all_ += more
    code = assemble("\n".join([*lines, "thrend", "nop", "nop"])).code
    assert len(code) <= data - _BASE
    words, numbers = ([word for some in parts for word in some] for parts in (uniforms, vectors))
    table = data + 4 * (len(words) + 1)
    inputs = struct.pack(f"<{len(words) + len(numbers) + 1}I", table, *words, *numbers)
    image = (code.ljust(data - _BASE, b"\0") + inputs).ljust(first - _BASE, b"\0") + rng.randbytes(_TEXTURES)
    return TextureJob(
        image=image,
        base=_BASE,
        launches=(Launch(_BASE, data),),
        config=config,
        max_cycles=_CLOCKS,
        lookups=tuple(map(tuple, uniforms)),
        **memory,
    )
