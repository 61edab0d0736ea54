"""`TileLists` and the model side by side: the same items, each with a memory, and what differs."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from vc4.cle.structs import PAYLOAD_BITS
from vc4.ptb.structs import CLIPPED_WORDS, TileKind
from vc4.ptb.tile_lists import TileLists
from vc4.records.control import RECORDS, ControlCode, Role
from vc4.records.shaders import CLIPPED_VERTEX_BYTES
from vc4sim.model.cle.control_records import ControlRecord
from vc4sim.model.cle.fields import Fields, packing
from vc4sim.model.cle.primitives import Primitive, format_of
from vc4sim.model.memory import Memory, MemoryFault
from vc4sim.model.ptb.ptb import Ptb

from ..simulation import simulation_of

__all__ = ["BASE", "SIZE", "Drop", "Host", "Lists", "Placed", "record"]

BASE, SIZE = 0x2F00_0000, 0x40_0000
PATIENCE = 1000
WORD = 8


@dataclass
class Placed:
    """A primitive, the tiles that it touches, and the data of vertices that clipping has made."""

    primitive: Primitive
    tiles: tuple[int, ...]
    made: int = 0
    data: bytes = b""


@dataclass
class Drop:
    """A primitive that touches no tile."""

    made: int


@dataclass
class Host:
    """Overspill that is given when everything before is done."""

    address: int
    size: int


def record(code, **values):
    """A record with these fields; others are 0."""
    kind = RECORDS[code.value]
    return ControlRecord(0, kind, packing(kind.layout).unpack(_bits(kind, values)) if kind.layout else Fields())


def _bits(kind, values):
    return packing(kind.layout).pack(**values) if kind.layout else 0


@dataclass
class Burst:
    address: int
    left: int
    tag: int
    writes: bool
    age: int = 0
    words: list = field(default_factory=list)


class PortMemory:
    """Memory as a `MemoryPort` shows it. What is written is there when that is answered, and not earlier."""

    def __init__(self, rng, image, latency, gap):
        self.rng, self.latency, self.gap = rng, latency, gap
        self.bytes = bytearray(image)
        self.waiting, self.unanswered = deque(), (deque(), deque())
        self.offered = None
        self.requests = self.words = 0

    def chance(self):
        return self.gap and self.rng.random() < self.gap

    def drive(self, ctx, port):
        ctx.set(port.requests.ready, not self.chance())
        self.takes_word = bool(self.waiting) and not self.chance()
        ctx.set(port.writes.ready, self.takes_word)
        if self.offered is None and not self.chance():
            ripe = [queue for queue in self.unanswered if queue and queue[0].age >= self.latency]
            if ripe:
                self._answer(ctx, port, self.rng.choice(ripe))
        ctx.set(port.responses.valid, self.offered is not None)

    def _answer(self, ctx, port, queue):
        burst = queue[0]
        offset = burst.address - BASE
        if burst.writes:
            if burst.left or len(burst.words) != burst.total:
                return
            payload = {"tag": burst.tag, "last": 1, "data": self.rng.getrandbits(64)}
            payload["error"] = 0
        else:
            data = int.from_bytes(self.bytes[offset : offset + WORD], "little")
            payload = {"tag": burst.tag, "last": not burst.left, "data": data, "error": not 0 <= offset < SIZE}
        if burst.writes:
            for number, (data, strobes) in enumerate(burst.words):
                payload["error"] |= not 0 <= offset + WORD * number < SIZE
                for byte in range(WORD):
                    at = offset + WORD * number + byte
                    if strobes >> byte & 1 and 0 <= at < SIZE:
                        self.bytes[at] = data >> 8 * byte & 255
        self.offered = queue
        ctx.set(port.responses.payload, payload)

    def observe(self, ctx, port):
        before = self.requests, self.words
        for queue in self.unanswered:
            for burst in queue:
                burst.age += 1
        request, word = port.requests, port.writes
        if ctx.get(request.valid) and ctx.get(request.ready):
            self._take(ctx.get(request.payload))
        if self.takes_word and ctx.get(word.valid):
            self._take_word(ctx.get(word.payload))
        self.moved = (self.requests, self.words) != before
        if self.offered is not None and ctx.get(port.responses.ready):
            burst = self.offered[0]
            if burst.writes or not burst.left:
                self.offered.popleft()
            else:
                burst.left -= 1
                burst.address += WORD
            self.offered = None

    def _take(self, request):
        burst = Burst(request.address, request.beats, request.tag, bool(request.write))
        burst.total = burst.left + 1
        assert burst.address % WORD == 0
        assert burst.address % 4096 + WORD * burst.total <= 4096
        self.unanswered[burst.tag].append(burst)
        self.requests += 1
        if burst.writes:
            self.waiting.append(burst)

    def _take_word(self, word):
        burst = self.waiting[0]
        assert word.strobes
        burst.words.append((word.data, word.strobes))
        assert word.last == (burst.left == 0)
        self.words += 1
        if burst.left:
            burst.left -= 1
        else:
            burst.age = 0
            self.waiting.popleft()

    @property
    def quiet(self):
        return not any(self.unanswered) and self.offered is None


class Lists:
    """The hardware and the model; `run` goes on where the one before has ended only in the model and in memory."""

    failed = False
    spills = waits = 0

    def __init__(self, rng, image=None, *, latency=2, gap=0.0, pause=0.0):
        self.rng, self.latency, self.gap, self.pause = rng, latency, gap, pause
        self.image = image if image is not None else rng.randbytes(SIZE)
        self.clocks = []

    def expect(self, items, overspill):
        """What the model makes of items: memory after each flush, overspills that were taken, and an error."""
        memory = Memory(SIZE, BASE, self.image)
        ptb, snapshots, spare, waited = Ptb(memory), [], list(overspill), 0
        failed = False

        def carry_out(work):
            nonlocal waited
            for waits in work:
                if waits:
                    waited += 1
                    ptb.memory.overspill_address, ptb.memory.overspill_size = spare.pop(0)

        try:
            for item in items:
                match item:
                    case Placed(primitive, tiles, made, data):
                        carry_out(ptb.enter(primitive, tiles, made, data))
                    case Host(address, size):
                        ptb.memory.overspill_address, ptb.memory.overspill_size = address, size
                    case ControlRecord():
                        self._record(ptb, item, carry_out, snapshots, memory)
        except MemoryFault:
            failed = True
        snapshots.append(bytes(memory.data))
        registers = ptb.memory.pool_address, ptb.memory.pool_size, ptb.memory.overspill_size
        return snapshots, failed, registers, waited

    @staticmethod
    def _record(ptb, item, carry_out, snapshots, memory):
        role = item.kind.role
        if role is Role.CONFIGURATION:
            ptb.configure(item.fields)
        elif item.code is ControlCode.START_TILE_BINNING:
            ptb.start()
        elif item.code in (ControlCode.FLUSH, ControlCode.FLUSH_ALL_STATE):
            carry_out(ptb.flush(all_state=item.code is ControlCode.FLUSH_ALL_STATE))
            snapshots.append(bytes(memory.data))
        elif role is Role.FORMAT or (role.is_list and role is not Role.COMPRESSED_LIST):
            ptb.form = format_of(item)
        elif not role.is_list:
            ptb.state(item)

    def payloads(self, items):
        """What goes into the hardware for each item, and the words beside."""
        rng, payloads, words = self.rng, [], []
        for item in items:
            match item:
                case Placed(primitive, tiles, made, data):
                    vertices = [*primitive.vertices, *(rng.getrandbits(32) for _ in range(3))][:3]
                    body = {
                        "type": primitive.type,
                        "coordinates": primitive.coordinates,
                        "vertices": vertices,
                        "made": made,
                    }
                    payloads.append({"kind": TileKind.PRIMITIVE, "body": {"primitive": body}})
                    payloads += [{"kind": TileKind.TILE, "body": {"tile": tile}} for tile in tiles]
                    for start in range(0, len(data), CLIPPED_VERTEX_BYTES):
                        vertex = data[start : start + 4 * CLIPPED_WORDS]
                        words += [int.from_bytes(vertex[n : n + 4], "little") for n in range(0, len(vertex), 4)]
                case Drop(made):
                    payloads.append({"kind": TileKind.DROP, "body": {"primitive": {"made": made}}})
                    words += [rng.getrandbits(32) for _ in range(CLIPPED_WORDS * made.bit_count())]
                case Host():
                    payloads.append(item)
                case ControlRecord():
                    bits = _bits(item.kind, vars(item.fields)) if item.kind.layout else 0
                    bits |= rng.getrandbits(PAYLOAD_BITS) << 8 * (item.kind.length - 1)
                    body = {"code": item.code, "payload": bits % (1 << PAYLOAD_BITS)}
                    payloads.append({"kind": TileKind.RECORD, "body": {"record": body}})
        return payloads, words

    def run(self, items, overspill=()):
        """Both, and compares; the clock in which each item was taken."""
        snapshots, fails, registers, _ = self.expect(items, overspill)
        payloads, words = self.payloads(items)
        rig, dut = simulation_of(TileLists)
        memory = PortMemory(self.rng, self.image, self.latency, self.gap)
        taken, flushes, spills, waits = [], [], [], []
        spare = list(overspill)

        async def bench(ctx):
            rng, offered, word_offered, clock, still = self.rng, False, False, 0, 0
            number, word_number, patience_host, address, size = 0, 0, 0, 0, None
            ctx.set(dut.words.valid, 0)
            ctx.set(dut.i.valid, 0)
            while True:
                stb = False
                if number < len(payloads) and isinstance(payloads[number], Host):
                    if not offered and not ctx.get(dut.busy):
                        give = payloads[number]
                        stb, number = (give.address, give.size), number + 1
                elif not offered and number < len(payloads) and rng.random() >= self.pause:
                    offered = True
                    ctx.set(dut.i.payload, payloads[number])
                if ctx.get(dut.out_of_memory) and not stb:
                    waits.append(clock)
                    patience_host -= 1
                    if patience_host < 0 and size is not None:
                        stb, patience_host, size = (address, size), rng.choice((3, 5, 30)), None
                    elif patience_host < 0 and spare:
                        # The address is written some clocks before the size.
                        (address, size), patience_host = spare.pop(0), rng.choice((0, 1, 5))
                        ctx.set(dut.overspill_address, address)
                if stb:
                    ctx.set(dut.overspill_address, stb[0])
                    ctx.set(dut.overspill_size, stb[1])
                ctx.set(dut.overspill_size_stb, bool(stb))
                ctx.set(dut.i.valid, offered)
                if not word_offered and word_number < len(words) and rng.random() >= self.pause:
                    word_offered = True
                    ctx.set(dut.words.payload, words[word_number])
                ctx.set(dut.words.valid, word_offered)
                memory.drive(ctx, dut.port)
                takes = offered and ctx.get(dut.i.ready)
                takes_word = word_offered and ctx.get(dut.words.ready)
                memory.observe(ctx, dut.port)
                assert ctx.get(dut.owes) or memory.quiet
                spills.append(ctx.get(dut.raises_spill_use))
                if ctx.get(dut.flushed):
                    assert memory.quiet
                    flushes.append(clock)
                    assert_same(memory.bytes, snapshots[len(flushes) - 1])
                await ctx.tick()
                clock += 1
                still = 0 if takes or stb or memory.moved else still + 1
                if takes:
                    taken.append(clock)
                    number, offered = number + 1, False
                if takes_word:
                    word_number, word_offered = word_number + 1, False
                if number == len(payloads) and not ctx.get(dut.busy):
                    break
                if fails and ctx.get(dut.failed) and still > 100:
                    break
                assert not ctx.get(dut.failed) or fails
                assert still < PATIENCE, f"item {number} of {len(payloads)}: {payloads[number]}"
            assert ctx.get(dut.failed) == fails
            self.clocks, self.failed = taken, fails
            self.memory = memory
            if fails:
                before, after = self.image, snapshots[-1]
                found, old, new = (np.frombuffer(bytes(data), np.uint8) for data in (memory.bytes, before, after))
                assert ((found == old) | (found == new)).all()
                return
            assert word_number == len(words)
            assert len(flushes) == len(snapshots) - 1
            assert (ctx.get(dut.pool_address), ctx.get(dut.pool_size), ctx.get(dut.overspill_left)) == registers
            assert not spare

        rig.run(bench)
        self.spills, self.waits = sum(spills), len(waits)
        return taken


def assert_same(found, wanted):
    """The first difference says more than all of memory."""
    if bytes(found) == wanted:
        return
    at = next(place for place in range(SIZE) if found[place] != wanted[place])
    first = at // 16 * 16
    pieces = [f"{BASE + at:#x}"]
    pieces += [bytes(data[first - 16 : first + 48]).hex(" ", 8) for data in (found, wanted)]
    raise AssertionError("\n".join(pieces))
