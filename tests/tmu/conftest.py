"""A device that takes an item every clock, and formats as it has them."""


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
