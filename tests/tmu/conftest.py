"""Random coordinates and textures, and a device that takes an item every clock."""

from vc4.records.tmu import BASE_SHIFT, TextureType
from vc4sim.random_programs.textures import random_uniforms

#: Patterns that reach the ends of the range.
CORNERS = (0, 1 << 31, 0x3F80_0000, 0xBF80_0000, 0x3F7F_FFFF, 0x4000_0000, 0xC000_0000, 0x7F80_0000, 0xFF80_0000,
           0x7FC0_0001, 0xFFFF_FFFF, 0x007F_FFFF, 0x807F_FFFF, 0x0080_0000, 0x8080_0000, 0x3380_0000, 0xB380_0000)  # fmt: skip


def pattern(rng):
    """A float: a corner, near the image, anything."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(CORNERS)
    if kind == 1:
        return rng.getrandbits(1) << 31 | rng.randrange(100, 132) << 23 | rng.getrandbits(23)
    if kind == 2:
        return rng.getrandbits(1) << 31 | rng.randrange(124, 160) << 23 | (rng.getrandbits(23) & rng.getrandbits(23))
    return rng.getrandbits(32)


def stream(simulate, dut, inputs, latency, output):
    """Gives an item each clock, a dict of values by the names of ports, and returns what `output` is `latency` later."""
    got = []

    async def bench(ctx):
        for clock, item in enumerate([*inputs, *[inputs[-1]] * latency]):
            for name, value in item.items():
                ctx.set(getattr(dut, name), value)
            if clock >= latency:
                got.append(ctx.get(output))
            await ctx.tick()

    simulate(dut, bench)
    return got


def format_of(kind):
    log = [(value - 1).bit_length() for value in (kind.tile_width, kind.tile_height, kind.bits, kind.block)]
    return dict(zip(("width", "height", "bits", "block"), log, strict=True)) | {"raster": kind.raster}


def coordinates_of(rng):
    """Sixteen words each for s, t, r and b: any patterns, coordinates close together, or around the image."""
    vectors = []
    for _ in range(4):
        kind, first = rng.randrange(3), 0x3F00_0000 + rng.getrandbits(23)
        bits = rng.randrange(1, 23)
        draw = (
            lambda: pattern(rng),
            lambda first=first, bits=bits: first + rng.getrandbits(bits),
            lambda: rng.getrandbits(1) << 31 | rng.randrange(120, 130) << 23 | rng.getrandbits(23),
        )[kind]
        vectors.append([draw() for _ in range(16)])
    return vectors


def uniforms_of(rng, pages):
    """The uniforms of a random texture, of any type, filter, wrap mode and size, whose base is one of `pages`."""
    code = rng.choice((*(kind.value for kind in TextureType), rng.getrandbits(5)))
    image, *others = random_uniforms(rng, code, rng.choice((0, 0, 1, 2)), large=1 / 3)
    return [image | rng.choice(pages) << BASE_SHIFT, *others]


def letters_of(rng, count):
    """The names of as many parameters, in any order, with s as the last one."""
    return "".join(rng.sample("trb", count - 1)) + "s"
