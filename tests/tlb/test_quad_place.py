"""`word_address`: each sample of a tile has a place for itself, in the order of full dumps."""

import itertools
from functools import cache

import pytest
from amaranth.hdl import Module, Signal

from vc4.tlb.quad_place import word_address
from vc4.tlb.structs import SAMPLES, WORDS, QuadPlace, TileForm

from ..simulation import Simulation
from .streams import shape_of

FORMS = [
    dict(zip(("multisample", "wide", "double"), bits, strict=True)) for bits in itertools.product((0, 1), repeat=3)
]


@cache
def simulation():
    m = Module()
    form, place, sample, word, address = (
        Signal(TileForm),
        Signal(QuadPlace),
        Signal(range(SAMPLES)),
        Signal(),
        Signal(10),
    )
    m.d.comb += address.eq(word_address(form, place, sample, word))
    return Simulation(m, clock=False), (form, place, sample, word, address)


def places_of(form):
    """Addresses of each buffer and word of a tile, in the order of quads, then samples."""
    rig, (form_, place, sample, word, address) = simulation()
    shape = shape_of(form)
    found = []

    async def bench(ctx):
        ctx.set(form_, form)
        for buffer, second in itertools.product(
            range(1 + (shape.double and not shape.multisample)), range(shape.words)
        ):
            places = []
            for y, x, n in itertools.product(range(shape.height // 2), range(shape.width // 2), range(shape.samples)):
                ctx.set(place, {"x": x, "y": y, "buffer": buffer})
                ctx.set(sample, n)
                ctx.set(word, second)
                places.append(ctx.get(address))
            found.append(places)

    rig.run(bench)
    return found


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_every_word_is_used_once(form):
    assert sorted(sum(places_of(form), [])) == list(range(WORDS))


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_the_order_is_that_of_full_dumps(form):
    for places in places_of(form):
        assert places == list(range(places[0], places[0] + len(places)))
