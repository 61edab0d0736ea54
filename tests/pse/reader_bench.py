"""Runs the reader of primitives, alone or with the set-up, with a VPM and a memory."""

import random
from collections import deque

from amaranth.hdl import Module, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.pse.primitive_reader import PrimitiveReader
from vc4.pse.pse import Pse
from vc4.pse.structs import DrawItem, PlaneCoefficients, SetUpPrimitive
from vc4.vcm.structs import VcmItem
from vc4.vpm.structs import QuadAddress, Words

from .items import BASE, SIZE

__all__ = ["ReaderAndPse", "run"]

PATIENCE = 3000


class ReaderAndPse(wiring.Component):
    """Both together."""

    i: In(stream.Signature(VcmItem))
    reads: Out(stream.Signature(QuadAddress))
    quad: In(Words)
    items: Out(stream.Signature(DrawItem))
    o: Out(stream.Signature(SetUpPrimitive))
    planes: Out(stream.Signature(PlaneCoefficients))
    busy: Out(1)
    fetching: Out(1)
    failed: Out(1)
    port: Out(MemoryPort(word_bytes=BUS_BYTES))

    def elaborate(self, platform):
        m = Module()
        m.submodules.reader = reader = PrimitiveReader()
        m.submodules.pse = pse = Pse()
        for name in ("i", "reads", "items", "port"):
            connect(m, flipped(getattr(self, name)), getattr(reader, name))
        connect(m, reader.requests, pse.i)
        connect(m, reader.words, pse.words)
        connect(m, pse.o, flipped(self.o))
        connect(m, pse.planes, flipped(self.planes))
        m.d.comb += [
            reader.quad.eq(self.quad),
            *(reader.piece.eq(pse.piece), reader.piece_stb.eq(pse.piece_stb)),
            *(self.busy.eq(reader.busy), self.fetching.eq(reader.fetching), self.failed.eq(reader.failed)),
        ]
        return m


class _Vpm:
    """Gives quads of the batch of the item that is there, and nothing of others."""

    def __init__(self, ctx, dut, rng, pause):
        self.ctx, self.dut, self.rng, self.pause = ctx, dut, rng, pause
        self.waits = False

    def before(self, columns):
        """In front of the clock; returns whether a quad moves. `columns`: of the batch, by number."""
        ctx, dut = self.ctx, self.dut
        ctx.set(dut.reads.ready, self.rng.random() >= self.pause)
        if not ctx.get(dut.reads.valid):
            assert not self.waits, "a read was taken back"
            self.next = None
            return False
        address = ctx.get(dut.reads.payload)
        self.waits = not ctx.get(dut.reads.ready)
        assert address.vertical
        assert columns, "rows are read that have been given back"
        first, words = columns[address.column]
        offset = address.row - first
        assert 0 <= offset < len(words)
        self.next = [words[offset + n] if offset + n < len(words) else self.rng.getrandbits(32) for n in range(4)]
        if self.waits:
            self.next = None
        return not self.waits

    def after(self):
        """The quad, or anything."""
        self.ctx.set(self.dut.quad, self.next or [self.rng.getrandbits(32) for _ in range(4)])


class _Bus:
    """Answers reads of words in their order."""

    def __init__(self, ctx, dut, rng, pause, memory):
        self.ctx, self.port, self.rng, self.pause, self.memory = ctx, dut.port, rng, pause, memory
        self.asked, self.offered = deque(), False

    def before(self):
        ctx, port = self.ctx, self.port
        ctx.set(port.requests.ready, self.rng.random() >= self.pause)
        self.offered = self.offered or (bool(self.asked) and self.rng.random() >= self.pause)
        ctx.set(port.responses.valid, self.offered)
        if self.offered:
            offset = self.asked[0] - BASE
            inside = 0 <= offset <= SIZE - BUS_BYTES
            word = int.from_bytes(bytes(self.memory.data[offset : offset + BUS_BYTES]), "little") if inside else 0
            ctx.set(port.responses.payload, {"data": word, "last": 1, "error": not inside})
        self.takes = self.offered and ctx.get(port.responses.ready)
        self.asks = None
        if ctx.get(port.requests.valid) and ctx.get(port.requests.ready):
            request = ctx.get(port.requests.payload)
            assert not request.write
            assert not request.beats
            self.asks = request.address
        return self.takes or self.asks is not None

    def after(self):
        if self.takes:
            self.asked.popleft()
            self.offered = False
        if self.asks is not None:
            self.asked.append(self.asks)


def run(rig, dut, items, outputs, *, seed=1, gap=0.0, pause=0.0, each_clock=None, rests=40):
    """All of an `ItemList`; `outputs` are streams, whose items come back, each with its clock. It is over when nothing has moved
    for some clocks.

    each_clock : is called in each, and returns what is called after it
    """
    rng = random.Random(seed)
    found = [[] for _ in outputs]

    async def bench(ctx):
        vpm = _Vpm(ctx, dut, rng, pause)
        bus = _Bus(ctx, dut, rng, pause, items.memory)
        left = deque(zip(items.items, _batches(items), strict=True))
        offered, clock, waited = False, 0, 0
        while waited < rests or left:
            offered = bool(left) and (offered or rng.random() >= gap)
            if offered:
                ctx.set(dut.i.payload, left[0][0])
            ctx.set(dut.i.valid, offered)
            for port in outputs:
                ctx.set(port.ready, rng.random() >= pause)
            done = each_clock(ctx, clock) if each_clock else None
            moves = vpm.before(left[0][1] if offered else None)
            moves |= bus.before()
            given = []
            for port, into in zip(outputs, found, strict=True):
                if ctx.get(port.valid) and ctx.get(port.ready):
                    given.append((into, ctx.get(port.payload)))
            takes = offered and ctx.get(dut.i.ready)
            await ctx.tick()
            vpm.after()
            bus.after()
            if done:
                done()
            for into, value in given:
                into.append((value, clock))
            if takes:
                left.popleft()
                offered = False
            clock += 1
            waited = 0 if moves or given or takes or ctx.get(dut.busy) else waited + 1
            assert clock < PATIENCE * (1 + len(items.items))
        ctx.set(dut.i.valid, 0)

    rig.run(bench)
    return found


def _batches(items):
    """What of the VPM is there for each item."""
    primitives = iter(items.primitives)
    for item in items.items:
        own = next(primitives) if "primitive" in item["body"] else None
        if own is None or own.batch is None:
            yield None
        else:
            yield [items.vpm[own.batch, column] for column in range(16)]


def same_item(payload, found):
    """Whether a `DrawItem` is this payload of a `VcmItem`; of a primitive nothing else is said."""
    if found.kind != payload["kind"]:
        return False
    if "primitive" in payload["body"]:
        return True
    wanted = VcmItem.const(payload)
    return Value.cast(found.body).value == Value.cast(wanted.body).value
