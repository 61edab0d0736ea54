"""`DebugStatus`, and what the front end tells it: of its own streams, of a front end at rest, and of one that stands."""

import random
from functools import cache

import pytest

from vc4.fep import FrontEnd
from vc4.fep.debug_status import DebugStatus
from vc4.fep.debug_structs import DEBUG_SIGNALS, PARTS
from vc4.fep.vector_structs import OrderKind
from vc4.records.samples import PIXEL
from vc4.regs.diagnostics import DIAGNOSTICS, FRONT_END_DEBUG, live_fields
from vc4.regs.register import Access
from vc4.vcm.structs import VcmKind
from vc4sim.model.pse.pse import set_up_triangle

from ..model.shapes import BOTH, vertex
from ..simulation import Simulation
from .sequences import Sequence
from .test_front_end import simulation, some_sequence

pytestmark = pytest.mark.thorough

FIELDS = [(one.name, field) for one in FRONT_END_DEBUG for field in live_fields(one)]
#: What is ready when nothing is there.
REST = {
    *("REFXY_FIFO_READY", "WCOEFF_FIFO_READY", "ZCOEFF_FIFO_READY", "RAST_READY", "XYRELZ_FIFO_READY"),
    *("INTERPZ_READY", "FIXZ_READY", "EZLIM_READY", "DEPTHO_READY", "DEPTHO_FIFO_READY", "QXYF_FIFO_READY"),
    *("ZO_FIFO_READY", "XYRELO_FIFO_READY", "XYRELW_FIFO_READY", "INTERPRW_READY", "RECIPW_READY", "XYFO_FIFO_READY"),
}
#: And early Z of that.
EARLY_REST = {"EZ_DATA_READY", "EZ_XY_READY", "EZREQ_FIFO_READY", "EZVAL_FIFO_READY", "EZTEST_QREADY"}
#: What is told of a front end that is full of quads, from the set-up to the first step after Z, and of early Z in it.
FULL = {
    *("EDGES_STALL", "EDGES_CTRLID", "REFXY_FIFO_READY", "ZRWPE_STALL", "WCOEFF_FIFO_READY", "ZCOEFF_FIFO_FULL"),
    *("RAST_BUSY", "XYRELZ_FIFO_FULL", "XYRELZ_FIFO_IP_STALL", "XYNRM_IP_STALL", "INTERPZ_IP_STALL"),
    *("EZLIM_IP_STALL", "DEPTHO_FIFO_IP_STALL", "QXYF_FIFO_OP1_VALID", "QXYF_FIFO_OP_VALID", "XYRELW_FIFO_READY"),
    *("INTERPRW_READY", "RECIPW_READY", "XYFO_FIFO_READY"),
}
EARLY_FULL = {
    *("EZTEST_ANYQF", "EZTEST_ANYQVALID", "EZTEST_IP_QSTALL", "EZTEST_STALL", "EZTEST_VLF_OKNOVALID"),
    *("EZ_DATA_READY", "EZVAL_FIFO_READY"),
}


def test_every_field_is_driven_or_constant():
    """By one part; the constants are 0."""
    driven = [name for layout in PARTS.values() for name in layout.members]
    assert sorted(driven) == sorted(field.name for _, field in FIELDS) == sorted(DEBUG_SIGNALS.members)
    for one in DIAGNOSTICS:
        for field in one.fields:
            assert field.access in (Access.READ_ONLY, Access.CONSTANT)
            assert field.access is Access.READ_ONLY or (field.reset == 0 and field.description.startswith("0: "))


def test_each_field_is_in_its_register_a_clock_later(simulate):
    dut = DebugStatus()

    async def bench(ctx):
        for register, field in FIELDS:
            value = (1 << field.width) - 1
            ctx.set(dut.found, {field.name: value})
            await ctx.tick()
            words = {name: ctx.get(dut.status[name]) for name in (one.name for one in FRONT_END_DEBUG)}
            ctx.set(dut.found, {field.name: 0})
            assert {
                (name, part): word[part] for name, word in words.items() for part in word.shape().members if word[part]
            } == {(register, field.name): value}

    simulate(dut, bench)


@cache
def early_simulation(qpus, lanes):
    dut = FrontEnd(qpus, lanes, early=True)
    return Simulation(dut), dut


def large_triangles():
    """Some, that are much larger than all queues."""
    rng = random.Random(5)
    sequence = Sequence()
    sequence.begin_tile(rng)
    sequence.program(rng)
    x, y = sequence.model.tile.x, sequence.model.tile.y
    corners = [vertex(PIXEL * (x + right), PIXEL * (y + up)) for right, up in ((0, 0), (64, 0), (0, 64))]
    for _ in range(8):
        sequence.draw(set_up_triangle(corners, BOTH))
    return sequence


def found_in(ctx, dut):
    """All fields that are not 0."""
    return {field.name: value for name, field in FIELDS if (value := ctx.get(dut.status[name][field.name]))}


async def offer(ctx, dut, sequence, clocks, look=None):
    """Everything, as fast as it is taken, for so many clocks; `look` sees each."""
    items, primitives, planes = list(sequence.items), list(sequence.primitives), []
    for _ in range(clocks):
        for stream, queue in ((dut.items, items), (dut.primitives, primitives), (dut.planes, planes)):
            ctx.set(stream.valid, bool(queue))
            if queue:
                ctx.set(stream.payload, queue[0][0] if stream is dut.primitives else queue[0])
        moved = [bool(ctx.get(stream.valid & stream.ready)) for stream in (dut.items, dut.primitives, dut.planes)]
        if look:
            look(ctx)
        await ctx.tick()
        if moved[0]:
            items.pop(0)
        if moved[2]:
            planes.pop(0)
        if moved[1]:
            planes += primitives.pop(0)[1]


@pytest.fixture(params=["plain", "early Z"])
def built(request):
    """A front end, and which fields are not 0 at rest and when it is full of quads."""
    if request.param == "plain":
        return *simulation(2, 1), REST, FULL
    return *early_simulation(2, 1), REST | EARLY_REST, FULL | EARLY_FULL


def test_at_rest(built):
    sim, dut, rest, _ = built

    async def bench(ctx):
        await ctx.tick()
        assert found_in(ctx, dut).keys() == rest

    sim.run(bench)


@pytest.mark.parametrize("who", ["QPUs", "tile buffer"])
def test_it_stands(built, who):
    """As no QPU takes a vector; as the tile buffer does not take the record in front of the primitives."""
    sim, dut, _, full = built

    async def bench(ctx):
        ctx.set(dut.tiles.ready, who == "QPUs")
        await offer(ctx, dut, large_triangles(), 800)
        found = found_in(ctx, dut)
        behind = {"ZO_FIFO_IP_STALL"} if who == "QPUs" else {"ZO_FIFO_READY", "XYRELO_FIFO_READY", "EZTEST_IP_PRSTALL"}
        assert found.keys() == full | behind
        assert found["EDGES_CTRLID"] == OrderKind.PIECE.value

    sim.run(bench)


def test_streams_of_the_outside():
    """A clock late, whatever happens."""
    sim, dut = simulation(2, 1)
    rng = random.Random(3)
    sequence = some_sequence(rng, 2)
    seen = []

    def look(ctx):
        if seen:
            wanted = seen.pop()
            found = found_in(ctx, dut)
            assert {name: found.get(name, 0) for name in wanted} == wanted
        primitives, planes, items = dut.primitives, dut.planes, dut.items
        is_record = ctx.get(items.valid) and ctx.get(items.payload.kind) != VcmKind.PRIMITIVE
        ctx.set(dut.scoreboard.ready, rng.randrange(2))
        seen.append(
            {
                "EDGES_READY": ctx.get(primitives.ready),
                "EDGES_STALL": ctx.get(primitives.valid & ~primitives.ready),
                "EDGES_ISCTRL": int(is_record),
                "ZRWPE_READY": ctx.get(planes.ready),
                "ZRWPE_STALL": ctx.get(planes.valid & ~planes.ready),
                "XYFO_FIFO_OP_READY": ctx.get(dut.scoreboard.ready),
            }
        )

    sim.run(lambda ctx: offer(ctx, dut, sequence, 400, look))
    assert seen
