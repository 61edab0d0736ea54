"""Stores of tiles: no step is outside of the tile, and no byte is written that no step has.

What lies between these two, the address of a step, is tested (tests/tlb) and not proven.
"""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib.wiring import In

from vc4.tlb import bus_words, tile_walk
from vc4.tlb.transfer_structs import BusChunk, TileArea, TileTransfer

from .proof import Proof

pytestmark = pytest.mark.thorough

#: Clocks until a configuration has settled.
_SETTLES = 4


def _stays(m, *values):
    """What the solver chooses once."""
    begun = Signal()
    m.d.sync += begun.eq(1)
    for number, value in enumerate(values):
        before = Signal(len(Value.cast(value)), name=f"before_{number}")
        m.d.sync += before.eq(value)
        m.d.comb += Assume(~begun | (Value.cast(value) == before))


def _settled(m):
    """High from the clock on in which a configuration has settled."""
    clocks = Signal(range(_SETTLES + 1))
    settled = Signal()
    m.d.comb += settled.eq(clocks == _SETTLES)
    with m.If(~settled):
        m.d.sync += clocks.eq(clocks + 1)
    return settled


def _is_transfer(transfer):
    """What `part_transfer` makes of any plan: which tiles there are, and which kinds of pixels."""
    pair = ~transfer.block & ~transfer.wide
    sides = [Cat(side == one for one in (7, 15, 31, 63)).any() for side in (transfer.columns, transfer.rows)]
    return (
        sides[0]
        & sides[1]
        & (transfer.columns != 7)
        & (transfer.layout.as_value() != 3)
        & (~transfer.wide | (transfer.size == 3))
        & (pair | transfer.wide | ~transfer.dump)
        & ~(transfer.wide & transfer.block)
        & (transfer.wide | (transfer.size != 3))
    )


def _is_step(transfer, step):
    """A step of a tile."""
    pair = ~transfer.block & ~transfer.wide
    return (step.x <= transfer.columns) & (step.y <= transfer.rows) & ~(pair & step.x[0]) & (transfer.wide | ~step.word)


class WalkProof(Proof):
    """Any tile of any image; it begins when it likes, and somebody takes steps when he likes."""

    def __init__(self):
        inputs = {"transfer": In(TileTransfer), "area": In(TileArea), "starts": In(1), "ready": In(1)}
        super().__init__("walk", inputs)

    def _sees(self):
        return {"last_x": ("last_x", 6), "last_y": ("last_y", 6)}

    def elaborate(self, platform):
        m = Module()
        m.submodules.walk = dut = tile_walk.TileWalk()
        settled = _settled(m)
        _stays(m, self.transfer, self.area)
        transfer, step = self.transfer, dut.o.payload
        pair = ~transfer.block & ~transfer.wide
        m.d.comb += [
            *(dut.transfer.eq(transfer), dut.area.eq(self.area)),
            *(dut.starts.eq(self.starts & settled & ~dut.o.valid), dut.o.ready.eq(self.ready)),
            Assume(_is_transfer(transfer)),
            Assert(~dut.o.valid | settled, "it begins by itself"),
            Assert(~dut.o.valid | _is_step(transfer, step), "a step outside of the tile"),
            Assert(~dut.o.valid | ((step.x | pair) <= self.last_x) & (step.y <= self.last_y), "after the last one"),
            Cover(dut.o.valid & step.final & (step.x == 12), "the end"),
            Cover(dut.o.valid & transfer.dump & transfer.samples & (step.y == 1), "a dump"),
        ]
        return m


class WordsProof(Proof):
    """Any chunks, each at a multiple of its size; one byte of memory is followed."""

    def __init__(self):
        inputs = {"valid": In(1), "chunk": In(BusChunk), "ready": In(1), "followed": In(32)}
        super().__init__("words", inputs)

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = dut = bus_words.BusWords()
        _stays(m, self.followed)
        chunk, word = self.chunk, dut.o.payload
        bytes_, place = Signal(4), Signal(32)
        asked = Signal()
        hit = Signal()
        m.d.comb += [
            *(dut.i.valid.eq(self.valid), dut.i.payload.eq(chunk), dut.o.ready.eq(self.ready)),
            bytes_.eq(1 << chunk.size),
            place.eq(
                self.followed ^ chunk.address
            ),  # less than `bytes_` if it is in the chunk, which lies at a multiple of them
            Assume((chunk.address & (bytes_ - 1)) == 0),
            Assume((chunk.size != 0) | (chunk.half[0] == chunk.half[1])),
            hit.eq((place < bytes_) & Mux(place < (bytes_ >> 1), chunk.half[0], chunk.half[1])),
        ]
        with m.If(self.valid & dut.i.ready & hit):
            m.d.sync += asked.eq(1)
        strobe = (word.address == self.followed[3:]) & word.strobes.bit_select(self.followed[:3], 1)
        m.d.comb += [
            Assert(~strobe | asked, "a byte that nobody has written"),
            Cover(dut.o.valid & strobe & (word.strobes == 0b0111_1000), "chunks in a word"),
        ]
        return m


def test_walk(prover):
    prover.holds(WalkProof(), depth=6, cover=14)


def test_words(prover):
    prover.holds(WordsProof(), depth=8)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(low & ~most).any()", "0"),
        ("step.x.eq(x + 1)", "step.x.eq(step.x + 1)"),
        ("step.word.eq(transfer.wide & ~step.word)", "step.word.eq(~step.word)"),
    ],
    ids=["tile", "pair", "word"],
)
def test_faults_of_the_walk(prover, faulty, monkeypatch, old, new):
    monkeypatch.setattr(tile_walk, "TileWalk", faulty(tile_walk.TileWalk, old, new))
    assert "outside of the tile" in prover.refuted(WalkProof(), depth=24)


@pytest.mark.parametrize(
    ("old", "new"),
    [("Mux(same, word.strobes, 0) | lanes", "word.strobes | lanes"), ("mask << (place << size)", "mask << place")],
    ids=["stale", "place"],
)
def test_faults_of_words(prover, faulty, monkeypatch, old, new):
    monkeypatch.setattr(bus_words, "BusWords", faulty(bus_words.BusWords, old, new))
    assert "nobody" in prover.refuted(WordsProof(), depth=8)
