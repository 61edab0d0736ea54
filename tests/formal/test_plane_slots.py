"""`PlaneSlots` and `PlaneWriter`: coefficients stay while fragments read them, and go back when none does."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import data
from amaranth.lib.wiring import In

from vc4.fep import plane_slots, plane_writer
from vc4.fep.vector_structs import PlaneJob

from .proof import Proof

pytestmark = pytest.mark.thorough

#: They leave room for every kind of conflict, and no more.
SLOTS, PLANES, THREADS = 2, 4, 2
#: Number of a slot, on and on.
_NUMBER = 2 * SLOTS
#: Clocks until all is given back: two until a slot has gone to threads, two until those are known, and one for each slot.
_SETTLES = 4 + SLOTS


class PlanesProof(Proof):
    """Any pieces with any planes, quads of theirs in any vectors, and threads that end when they like.

    Beside both parts stand an open vector, one that waits, and those of the threads; one slot is followed.
    """

    def __init__(self):
        super().__init__(
            "keeper",
            {
                "offers": In(1),  # a job
                "job": In(PlaneJob),
                "plane": In(1),  # is there
                "stands": In(1),
                "ends": In(1),  # the piece
                "idle": In(1),  # no piece is under way
                "quad": In(1),  # of the piece comes
                "closes": In(1),  # the open vector waits for a thread from now on
                "again": In(1),  # with a quad: it is the first one of a new one
                "goes": In(1),
                "thread": In(range(THREADS)),
                "done": In(THREADS),
                "followed": In(range(SLOTS)),
            },
        )

    def _sees(self):
        return {"used": ("used", range(SLOTS + 1)), "free_planes": ("free_planes", range(PLANES + 1))}

    def elaborate(self, platform):
        m = Module()
        m.submodules.keeper = dut = plane_slots.PlaneSlots(THREADS)
        m.submodules.writer = writer = plane_writer.PlaneWriter()
        piece = Signal()  # its quads may come
        vector = data.StructLayout({"valid": 1, "slots": SLOTS, "newest": len(dut.newest)})
        is_open, waits = Signal(vector), Signal(vector)
        masks = Signal(data.ArrayLayout(SLOTS, THREADS))
        there = Signal(THREADS)
        thread = Signal(THREADS)
        emits = Signal()
        own = Signal(SLOTS)
        m.d.comb += [
            *(writer.jobs.valid.eq(self.offers), writer.jobs.payload.eq(self.job)),
            *(writer.planes.valid.eq(self.plane), writer.stands.eq(self.stands)),
            *(writer.free.eq(dut.free), writer.room.eq(dut.room)),
            *(dut.takes.eq(writer.keeps), dut.count.eq(writer.count), dut.wrote.eq(writer.write_stb)),
            *(dut.completes.eq(writer.completes), dut.all_given.eq(~is_open.valid & ~waits.valid & self.idle)),
            *(dut.given.eq(self.goes), dut.threads.eq(Mux(self.goes, thread, 0)), dut.done.eq(self.done)),
            *(dut.slots.eq(waits.slots), dut.newest.eq(waits.newest), thread.eq(1 << self.thread)),
            own.eq(1 << dut.current[: len(self.followed)]),
            emits.eq(self.closes & is_open.valid),
        ]
        m.d.sync += [
            piece.eq((piece & ~self.ends) | writer.keeps),
            there.eq((there & ~self.done) | Mux(self.goes, thread, 0)),
        ]
        with m.If(self.goes):
            m.d.sync += [waits.valid.eq(0), masks[self.thread].eq(waits.slots)]
        with m.If(emits):
            joins = self.quad & ~self.again
            m.d.sync += [
                waits.valid.eq(1),
                waits.slots.eq(is_open.slots | Mux(joins, own, 0)),
                waits.newest.eq(Mux(joins, dut.current, is_open.newest)),
                *(is_open.valid.eq(self.quad & self.again), is_open.slots.eq(own), is_open.newest.eq(dut.current)),
            ]
        with m.Elif(self.quad):
            m.d.sync += [
                *(is_open.valid.eq(1), is_open.newest.eq(dut.current)),
                is_open.slots.eq(Mux(is_open.valid, is_open.slots, 0) | own),
            ]
        self._environment(m, dut, piece, is_open, waits, there, thread, emits)
        held = [(is_open.valid, is_open.slots), (waits.valid, waits.slots), *zip(there, masks, strict=True)]
        self._follow(m, dut, writer, piece, held, waits)
        self._end(m, dut, writer, there)
        return m

    def _environment(self, m, dut, piece, is_open, waits, there, thread, emits):
        """What the rest of the front end sees to."""
        begun = Signal()
        followed = Signal.like(self.followed)
        m.d.sync += [begun.eq(1), followed.eq(self.followed)]
        m.d.comb += [
            Assume(~begun | (self.followed == followed)),
            Assume((self.job.planes != 0) & (self.job.planes <= PLANES)),
            Assume(~self.offers | ~piece),
            Assume(~self.idle | (~self.offers & ~piece)),
            Assume(~self.quad | piece),
            Assume(~emits | ~waits.valid),
            # It goes when all of its planes are there, to a thread that has none.
            Assume(~self.goes | waits.valid),
            Assume(~self.goes | ~(dut.complete - waits.newest - 1)[len(dut.newest) - 1]),
            Assume(~self.goes | ((there & ~self.done & thread) == 0)),
            Assume((self.done & ~there) == 0),
        ]

    def _follow(self, m, dut, writer, piece, held, waits):
        """The slot that is followed: who reads it, where its planes are, and how many of them are there."""
        is_here = Signal()  # it is the one that was taken last
        takes = Signal()
        reads = Signal()
        known = Signal()
        base, count, written = Signal(range(PLANES)), Signal(range(PLANES)), Signal(range(PLANES + 1))
        place = Signal(range(PLANES))  # of what is written, in the slot
        bits = len(self.followed)
        m.d.comb += [
            takes.eq(writer.keeps & (dut.following[:bits] == self.followed)),
            is_here.eq(known & (dut.current[:bits] == self.followed)),
            reads.eq(
                (piece & is_here) | Cat(valid & slots.bit_select(self.followed, 1) for valid, slots in held).any()
            ),
            place.eq(writer.write.number - base),
        ]
        with m.If(takes):
            m.d.sync += [known.eq(1), base.eq(writer.slot.base), count.eq(writer.slot.count), written.eq(0)]
        with m.Elif(writer.write_stb & is_here):
            m.d.sync += written.eq(written + 1)
        m.d.comb += [
            Assert(~takes | ~reads, "a slot that is read is given away"),
            Assert(~writer.write_stb | is_here | ~reads | (place >= count), "a plane that is read is overwritten"),
            Assert(~writer.write_stb | ~is_here | ((place == written) & (written < count)), "a plane is elsewhere"),
            Assert(
                ~self.goes | ~waits.slots.bit_select(self.followed, 1) | (written == count),
                "fragments go whose planes are not there",
            ),
            Cover(takes & known & (base == 3) & (count == 2), "the ring begins again"),
            Cover(
                held[2][0] & (held[2][1] == 3) & held[3][0] & held[3][1].bit_select(self.followed, 1),
                "a thread reads both slots, and the other one, too",
            ),
        ]

    def _end(self, m, dut, writer, there):
        """What is left when nobody has anything."""
        rests = Signal(range(_SETTLES + 1))
        lasted = Signal()
        was_used = Signal()
        m.d.comb += lasted.eq(rests == _SETTLES)
        with m.If(there.any() | writer.busy | ~dut.all_given):
            m.d.sync += rests.eq(0)
        with m.Elif(~lasted):
            m.d.sync += rests.eq(rests + 1)
        with m.If(self.used == SLOTS):
            m.d.sync += was_used.eq(1)
        m.d.comb += [
            Assert(~lasted | ((self.used == 0) & (self.free_planes == PLANES)), "something is not given back"),
            Cover(lasted & was_used, "all was in use, and is given back"),
        ]


@pytest.fixture(autouse=True)
def few_slots(monkeypatch):
    for module in plane_slots, plane_writer:
        monkeypatch.setattr(module, "PLANES", PLANES)
    monkeypatch.setattr(plane_slots, "PLANE_SLOTS", SLOTS)
    monkeypatch.setattr(plane_slots, "SLOT_NUMBER_BITS", (_NUMBER - 1).bit_length())


def test_bounded(prover):
    prover.holds(PlanesProof(), depth=16, unbounded=False, cover=18)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("& ~held.bit_select(oldest[:place], 1)", "", "a slot that is read is given away"),
        ("oldest != settled", "oldest != given", "a slot that is read is given away"),
        ("given.eq(self.newest)", "given.eq(self.newest + 1)", "a slot that is read is given away"),
        ("mask.eq(self.slots)", "mask.eq(mask)", "a slot that is read is given away"),
        ("mask.eq(0)", "mask.eq(mask)", "something is not given back"),
        ("given.eq(following)", "given.eq(given)", "something is not given back"),
        ("self.room.eq(next_planes != 0)", "self.room.eq(1)", "a plane"),
        ("Mux(frees, counts.read_data, 0)", "Mux(frees, 1, 0)", "something is not given back"),
    ],
    ids=["held", "settled", "newest", "threads", "done", "all given", "room", "count"],
)
def test_faults(prover, faulty, monkeypatch, old, new, said):
    monkeypatch.setattr(plane_slots, "PlaneSlots", faulty(plane_slots.PlaneSlots, old, new))
    assert said in prover.refuted(PlanesProof(), depth=16)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("self.write_stb & (left == 1)", "self.write_stb", "planes are not there"),
        ("job.keeps | (self.free & ~self.stands)", "job.keeps | ~self.stands", "a slot"),
        ("self.slot.base.eq(number)", "self.slot.base.eq(number + 1)", "a plane is elsewhere"),
    ],
    ids=["complete", "free", "base"],
)
def test_faults_of_the_writer(prover, faulty, monkeypatch, old, new, said):
    monkeypatch.setattr(plane_writer, "PlaneWriter", faulty(plane_writer.PlaneWriter, old, new))
    assert said in prover.refuted(PlanesProof(), depth=16)
