"""Drives and watches streams from testbenches of Amaranth's simulator.

Every helper waits one clock at a time, so that a background testbench may use it: one that is parked in
`ctx.tick().until()` when the simulation ends breaks the interpreter's clean-up in Python 3.11.

`rng` is a `random.Random`; `gap` is the chance, in each clock, that a side is not ready to move an item.
"""

import random

__all__ = ["collect", "feed", "get", "put", "watch"]


async def put(ctx, stream, payload):
    """Moves `payload` into `stream`."""
    ctx.set(stream.payload, payload)
    ctx.set(stream.valid, 1)
    ready = False
    while not ready:
        _, _, ready = await ctx.tick().sample(stream.ready)
    ctx.set(stream.valid, 0)


async def get(ctx, stream):
    """Takes an item from `stream`."""
    ctx.set(stream.ready, 1)
    valid = False
    while not valid:
        _, _, valid, payload = await ctx.tick().sample(stream.valid, stream.payload)
    ctx.set(stream.ready, 0)
    return payload


async def feed(ctx, stream, items, *, rng=random, gap=0.0):
    """Moves all `items` into `stream`, with random gaps before them."""
    for item in items:
        while gap and rng.random() < gap:
            await ctx.tick()
        await put(ctx, stream, item)


async def collect(ctx, stream, count, *, rng=random, gap=0.0, limit=100_000):
    """Takes `count` items from `stream`, with random gaps; a `TimeoutError` after `limit` clocks."""
    items = []
    for _ in range(limit):
        if len(items) == count:
            ctx.set(stream.ready, 0)
            return items
        ctx.set(stream.ready, not (gap and rng.random() < gap))
        _, _, ready, valid, payload = await ctx.tick().sample(stream.ready, stream.valid, stream.payload)
        if ready and valid:
            items.append(payload)
    raise TimeoutError(f"{len(items)} of {count} items came in {limit} clocks")


async def watch(ctx, stream):
    """Checks for ever that an item of `stream` stays as it is until it is taken; for background testbenches."""
    waiting = None
    async for _, _, valid, ready, payload in ctx.tick().sample(stream.valid, stream.ready, stream.payload):
        if waiting is not None:
            assert valid, "an item was taken back"
            assert payload == waiting, f"an item changed while it waited, from {waiting!r} to {payload!r}"
        waiting = payload if valid and not ready else None
