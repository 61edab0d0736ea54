"""`FrontEnd` against the model: vectors, coverage and records for the tile buffer, in their order, with random QPUs."""

import random
from functools import cache

import pytest

from vc4.fep import FrontEnd
from vc4.fep.structs import PLANE_SLOTS, PLANES
from vc4.records.control import ControlCode
from vc4.records.samples import PIXEL
from vc4.records.tile_buffer import TileRenderingModeConfiguration
from vc4sim.model.cle.fields import packing
from vc4sim.model.pse.pse import set_up_triangle
from vc4sim.model.pse.pse_shapes import set_up_point

from ..model.shapes import BOTH, bits, vertex
from ..simulation import Simulation
from .sequences import Sequence, record, some_record

PATIENCE = 1500
EVENTS = ("primitives", "primitives_empty", "quads", "quads_clipped")


@cache
def simulation(qpus, lanes):
    dut = FrontEnd(qpus, lanes)
    return Simulation(dut), dut


class Thread:
    """Of a QPU, with a vector: what has come of it, and when it is done."""

    def __init__(self, index, program):
        self.index, self.program = index, program
        self.quads, self.scored, self.left = [], [], None


class Rig:
    """The surroundings of a front end.

    log : as the model's
    first, final : clocks of the first and the last quad
    longest_stall : clocks in which planes were not taken; before there is one of `stall` clocks QPUs take nothing
    """

    def __init__(self, sequence, qpus, lanes, rng, *, gap=0.0, pause=0.0, slow=0.0, longest=40, stall=0):
        self.sim, self.dut = simulation(qpus, lanes)
        self.rng, self.gap, self.pause, self.slow, self.longest = rng, gap, pause, slow, longest
        self.log, self.counts, self.clocks, self.qpus = [], [0] * 4, 0, qpus
        self.threads = {}  # that have a vector
        self.slots, self.planes = [None] * PLANE_SLOTS, [None] * PLANES
        self.items, self.primitives, self.coming = list(sequence.items), list(sequence.primitives), []
        self.buffer, self.form, self.changed = 0, {}, True
        self.first = self.final = None
        self.stall = self.longest_stall = 0
        self.wanted_stall = stall

    def offer(self, ctx, name, queue):
        stream = getattr(self.dut, name)
        here = bool(queue) and (self.offered.get(name, False) or self.rng.random() >= self.gap)
        self.offered[name] = here
        if here:
            ctx.set(stream.payload, queue[0][0] if name == "primitives" else queue[0])
        ctx.set(stream.valid, here)

    def run(self, wanted):
        """Until so much is in the log and everything is taken."""
        self.offered = {}
        self.sim.run(lambda ctx: self._bench(ctx, wanted))
        return self.log

    async def _bench(self, ctx, wanted):
        dut, rng, waited = self.dut, self.rng, 0
        while len(self.log) < wanted or self.items or self.threads or self.coming or ctx.get(dut.busy):
            if self.changed:
                self.changed = False
                ctx.set(dut.form, self.form)
                ctx.set(dut.buffer, self.buffer)
            for name, queue in (("items", self.items), ("primitives", self.primitives), ("planes", self.coming)):
                self.offer(ctx, name, queue)
            for name in ("coverage", "tiles", "scoreboard"):
                ctx.set(getattr(dut, name).ready, rng.random() >= self.pause)
            self.qpu(ctx)
            moved = self.look(ctx)
            await ctx.tick()
            self.clocks += 1
            waited = 0 if moved else waited + 1
            assert waited < PATIENCE, (self.log[-1:], len(self.log), wanted, self.items[:1])
        for name in ("items", "primitives", "planes"):
            ctx.set(getattr(dut, name).valid, 0)

    def qpu(self, ctx):
        """Somebody may take a program; somebody may be done."""
        dut, rng = self.dut, self.rng
        done = 0
        for key, thread in list(self.threads.items()):
            if thread.left is None and len(thread.quads) == 4 and thread.scored and thread.scored[-1][1]:
                thread.left = rng.randrange(self.longest)
            elif thread.left == 0:
                done |= 1 << key
                self.finish(key, thread)
            elif thread.left is not None:
                thread.left -= 1
        ctx.set(dut.done, done)
        free = [key for key in range(2 * self.qpus) if key not in self.threads and not done >> key & 1]
        taker = rng.choice(free) if free and rng.random() >= self.slow else None
        if self.longest_stall < self.wanted_stall:
            taker = None
        ctx.set(dut.programs.ready, taker is not None)
        ctx.set(dut.starts, 0)
        if taker is not None:
            qpu, place = divmod(taker, 2)
            ctx.set(dut.starts, 1 << qpu)
            ctx.set(dut.places, (rng.getrandbits(self.qpus) & ~(1 << qpu)) | place << qpu)
        self.next = taker

    def finish(self, key, thread):
        """Everything of a vector, with what its slots have now."""
        del self.threads[key]
        quads = thread.quads
        slots = []
        for quad in quads:
            slot = self.slots[quad.slot]
            planes = [self.planes[(slot.base + n) % PLANES] for n in range(slot.count)]
            slots.append((slot.x, slot.y, tuple(word for plane in planes for word in plane)))
        real = sum(quad.real for quad in quads)
        assert [quad.real for quad in quads] == [1] * real + [0] * (4 - real)
        assert [quad.quad for quad in quads] == [0, 1, 2, 3]
        assert all(quad.thread == key % 2 for quad in quads)
        places = [(quad.place.x, quad.place.y, quad.place.buffer) for quad in quads[:real]]
        assert thread.scored == [(n == 0, n == real - 1, place) for n, place in enumerate(places)]
        pixels = {
            "x": tuple(quad.x + n % 2 for quad in quads for n in range(4)),
            "y": tuple(quad.y + n // 2 for quad in quads for n in range(4)),
            "flags": tuple(flags for quad in quads for flags in quad.flags),
            "reverse": tuple(quad.reverse for quad in quads for _ in range(4)),
            "z": tuple(z for quad in quads for z in quad.z),
            "w": tuple(w for quad in quads for w in quad.w),
        }
        modes = {(quad.modes.test.value, quad.modes.updates, quad.modes.clears, quad.modes.as_mask) for quad in quads}
        assert len(modes) == 1
        assert all(buffer == self.buffer for *_, buffer in places)
        corner = quads[0].x - 2 * places[0][0], quads[0].y - 2 * places[0][1]
        self.log[thread.index] = ("vector", thread.program, modes.pop(), real, pixels, slots, corner)

    def look(self, ctx):
        """What has happened in this clock; returns whether anything has."""
        dut, moved = self.dut, False
        for name, queue in (("items", self.items), ("primitives", self.primitives), ("planes", self.coming)):
            ready = ctx.get(getattr(dut, name).ready)
            if name == "planes":
                self.stall = 0 if ready else self.stall + self.offered[name]
                self.longest_stall = max(self.longest_stall, self.stall)
            if self.offered[name] and ready:
                moved, self.offered[name] = True, False
                item = queue.pop(0)
                if name == "primitives":
                    self.coming += item[1]
        if self.next is not None and ctx.get(dut.programs.valid):
            program, moved = ctx.get(dut.programs.payload), True
            assert (program.length, program.fragments) == (0, 1)
            self.threads[self.next] = Thread(len(self.log), (program.pc, program.uniforms, program.threaded))
            self.log.append(None)
        stb = ctx.get(dut.quad_stb)
        if stb:
            moved = True
            self.first = self.clocks if self.first is None else self.first
            self.final = self.clocks
            quad = ctx.get(dut.quad)
            self.threads[2 * (stb.bit_length() - 1) + quad.thread].quads.append(quad)
        if ctx.get(dut.scoreboard.valid) and ctx.get(dut.scoreboard.ready):
            moved, quad = True, ctx.get(dut.scoreboard.payload)
            place = quad.place.x, quad.place.y, quad.place.buffer
            self.threads[quad.thread].scored.append((quad.first, quad.last, place))
        if ctx.get(dut.slot_write_stb):
            self.slots[ctx.get(dut.slot)] = ctx.get(dut.slot_write)
        if ctx.get(dut.plane_write_stb):
            write, moved = ctx.get(dut.plane_write), True
            self.planes[write.number] = (write.plane.a, write.plane.b, write.plane.c)
        events = ctx.get(dut.events)
        self.counts = [count + events[name] for count, name in zip(self.counts, EVENTS, strict=True)]
        return self.look_at_tile(ctx) or moved

    def look_at_tile(self, ctx):
        dut = self.dut
        if ctx.get(dut.coverage.valid) and ctx.get(dut.coverage.ready):
            quad = ctx.get(dut.coverage.payload)
            assert not self.threads
            assert quad.place.buffer == self.buffer
            where = quad.place.x, quad.place.y, tuple(quad.covered)
            self.log.append(("coverage", *where, quad.oversample, quad.update, bool(quad.falls)))
            return True
        if ctx.get(dut.tiles.valid):
            assert not self.threads
            if ctx.get(dut.tiles.ready):
                self.take_tile(ctx, ctx.get(dut.tiles.payload))
                return True
        return False

    def take_tile(self, ctx, item):
        self.log.append(("tile", item.code, item.payload))
        if item.code == ControlCode.TILE_RENDERING_MODE_CONFIGURATION:
            fields = packing(TileRenderingModeConfiguration).unpack(item.payload)
            self.form = {
                "multisample": fields.multisample_mode,
                "wide": fields.tile_buffer_64_bit_color_depth,
                "double": fields.double_buffer_in_non_ms_mode,
            }
        self.changed = True
        self.buffer = self.rng.randrange(2)


def compare(found, wanted):
    for number, (got, want) in enumerate(zip(found, wanted, strict=False)):
        assert got == want, number
    assert len(found) == len(wanted)


def some_sequence(rng, frames):
    """Tiles of a few primitives, with any state between them."""
    sequence = Sequence()
    for _ in range(frames):
        if rng.random() < 0.8:
            sequence.configure(rng)
        coverage, most = rng.choice((0, 0.3)), rng.choice((0, 2, 8, 32))
        for _ in range(rng.randrange(1, 3)):
            sequence.begin_tile(rng)
            sequence.program(rng)
            varyings = rng.randrange(most + 1)
            for _ in range(rng.randrange(12)):
                what = rng.random()
                if what < 0.15:
                    sequence.state(rng, coverage)
                elif what < 0.25:
                    sequence.program(rng)
                    varyings = rng.randrange(most + 1)
                elif what < 0.3:
                    code = rng.choice((ControlCode.CLEAR_COLORS, ControlCode.LOAD_TILE_BUFFER_GENERAL))
                    sequence.add(*some_record(rng, code))
                else:
                    count = rng.choice((1, 1, 1, 1, 2, 3))
                    sequence.draw(*(sequence.some_piece(rng, varyings, rng.choice((3, 6, 16))) for _ in range(count)))
            sequence.add(*some_record(rng, ControlCode.STORE_TILE_BUFFER_GENERAL))
    sequence.model.flush()
    return sequence


@pytest.mark.parametrize(
    ("qpus", "lanes"), [(2, 1), pytest.param(3, 4, marks=pytest.mark.thorough)], ids=["one lane", "four lanes"]
)
@pytest.mark.parametrize(
    "seeds",
    [
        range(1),
        pytest.param(range(1, 4), marks=pytest.mark.thorough),
        pytest.param(range(4, 60), marks=pytest.mark.slow),
    ],
    ids=["some", "more", "many"],
)
def test_everything_of_the_model(seeds, qpus, lanes):
    for seed in seeds:
        print(f"seed {seed}")
        rng = random.Random(seed)
        sequence = some_sequence(rng, 3)
        wanted = sequence.model.log
        rig = Rig(
            sequence,
            qpus,
            lanes,
            rng,
            gap=rng.choice((0, 0.5)),
            pause=rng.choice((0, 0.3)),
            slow=rng.choice((0, 0.9)),
            longest=rng.choice((1, 40, 200)),
        )
        compare(rig.run(len(wanted)), wanted)
        assert rig.counts == sequence.model.counts


@pytest.mark.parametrize("varyings", [pytest.param(0, id="slots"), pytest.param(32, id="ring")])
def test_room_for_planes_runs_out(varyings):
    """Each primitive has a quad, and no QPU takes any until planes have waited for long."""
    rng = random.Random(3)
    sequence = Sequence()
    sequence.begin_tile(rng)
    sequence.program(rng)
    for _ in range(24):
        x, y = (at + rng.randrange(32) | 1 for at in (sequence.model.tile.x, sequence.model.tile.y))
        sequence.draw(set_up_point(vertex(PIXEL * x, PIXEL * y, varyings=[1.0] * varyings), bits(2.0)))
    sequence.model.flush()
    sequence.add(*some_record(rng, ControlCode.STORE_TILE_BUFFER_GENERAL))
    wanted = sequence.model.log
    rig = Rig(sequence, 2, 1, rng, stall=150)
    compare(rig.run(len(wanted)), wanted)


@pytest.mark.thorough
def test_a_slot_is_kept_by_the_open_vector():
    """A quad that stays alone for long; those after it have no pixel."""
    sequence = Sequence()
    rng = random.Random(4)
    sequence.begin_tile(rng)
    sequence.program(rng)
    x, y = sequence.model.tile.x, sequence.model.tile.y

    def triangle(left, low):
        corners = ((left, low), (left + 4, low), (left, low + 4))
        places = [vertex(PIXEL * x + a, PIXEL * y + b, varyings=[1.0] * 32) for a, b in corners]
        return set_up_triangle(places, BOTH)

    sequence.draw(triangle(6, 6))
    for _ in range(3 * PLANE_SLOTS):
        sequence.draw(triangle(0, 0))
    for _ in range(9):
        sequence.draw(triangle(6, 38))
    sequence.add(*some_record(rng, ControlCode.STORE_TILE_BUFFER_GENERAL))
    wanted = sequence.model.log
    rig = Rig(sequence, 2, 1, rng)
    compare(rig.run(len(wanted)), wanted)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("lanes", "clocks"),
    [pytest.param(4, 255, id="four lanes"), pytest.param(1, 1011, id="one lane")],
)
def test_clocks(lanes, clocks):
    """From the first to the last of 256 quads, with QPUs that are always ready."""
    sequence = Sequence()
    rng = random.Random(5)
    sequence.add(*some_record(rng, ControlCode.TILE_COORDINATES, tile_column_number=0, tile_row_number=0))
    sequence.add(*record(ControlCode.CLIP_WINDOW, 32 << 32 | 32 << 48))
    sequence.program(rng)
    corners = ((0, 0), (128, 0), (0, 128))
    sequence.draw(set_up_triangle([vertex(PIXEL * x, PIXEL * y) for x, y in corners], BOTH))
    sequence.model.flush()
    sequence.add(*some_record(rng, ControlCode.STORE_TILE_BUFFER_GENERAL))
    wanted = sequence.model.log
    rig = Rig(sequence, 3 if lanes == 4 else 2, lanes, rng, longest=1)
    compare(rig.run(len(wanted)), wanted)
    assert rig.final - rig.first == clocks


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("lanes", "clocks"), [pytest.param(4, 584, id="four lanes"), pytest.param(1, 1_034, id="one lane")]
)
def test_clocks_of_small_triangles(lanes, clocks):
    """Twenty of ten quads."""
    sequence = Sequence()
    rng = random.Random(6)
    sequence.add(*some_record(rng, ControlCode.TILE_COORDINATES, tile_column_number=0, tile_row_number=0))
    sequence.program(rng)
    corners = ((0, 0), (8, 0), (0, 8))
    for _ in range(20):
        sequence.draw(set_up_triangle([vertex(PIXEL * x, PIXEL * y) for x, y in corners], BOTH))
    sequence.model.flush()
    sequence.add(*some_record(rng, ControlCode.STORE_TILE_BUFFER_GENERAL))
    wanted = sequence.model.log
    rig = Rig(sequence, 3 if lanes == 4 else 2, lanes, rng, longest=1)
    compare(rig.run(len(wanted)), wanted)
    assert rig.final - rig.first == clocks
