"""Streams with random gaps, and quads for them."""

from vc4.records.quads import QUAD_PIXELS
from vc4.tlb.structs import SAMPLES
from vc4sim.model.compiled import State
from vc4sim.model.qpu.fragment_port import FRAGMENT_WRITES, fragment_load, fragment_write
from vc4sim.model.qpu.fragment_state import FLAGS, REVERSE, X, Y, begin_fragments, new_fragments
from vc4sim.model.tlb.tlb import TileBuffer, TileShape

__all__ = ["ModelTile", "exchange", "pixels_of", "some_form", "some_place"]

PATIENCE = 1000
ELEMENTS = 16


async def exchange(ctx, rng, feeds, drains, *, gap=0.0, pause=0.0, watch=None):
    """Offer items until all are taken and everything that is wanted has come; returns the clocks.

    feeds : of each stream: itself, its items, what to call with one in the clock in which it is taken
    drains : of each stream: itself, what to call with what is there, how many are still wanted
    gap, pause : chance in each clock that no item comes, none is taken
    watch : is called in each clock
    """
    left = [list(items) for _, items, _ in feeds]
    offered = [False] * len(feeds)
    clocks, waited = 0, 0
    while any(left) or any(wanted() for *_, wanted in drains):
        for number, (stream, _, _) in enumerate(feeds):
            if left[number] and not offered[number] and rng.random() >= gap:
                offered[number] = True
                ctx.set(stream.payload, left[number][0])
            ctx.set(stream.valid, offered[number])
        for stream, _, _ in drains:
            ctx.set(stream.ready, rng.random() >= pause)
        takes = [here and ctx.get(stream.ready) for here, (stream, _, _) in zip(offered, feeds, strict=True)]
        given = [(got, ctx.get(one.payload)) for one, got, _ in drains if ctx.get(one.valid) and ctx.get(one.ready)]
        if watch:
            watch(ctx)
        await ctx.tick()
        clocks += 1
        waited = 0 if any(takes) or given else waited + 1
        assert waited < PATIENCE
        for number, (_, _, taken) in enumerate(feeds):
            if takes[number]:
                offered[number] = False
                taken(left[number].pop(0))
        for got, payload in given:
            got(payload)
    for stream, _, _ in feeds:
        ctx.set(stream.valid, 0)
    return clocks


def some_form(rng, **fixed):
    """How the tile buffer is divided, as `TileForm` has it."""
    return {name: rng.randrange(2) for name in ("multisample", "wide", "double")} | fixed


def shape_of(form):
    """The same for the model."""
    return TileShape(multisample=bool(form["multisample"]), words=1 + form["wide"], double=bool(form["double"]))


def some_place(rng, form, area=None):
    """A quad of the first tile buffer; of the first few ones in each direction, so that it comes again."""
    shape = shape_of(form)
    columns, rows = shape.width // 2, shape.height // 2
    return {"x": rng.randrange(min(columns, area or columns)), "y": rng.randrange(min(rows, area or rows))}


def pixels_of(place):
    """Their x and y in the tile."""
    return [(2 * place["x"] + pixel % 2, 2 * place["y"] + pixel // 2) for pixel in range(QUAD_PIXELS)]


class ModelTile:
    """The model's tile buffer, and a QPU that writes a quad."""

    def __init__(self, form):
        self.tile = TileBuffer(shape_of(form))
        self.state = State(new_fragments())
        self.words = 1 + form["wide"]
        self.samples = SAMPLES if form["multisample"] else 1

    def begin(self, place, flags, *, depth=0, updates=0, face=0):
        """The quad is in a vector of its own."""
        self.fragments = self.state.views
        begin_fragments(self.fragments.modes, 0, 0, 0, 16, depth, updates, 0, 0)
        for element in range(ELEMENTS):
            x, y = pixels_of(place)[element % QUAD_PIXELS]
            for row, value in (X, x), (Y, y), (FLAGS, flags[element % QUAD_PIXELS]), (REVERSE, face):
                self.fragments.pixels[0, 0, row, element] = value

    def write(self, register, values):
        """Of the four pixels; a stencil set-up has one value."""
        quad = [*values, *[0] * (ELEMENTS - len(values))]
        mask = [1] * QUAD_PIXELS + [0] * (ELEMENTS - QUAD_PIXELS)
        fragment_write(self.fragments, self.tile.state.views, 0, 0, FRAGMENT_WRITES.index(register), quad, mask)

    def load(self, which):
        """Of the four pixels."""
        into = [0] * ELEMENTS
        fragment_load(self.fragments, self.tile.state.views, 0, 0, which, into)
        return into[:QUAD_PIXELS]

    @property
    def flags(self):
        """Of the four pixels."""
        return [int(self.fragments.pixels[0, 0, FLAGS, pixel]) for pixel in range(QUAD_PIXELS)]
