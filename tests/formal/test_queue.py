"""`Queue`: whatever goes in comes out once, unchanged and in order."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Cover, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common import queue

pytestmark = pytest.mark.thorough

DEPTHS = (1, 2, 3, 4, 5)


class Colour(enum.Enum, shape=unsigned(1)):
    RED = 0
    GREEN = 1


class Item(data.Struct):
    number: unsigned(2)
    colour: Colour


class QueueProof(wiring.Component):
    """A queue between any sender and any receiver, and a scoreboard that follows one item, whichever `follow` chooses.

    The scoreboard holds the item and how many are in front of it. So the item that went in as the n-th comes out as the
    n-th, for any n: none is lost, doubled, changed or overtaken.
    """

    def __init__(self, depth: int):
        self._depth = depth
        address = range(depth)
        members = {f"place_{number}": In(3) for number in address}
        self.views = {f"place_{number}": f"queue.places.memory[{number}]" for number in address}
        if depth == 1:
            self.views = {"place_0": "queue.item"}
        if depth > 1:
            members |= {"read": In(address), "write": In(address)}
            self.views |= {"read": "queue.places.read_address", "write": "queue.places.write_address"}
        super().__init__(
            {"i": In(stream.Signature(Item)), "o": Out(stream.Signature(Item)), "follow": In(1), **members}
        )

    def elaborate(self, platform):
        m = Module()
        depth, i, o = self._depth, self.i, self.o
        m.submodules.queue = dut = queue.Queue(Item, depth)
        connect(m, flipped(i), dut.i)
        connect(m, dut.o, flipped(o))
        push, pop = i.valid & i.ready, o.valid & o.ready

        inside = Signal(range(depth + 1))  # items that went in and did not come out
        waiting = Signal()  # the item that is followed is inside
        item = Signal(Item)
        ahead = Signal(range(depth + 1))
        m.d.sync += inside.eq(inside + push - pop)
        with m.If(waiting & pop):
            m.d.sync += [ahead.eq(ahead - 1), waiting.eq(ahead != 0)]
        with m.Elif(~waiting & push & self.follow):
            m.d.sync += [waiting.eq(1), item.eq(i.payload), ahead.eq(inside - pop)]
        m.d.comb += [
            Assert(dut.level == inside, "the level is not the number of items inside"),
            Assert(i.ready == (inside != depth), "it is ready for an item if and only if it has room"),
            Assert(o.valid == (inside != 0), "it offers an item if and only if it has one"),
            Assert(~waiting | (ahead < inside), "the item is not among those inside"),
            Assert(~(waiting & (ahead == 0)) | (o.payload == item), "another item comes out in its place"),
            Cover(waiting & (ahead == depth - 1), "the item is the last one of a full queue"),
            Cover(waiting & (ahead == 0) & pop & (item.as_value() == 5), "it comes out"),
        ]
        self._stable(m)
        self._places(m, waiting & (ahead < depth), item, ahead, inside)
        return m

    def _stable(self, m):
        """What is offered and not taken is offered again."""
        offered, payload = Signal(), Signal(Item)
        m.d.sync += [offered.eq(self.o.valid & ~self.o.ready), payload.eq(self.o.payload)]
        m.d.comb += [
            Assert(~offered | self.o.valid, "an item that was offered is withdrawn"),
            Assert(~offered | (self.o.payload == payload), "an item changes while it is offered"),
            Cover(offered, "an item waits at the output"),
        ]

    def _places(self, m, waiting, item, ahead, inside):
        """Invariants: where the items lie."""
        depth = self._depth
        read, write = (self.read, self.write) if depth > 1 else (C(0), C(0))
        places = Array(getattr(self, f"place_{number}") for number in range(depth))
        m.d.comb += [
            Assert((read < depth) & (write < depth), "there is no such place"),
            Assert((read + inside - write) % depth == 0, "the places between read and write are not the items"),
            Assert(~waiting | (places[(read + ahead) % depth] == item.as_value()), "the item is not in its place"),
        ]


@pytest.mark.parametrize("depth", DEPTHS)
def test_order_and_content(prover, depth):
    prover.holds(QueueProof(depth), depth=2, cover=2 * depth + 4)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("grows.eq(push & ~pop)", "grows.eq(push)"),
        ("full.eq(self.level == self._depth - 1)", "full.eq(self.level == self._depth)"),
        ("push.eq(self.i.valid & ~full)", "push.eq(self.i.valid)"),
        ("push.eq(self.i.valid & ~full)", "push.eq(self.i.valid & ~full & (self.level != 2))"),
        ("place == self._depth - 1, 0", "place == self._depth - 1, 1"),
        ("write_enable.eq(push)", "write_enable.eq(push & ~pop)"),
        ("eq(places.read_data)", "eq(places.read_data ^ (self.level == 3))"),
        ("self.o.valid.eq(self.level != 1)", "self.o.valid.eq(0)"),
    ],
    ids=["level", "full", "overrun", "dropped", "turn", "unwritten", "changed", "withdrawn"],
)
def test_faults(prover, faulty, monkeypatch, old, new):
    monkeypatch.setattr(queue, "Queue", faulty(queue.Queue, old, new))
    prover.refuted(QueueProof(3), depth=12)
