"""`Tlb`: programs of two QPUs draw, coverage accumulates, and a store waits for both before it begins."""

import random

from vc4.records.control import RECORDS, ControlCode
from vc4.records.state import CoverageUpdate, Oversample
from vc4.records.tile_buffer import FrameColorFormat, TileBuffer
from vc4.tlb import Tlb
from vc4.tlb.port import TlbCommand
from vc4sim.model.cle.fields import packing

from ..simulation import simulation_of
from .streams import exchange
from .test_requests import request

QPUS = 2
WIDTH, HEIGHT = 8, 2
ADDRESS, Z_ADDRESS = 0x1000, 0x2000
PATIENCE = 5000


def item(code, **fields):
    layout = RECORDS[code.value].layout
    return {"code": code, "payload": packing(layout).pack(**fields) if layout else 0}


CONFIGURATION = item(
    ControlCode.TILE_RENDERING_MODE_CONFIGURATION,
    memory_address=ADDRESS,
    width=WIDTH,
    height=HEIGHT,
    multisample_mode=1,  # a tile has a quarter of the pixels
    frame_buffer_color_format=FrameColorFormat.RGBA8888,
)
TILE = item(ControlCode.TILE_COORDINATES)
KEEP = {f"disable_{part}_buffer_clear": 1 for part in ("color", "z_stencil", "vg_mask")}
Z_STORE = item(
    ControlCode.STORE_TILE_BUFFER_GENERAL, buffer_to_store=TileBuffer.Z_STENCIL, frame_address=Z_ADDRESS, **KEEP
)
LAST_STORE = item(ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME)


class Bench:
    """Memory and programs around the tile buffer."""

    def __init__(self):
        self.memory, self.finished = {}, 0
        self.rig, self.dut = simulation_of(Tlb, QPUS)

    async def watch(self, ctx):
        """Memory, which takes what is written."""
        port, answers, bursts, words = self.dut.port, 0, [], []
        for stream in (port.requests, port.writes):
            ctx.set(stream.ready, 1)
        ctx.set(port.responses.payload.last, 1)
        async for *_, asked, asks, word, comes, answered, finished in ctx.tick().sample(
            *(port.requests.payload, port.requests.valid, port.writes.payload, port.writes.valid),
            *(port.responses.valid & port.responses.ready, self.dut.finished),
        ):
            self.finished += finished
            if asks:
                assert asked.write
                bursts.append(asked.address)
            if comes:
                words.append(word)
            # They may come in front of their request.
            while words and bursts:
                one = words.pop(0)
                for lane in range(8):
                    if one.strobes >> lane & 1:
                        self.memory[bursts[0] + lane] = one.data >> 8 * lane & 0xFF
                bursts[0] += 8
                if one.last:
                    bursts.pop(0)
                    answers += 1
            answers -= answered
            ctx.set(port.responses.valid, answers > 0)

    def words(self, address):
        """Of the frame, row after row."""
        places = range(address, address + 4 * WIDTH * HEIGHT, 4)
        return [sum(self.memory[place + lane] << 8 * lane for lane in range(4)) for place in places]

    async def give(self, ctx, stream, *items):
        await exchange(ctx, random.Random(1), [(stream, list(items), lambda _: None)], [])

    async def program(self, ctx, qpu, quads, z, colour):
        """Waits for its turn, tests, and draws what passes."""
        port = self.dut.ports[qpu]
        while ctx.get(port.waits[0]):
            await ctx.tick()
        for place in quads:
            answers = []
            feeds = [(port.requests, [request(TlbCommand.DEPTH, place, data=[z] * 4, test=1)], lambda _: None)]
            drains = [(port.answers, answers.append, lambda found=answers: 1 - len(found))]
            await exchange(ctx, random.Random(1), feeds, drains)
            draw = request(TlbCommand.COLOUR, place, flags=list(answers[0].flags), data=[colour] * 4)
            await self.give(ctx, port.requests, draw)
        ctx.set(port.done, 1)
        await ctx.tick()
        ctx.set(port.done, 0)


def test_a_frame():
    """The second program is ready first, but the first one's vector was there before."""
    bench = Bench()
    dut = bench.dut
    both, left = {"x": 1, "y": 0}, {"x": 0, "y": 0}
    vectors = [
        {"thread": 0, "place": left, "first": 1, "last": 0},
        {"thread": 0, "place": both, "first": 0, "last": 1},
        {"thread": 2, "place": both, "first": 1, "last": 1},
    ]
    state = {"given": False, "drawn": 0}
    clear = item(ControlCode.CLEAR_COLORS, clear_color_0=5, clear_color_1=6, clear_zs=1000, clear_stencil=7)

    async def control(ctx):
        await bench.give(ctx, dut.records, CONFIGURATION, clear, item(ControlCode.STORE_TILE_BUFFER_GENERAL), TILE)
        await bench.give(ctx, dut.quads, *vectors)
        state["given"] = True
        clocks = 0
        for one in Z_STORE, LAST_STORE:
            ctx.set(dut.records.payload, one)
            ctx.set(dut.records.valid, 1)
            while not ctx.get(dut.records.ready):
                assert state["drawn"] == 2 or not bench.memory
                await ctx.tick()
                clocks += 1
                assert clocks < 2 * PATIENCE
            await ctx.tick()
            ctx.set(dut.records.valid, 0)
        await ctx.tick()
        await ctx.tick()
        assert not ctx.get(dut.busy)

    async def draw(ctx, qpu, quads, z, colour, pause):
        while not state["given"]:
            await ctx.tick()
        for _ in range(pause):
            await ctx.tick()
        await bench.program(ctx, qpu, quads, z, colour)
        state["drawn"] += 1

    bench.rig.run(
        control,
        lambda ctx: draw(ctx, 0, [left, both], 900, 0x11, 100),
        lambda ctx: draw(ctx, 1, [both], 800, 0x22, 0),
        background=[bench.watch],
    )
    row = [0x11] * 2 + [0x22] * 2 + [5, 6, 5, 6]
    assert bench.words(ADDRESS) == row * 2
    depth = [900] * 2 + [800] * 2 + [1000] * 4
    assert bench.words(Z_ADDRESS) == [z << 8 | 7 for z in depth] * 2
    assert bench.finished == 1


def test_coverage():
    """Of a quad, which is stored in place of Z."""
    bench = Bench()
    dut = bench.dut
    quad = {"place": {"x": 1, "y": 0}, "covered": [1, 0, 1, 1], "oversample": Oversample.NONE}
    quad |= {"update": CoverageUpdate.NONZERO, "falls": 0}

    async def control(ctx):
        await bench.give(ctx, dut.records, CONFIGURATION, item(ControlCode.CLEAR_COLORS))
        await bench.give(ctx, dut.records, item(ControlCode.STORE_TILE_BUFFER_GENERAL), TILE)
        await bench.give(ctx, dut.coverage, quad)
        ctx.set(dut.records.payload, Z_STORE)
        ctx.set(dut.records.valid, 1)
        while not ctx.get(dut.records.ready):
            await ctx.tick()
        await ctx.tick()
        ctx.set(dut.records.valid, 0)

    bench.rig.run(control, background=[bench.watch])
    all_ = 0x5555_5555
    assert bench.words(Z_ADDRESS) == [0, 0, all_, 0, 0, 0, 0, 0, 0, 0, all_, all_, 0, 0, 0, 0]
