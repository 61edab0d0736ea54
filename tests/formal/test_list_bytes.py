"""`ListBytes`: a byte that goes in leaves once, with its data, and nothing else does."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib.wiring import In

from vc4.bus.port import BUS_BYTES
from vc4.ptb import list_bytes
from vc4.ptb.list_structs import CHUNK_BYTES, WORD_ADDRESS_BITS, ListChunk

from .proof import Proof

pytestmark = pytest.mark.thorough

_LANE_BITS = (BUS_BYTES - 1).bit_length()
#: Where nothing but the ports is seen, addresses are so near to zero on both of its sides.
_NEAR_BITS = 6
#: Clocks until everything has left that nobody holds up.
_LEAVES = 4


class BytesProof(Proof):
    """Any chunks, and a flush when nothing comes; one byte of memory is followed.

    It may come again, with other data, before or after it has left: if before, both may leave as one.
    """

    def __init__(self, *, unbounded: bool = True):
        self._unbounded = unbounded
        inputs = {"valid": In(1), "chunk": In(ListChunk), "flush": In(1), "ready": In(1), "followed": In(32)}
        super().__init__("bytes", inputs)

    def _sees(self):
        if not self._unbounded:
            return {}
        shapes = {"there": 1, "waiting": 1, "second": 1, "follows": 1, "strobes": BUS_BYTES, "data": 8 * BUS_BYTES}
        names = {"waiting": "waits", "data": "bytes_"}
        shapes |= {"address": WORD_ADDRESS_BITS, "held": ListChunk}
        names |= {"held": "chunk"}
        return {name: (names.get(name, name), shape) for name, shape in shapes.items()}

    def elaborate(self, platform):
        m = Module()
        m.submodules.bytes = dut = list_bytes.ListBytes()
        chunk, word = self.chunk, dut.o.payload
        offset, lane = Signal(32), self.followed[:_LANE_BITS]
        comes, leaves = Signal(), Signal()
        datum, left = Signal(8), Signal(8)
        m.d.comb += [
            *(dut.i.valid.eq(self.valid), dut.i.payload.eq(chunk)),
            *(dut.flush.eq(self.flush), dut.o.ready.eq(self.ready)),
            offset.eq(self.followed - chunk.address),
            comes.eq(self.valid & dut.i.ready & (offset < chunk.count)),
            datum.eq(chunk.data.word_select(offset[:2], 8)),
            leaves.eq(dut.o.valid & (word.address == self.followed[_LANE_BITS:]) & word.strobes.bit_select(lane, 1)),
            left.eq(word.data.word_select(lane, 8)),
        ]
        self._environment(m, dut)
        self._follow(m, dut, comes, datum, leaves, left)
        self._stream(m, dut)
        return m

    def _environment(self, m, dut):
        """What is offered stays; a flush, too, until nothing is there."""
        begun, waits, flushes = Signal(), Signal(), Signal()
        chunk, followed = Signal(ListChunk), Signal.like(self.followed)
        m.d.sync += [
            *(begun.eq(1), followed.eq(self.followed), chunk.eq(self.chunk)),
            *(waits.eq(self.valid & ~dut.i.ready), flushes.eq(self.flush & dut.busy)),
        ]
        m.d.comb += [
            Assume(~begun | (self.followed == followed)),
            Assume((self.chunk.count != 0) & (self.chunk.count <= CHUNK_BYTES)),
            Assume(~waits | (self.valid & (self.chunk.as_value() == chunk.as_value()))),
            Assume(~flushes | self.flush | ~dut.busy),
            Assume(~self.flush | ~self.valid),
        ]

    def _follow(self, m, dut, comes, datum, leaves, left):
        """The byte: how often it has come and not left, with the newest and the one before."""
        owed = Signal(2)
        newest, older, stored = Signal(8), Signal(8), Signal(8)
        known, twice = Signal(), Signal()
        takes = leaves & self.ready
        with m.If(takes):
            m.d.sync += stored.eq(left)
        with m.If(comes):
            m.d.sync += [newest.eq(datum), older.eq(newest), known.eq(1), twice.eq(known)]
        # There is room for two; more of them have become one.
        rest = Signal.like(owed)
        m.d.comb += rest.eq(Mux(dut.busy, owed - takes, 0))
        m.d.sync += owed.eq(rest + (comes & ~rest.all()))
        m.d.comb += [
            Assert(~leaves | (owed != 0), "a byte that nobody has written, or twice"),
            Assert(~leaves | (left == newest) | ((owed > 1) & (left == older)), "another byte"),
            Assert(dut.busy | ~known | (stored == newest), "it has not left"),
            Cover(~dut.busy & twice & (newest != older), "it has come and left, and again"),
            Cover(leaves & (owed == 1) & (dut.o.payload.strobes == 0b0111_1000), "chunks in a word"),
            Cover(leaves & (owed == 2) & (left == newest) & (left != older), "one over the other"),
        ]
        if self._unbounded:
            self._invariants(m, owed, newest, older, known, stored)
        else:
            for address in self.followed, self.chunk.address:
                high = address[_NEAR_BITS - 1 :]
                m.d.comb += Assume(high.all() | ~high.any())

    def _invariants(self, m, owed, newest, older, known, stored):
        """Where the byte is."""
        held, lane = self.held, self.followed[:_LANE_BITS]
        offset = Signal(32)
        last = Signal(32)
        in_chunk, in_word = Signal(), Signal()
        waits, word = Signal(8), Signal(8)
        begins = held.address[_LANE_BITS:]
        m.d.comb += [
            *(offset.eq(self.followed - held.address), last.eq(held.address + held.count - 1)),
            in_chunk.eq(self.waiting & (offset < held.count) & (~self.second | (self.followed[_LANE_BITS:] != begins))),
            in_word.eq(self.there & (self.address == self.followed[_LANE_BITS:]) & self.strobes.bit_select(lane, 1)),
            *(waits.eq(held.data.word_select(offset[:2], 8)), word.eq(self.data.word_select(lane, 8))),
            Assert(owed >= in_chunk + in_word, "it is there more often"),
            Assert(~in_chunk | (waits == newest), "another byte waits"),
            Assert(~in_word | (word == Mux(in_chunk, older, newest)), "another byte is in the word"),
            Assert(~known | in_chunk | in_word | (stored == newest), "it is lost"),
            Assert(known | ~(in_chunk | in_word), "it is there by itself"),
            Assert(~self.waiting | ((held.count != 0) & (held.count <= CHUNK_BYTES)), "not a chunk"),
            Assert(~self.there | self.strobes.any(), "an empty word"),
            Assert(~self.second | (self.waiting & self.there & (self.address == begins)), "no first part"),
            Assert(~self.second | (last[_LANE_BITS:] != begins), "no second part"),
            Assert(
                ~(self.waiting & self.there & ~self.second) | (self.follows == (begins == self.address)),
                "it follows another one",
            ),
        ]

    def _stream(self, m, dut):
        """A word that is offered stays, and everything leaves that nobody holds up."""
        word = dut.o.payload
        waits, before = Signal(), Signal.like(Value.cast(word))
        flushed = Signal(range(_LEAVES + 1))
        busy = Signal()
        m.d.sync += [waits.eq(dut.o.valid & ~self.ready), before.eq(word), busy.eq(dut.busy)]
        with m.If(~(self.flush & self.ready)):
            m.d.sync += flushed.eq(0)
        with m.Elif(flushed != _LEAVES):
            m.d.sync += flushed.eq(flushed + 1)
        m.d.comb += [
            Assert(~waits | (dut.o.valid & (Value.cast(word) == before)), "a word that is offered does not stay"),
            Assert(~dut.o.valid | word.strobes.any(), "a word of nothing"),
            Assert(~dut.o.valid | (word.first & word.last & ~word.reads), "not a write of one word"),
            Assert((flushed != _LEAVES) | ~dut.busy, "something stays for ever"),
            Cover((flushed == 3) & busy & ~dut.busy, "a flush that takes as long as any"),
        ]


def test_bytes(prover):
    prover.holds(BytesProof(), depth=6, cover=12)


def test_bounded(prover):
    prover.holds(BytesProof(unbounded=False), depth=8, unbounded=False, cover=12)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Mux(there & same, strobes, 0) | enables", "strobes | enables", "byte"),
        ("Mux(there & same, strobes, 0) | enables", "enables", "not left"),
        ("Mux(second, address + 1,", "Mux(second, address,", "nobody has written"),
        ("(moves & ~second & ~crosses)", "(moves & ~second)", ""),
        ("same.eq(~second & follows)", "same.eq(follows)", ""),
        ("chunk.address[_LANE_BITS:], address)  #", "address, address)  #", ""),
        ("(~there | same | self.o.ready)", "(~there | same)", "or twice"),
        ("turned.word_select(lane % CHUNK_BYTES, 8)", "turned.word_select(0, 8)", "another byte"),
        ("there.eq(0)", "there.eq(there)", "or twice"),
        ("(there & Mux(waits, ~same, self.flush))", "(there & self.flush)", ""),
        ("self.flush & self.o.ready", "self.flush", "does not stay"),
        ("Mux(waits, ~same, self.flush)", "(waits & ~same)", "it has not left"),
    ],
    ids=[
        "stale",
        "lost",
        "second",
        "crosses",
        "same",
        "follows",
        "stuck",
        "turned",
        "stays",
        "flush",
        "drops",
        "never",
    ],
)
def test_faults(prover, faulty, monkeypatch, old, new, said):
    monkeypatch.setattr(list_bytes, "ListBytes", faulty(list_bytes.ListBytes, old, new))
    assert said in prover.refuted(BytesProof(unbounded=False), depth=9)
