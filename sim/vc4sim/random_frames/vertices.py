"""Random vertices, and programs that shade them."""

import struct

from .state import Place
from .things import Vertices
from .values import Random

__all__ = ["random_places", "random_vertices"]

#: Rows of the VPM horizontally, one after the other; how many are set up at once.
_ROWS, _MOST_ROWS = 0x1A00, 16
_PLACE = struct.Struct("<2h")
#: How far vertices of a list are from each other, in pixels.
_SPREADS = (2, 5, 10, 10, 16, 16, 30, 70, 1500)


def _limited(value: int) -> int:
    return max(-0x8000, min(value, 0x7FFF))


def random_places(rng: Random, place: Place, count: int) -> list[tuple[int, int]]:
    """Places of vertices in sixteenths of a pixel, some of them near each other."""
    x, y, width, height = place
    spread = rng.choice(_SPREADS)
    middle = x + rng.randrange(width), y + rng.randrange(height)
    found: list[tuple[int, int]] = []
    for _ in range(count):
        if found and rng.chance(0.05):
            found.append(rng.choice(found))
            continue
        at = [16 * base + rng.randrange(-8 * spread, 8 * spread + 1) for base in middle]
        if rng.chance(0.2):
            at = [value & -16 | rng.choice((0, 8)) for value in at]
        found.append((_limited(at[0]), _limited(at[1])))
    return found


def _vertex_words(rng: Random, at: tuple[int, int], z: float, varyings: int, sized: bool) -> tuple[int, ...]:
    near = rng.choice((0.0, 0.0, 0.3))
    words = [int.from_bytes(_PLACE.pack(*at), "little"), rng.number(z - near, z + near, 0.04)]
    words.append(0x3F80_0000 if rng.chance(0.4) else rng.number(0.01, 2, 0.04))
    if sized:
        words.append(rng.number(0.5, 12))
    return (*words, *(rng.choice((rng.number(-3, 3), rng.number(0, 1))) for _ in range(varyings)))


def random_vertices(rng: Random, place: Place, count: int, varyings: int) -> Vertices:
    """Vertices, in memory as they are or after a program."""
    sized = rng.chance(0.2)
    z = rng.choice((0.0, 0.5, 1.0, rng.random()))
    words = tuple(_vertex_words(rng, at, z, varyings, sized) for at in random_places(rng, place, count))
    skipped, clips = rng.choice((0, 0, 4, 5, 12)), rng.chance(0.3)
    if rng.chance(0.6):
        return Vertices(words, sized, skipped=skipped, clips=clips)
    size = len(words[0])
    arrays = tuple(sorted({0, *(rng.randrange(size) for _ in range(rng.choice((0, 0, 1, 2, 4))))}))
    program, uniforms = _program(rng, size)
    return Vertices(words, sized, program, uniforms, arrays, skipped, rng.chance(0.2), clips)


def _program(rng: Random, size: int) -> tuple[str, tuple[int, ...]]:
    """Reads rows and writes them; varyings may be scaled."""
    lines, uniforms = [f"ldi vw_setup, {_ROWS:#x}"], []
    for row in range(size):
        if row % _MOST_ROWS == 0:
            count = min(_MOST_ROWS, size - row) % _MOST_ROWS
            lines += [f"ldi vr_setup, {_ROWS + row | count << 20:#x}", "nop", "nop", "nop"]
        if row > 3 and rng.chance(0.2):
            lines += ["mov r0, vpm", "fmul vpm, r0, unif"]
            uniforms.append(rng.number(-1, 2))
        else:
            lines += ["mov vpm, vpm"] if rng.chance(0.3) else ["mov r0, vpm", "mov vpm, r0"]
    return "\n".join([*lines, "nop", "thrend", "nop", "nop", ""]), tuple(uniforms)
