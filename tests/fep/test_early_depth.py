"""`EarlyDepth` beside fragments that are done some time: what it hides is hidden in the order of the list, whatever the time."""

import random
from collections import deque

import pytest
from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import connect, flipped

from vc4.fep.early_depth import EarlyDepth
from vc4.fep.quad_match import QuadMatch
from vc4.records.control import RECORDS, ControlCode
from vc4.records.quads import DEPTH_BITS, QUAD_PIXELS

from ..simulation import Simulation

FAR = (1 << DEPTH_BITS) - 1
PATIENCE = 600
PLACES = [(0, 0), (1, 0), (0, 1), (31, 31)]
LOADS = {ControlCode.LOAD_TILE_BUFFER_GENERAL, ControlCode.RELOAD_FULL_RESOLUTION_TILE_BUFFER}
STORES = {ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER, ControlCode.STORE_TILE_BUFFER_GENERAL}


class Early(wiring.Component):
    """`EarlyDepth`, and `QuadMatch`, which holds a quad after it."""

    def __init__(self, full_rate):
        self.early, self.match = EarlyDepth(), QuadMatch(full_rate=full_rate)
        super().__init__(dict(self.early.signature.members))

    def elaborate(self, platform):
        m = Module()
        m.submodules.early, m.submodules.match = early, match = self.early, self.match
        connect(m, flipped(self.i), early.i)
        connect(m, early.o, match.i)
        connect(m, match.o, flipped(self.o))
        for name in ("raises", "place", "covers", "rests", "record", "record_stb", "written", "written_stb"):
            m.d.comb += getattr(early, name).eq(getattr(self, name))
        m.d.comb += [match.hides.eq(early.hidden), match.voids.eq(early.voids), self.hidden.eq(match.hidden)]
        return m


@pytest.fixture(scope="module", params=[False, True], ids=["one lane", "four lanes"])
def simulation(request):
    dut = Early(request.param)
    return Simulation(dut), dut


def record(code, **fields):
    """A record, and its fields."""
    row = RECORDS[code.value]
    body = data.Layout.cast(row.layout).const(fields).as_value().value if fields else 0
    return {"record": {"code": code.value, "payload": body}, "code": code, "fields": fields}


def a_quad(x, y, zs, does, covered=(1, 1, 1, 1)):
    return {"x": x, "y": y, "z": list(zs), "does": does, "covered": list(covered)}


class Rig:
    """The rest of the pipeline, and what the tile buffer has in the order of the list.

    items : records; quads with what their fragments do: `less`, `away` or `cover`
    hidden : of each quad
    drops : some fragments are dropped
    ahead : quads come as soon as they can, else when it is their turn
    """

    def __init__(self, dut, items, rng, *, gap=0.0, pause=0.0, longest=30, drops=False, ahead=False):
        self.dut, self.items, self.rng, self.gap, self.pause, self.longest = dut, items, rng, gap, pause, longest
        self.drops, self.ahead = drops, ahead
        self.zs = {}
        self.clear = self.clear_to = FAR
        self.loads = False
        self.hidden = []
        self.under_way = {}  # fragments of a place: clocks that they take yet, and what they leave
        self.telling = deque([None, None])

    async def run(self, ctx):
        dut, coming = self.dut, deque(item for item in self.items if "x" in item)
        left, offered, waited = deque(self.items), False, 0
        clock, raised = 0, -9
        while left or self.under_way or any(self.telling):
            comes = bool(coming) and (self.ahead or coming[0] is left[0])
            offered = comes and (offered or self.rng.random() >= self.gap)
            if offered:
                ctx.set(dut.i.payload, {name: coming[0][name] for name in ("x", "y", "z", "covered")})
            ctx.set(dut.i.valid, offered)
            rests = not self.under_way and not any(self.telling)
            ctx.set(dut.rests, rests)
            self.tell(ctx)
            item = left[0] if left else {}
            strikes = "code" in item and rests and self.rng.random() >= self.pause
            ctx.set(dut.record_stb, strikes)
            if strikes:
                ctx.set(dut.record, item["record"])
            apart = item.get("does") != "less" or clock - raised > 2
            takes = "x" in item and apart and self.rng.random() >= self.pause and (item["does"] != "cover" or rests)
            ctx.set(dut.o.ready, takes)
            clock += 1
            goes = takes and ctx.get(dut.o.valid)
            raises = goes and item["does"] != "less" and any(item["covered"])
            raised = clock if raises else raised
            ctx.set(dut.raises, bool(raises))
            ctx.set(dut.covers, item.get("does") == "cover")
            if goes:
                ctx.set(dut.place, item["x"] | item["y"] << 5)
                self.draw(item, ctx.get(dut.hidden))
            moves = offered and ctx.get(dut.i.ready)
            await ctx.tick()
            if moves:
                coming.popleft()
                offered = False
            if strikes:
                self.record(item)
            waited = 0 if goes or strikes or moves else waited + 1
            assert waited < PATIENCE
            if goes or strikes:
                left.popleft()
        for name in ("raises", "record_stb", "written_stb"):
            ctx.set(getattr(dut, name), 0)

    def tell(self, ctx):
        """The oldest fragments of each place may end; two clocks later it is known what they have left."""
        now = None
        for place, queue in list(self.under_way.items()):
            queue[0][0] -= 1
            if queue[0][0] <= 0 and now is None:
                now = place, queue.popleft()[1]
                if not queue:
                    del self.under_way[place]
        self.telling.append(now)
        told = self.telling.popleft()
        ctx.set(self.dut.written_stb, told is not None)
        if told:
            (x, y), zs = told
            ctx.set(self.dut.written, {"place": {"x": x, "y": y, "buffer": 0}, "z": max(zs)})

    def draw(self, quad, hidden):
        """A quad in its turn; some of its fragments may be dropped."""
        place = quad["x"], quad["y"]
        zs = list(self.zs.setdefault(place, [self.clear] * QUAD_PIXELS))
        drawn = [number for number, covered in enumerate(quad["covered"]) if covered]
        if quad["does"] == "less":
            self.hidden.append(hidden)
            assert not hidden or all(quad["z"][number] > max(zs) for number in drawn), (quad, zs)
        if not drawn or (hidden and quad["does"] == "less"):
            return
        for number in drawn:
            z = quad["z"][number]
            if quad["does"] != "less" or z < zs[number]:
                zs[number] = zs[number] if self.drops and self.rng.random() < 0.1 else z
        self.zs[place] = zs
        self.under_way.setdefault(place, deque()).append([self.rng.randrange(1, self.longest), zs])

    def record(self, item):
        code = item["code"]
        if code is ControlCode.CLEAR_COLORS:
            self.clear_to = item["fields"]["clear_zs"]
        elif code in LOADS:
            self.loads = True
        elif code in STORES and not item["fields"].get("disable_z_stencil_buffer_clear"):
            self.zs, self.clear = {}, self.clear_to
        elif code is ControlCode.TILE_COORDINATES and self.loads:
            self.loads = False
            self.zs = {place: [self.rng.randrange(FAR) for _ in range(QUAD_PIXELS)] for place in PLACES}


def some_frame(rng, count):
    """Records and quads."""
    off = rng.random() < 0.1
    yield record(ControlCode.TILE_RENDERING_MODE_CONFIGURATION, early_z_disable=off, multisample_mode=off)
    does, level = "less", 24
    for _ in range(count):
        kind = rng.random()
        if kind < 0.02:
            yield record(ControlCode.CLEAR_COLORS, clear_zs=rng.choice((FAR, rng.randrange(FAR))))
        elif kind < 0.03:
            yield record(rng.choice(sorted(LOADS, key=lambda code: code.value)))
            yield record(ControlCode.TILE_COORDINATES, tile_column_number=1)
        elif kind < 0.05:
            yield record(ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER)
        elif kind < 0.06:
            yield record(ControlCode.STORE_TILE_BUFFER_GENERAL, disable_z_stencil_buffer_clear=rng.getrandbits(1))
        elif kind < 0.15:
            does = rng.choice(("less", "less", "less", "less", "away", "cover"))
            level = rng.choice((2, 12, 24))
        for _ in range(rng.randrange(6)):
            z = rng.getrandbits(DEPTH_BITS)
            zs = [min(z + rng.getrandbits(level), FAR) for _ in range(QUAD_PIXELS)]
            covered = [rng.getrandbits(16) if rng.random() < 0.8 else 0 for _ in range(QUAD_PIXELS)]
            yield a_quad(*rng.choice(PLACES), zs, does, covered)


def run(simulation, items, rng, **options):
    """Whether each quad that is tested is hidden."""
    sim, dut = simulation
    rig = Rig(dut, items, rng, **options)
    sim.run(rig.run)
    return rig.hidden


@pytest.mark.parametrize(
    "seeds", [range(3), pytest.param(range(3, 10), marks=pytest.mark.thorough)], ids=["some", "many"]
)
def test_hides_only_what_is_hidden(simulation, seeds):
    """Whatever the order in which places are written, and whoever waits."""
    found = []
    for seed in seeds:
        print(f"seed {seed}")
        rng = random.Random(seed)
        options = {
            "gap": rng.choice((0, 0.5)),
            "pause": rng.choice((0, 0.3)),
            "longest": rng.choice((2, 40)),
            "drops": True,
        }
        found += run(simulation, list(some_frame(rng, 120)), rng, **options)
    assert sum(found) > len(found) // 20, (sum(found), len(found))


class TestBounds:
    FRAME = (
        record(ControlCode.TILE_RENDERING_MODE_CONFIGURATION, width=64),
        record(ControlCode.CLEAR_COLORS, clear_zs=1000),
        record(ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER),
    )

    def hidden(self, simulation, *items):
        """Of items that each wait until the one before is done."""
        waits = record(ControlCode.TILE_COORDINATES)
        return run(simulation, [*self.FRAME, *(one for item in items for one in (waits, item))], random.Random(1))

    def test_of_a_clear(self, simulation):
        quads = [a_quad(3, 4, [z, z + 5, z + 9, z], "less") for z in (1000, 1001)]
        assert self.hidden(simulation, *quads) == [0, 1]

    def test_only_pixels_with_samples_count(self, simulation):
        assert self.hidden(simulation, a_quad(3, 4, [0, 1001, 2000, 0], "less", (0, 1, 1, 0))) == [1]

    def test_of_what_is_drawn(self, simulation):
        quads = [a_quad(3, 4, [z] * 4, "less") for z in (500, 500, 501)]
        elsewhere = a_quad(2, 4, [501] * 4, "less")
        assert self.hidden(simulation, *quads, elsewhere) == [0, 0, 1, 0]

    def test_given_up_where_z_may_move_away(self, simulation):
        quads = [a_quad(3, 4, [500] * 4, "away"), a_quad(3, 4, [900] * 4, "less")]
        assert run(simulation, [*self.FRAME, *quads], random.Random(1), longest=100) == [0]

    def test_a_new_tile(self, simulation):
        items = a_quad(3, 4, [500] * 4, "less"), self.FRAME[-1], a_quad(3, 4, [900] * 4, "less")
        assert self.hidden(simulation, *items) == [0, 0]

    @pytest.mark.parametrize(
        "off", ["early_z_disable", "early_z_update_direction", "multisample_mode", "double_buffer_in_non_ms_mode"]
    )
    def test_off(self, simulation, off):
        config = record(ControlCode.TILE_RENDERING_MODE_CONFIGURATION, **{off: 1})
        items = [config, *self.FRAME[1:], a_quad(3, 4, [2000] * 4, "less")]
        assert run(simulation, items, random.Random(1)) == [0]

    def test_numbers_of_tiles_come_again(self, simulation):
        """More tiles than there are numbers: what was drawn long ago does not count."""
        near = a_quad(3, 4, [5] * 4, "less")
        items = [*self.FRAME, near, *[self.FRAME[-1]] * ((1 << 12) - 1), a_quad(3, 4, [900] * 4, "less")]
        items += [self.FRAME[-1], a_quad(3, 4, [900] * 4, "less")]
        assert run(simulation, items, random.Random(1)) == [0, 0, 0]
