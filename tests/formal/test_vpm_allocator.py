"""`VpmAllocator`: a block of the VPM is owned by one batch at the most, and is free again when it was given back."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib.wiring import In

from vc4.vcm import allocation_turn, vpm_allocator
from vc4.vcm.structs import THREADS, FreedSpace
from vc4.vpm.window import BLOCK_BITS

from .proof import Proof

pytestmark = pytest.mark.thorough

#: A VPM that leaves room for every kind of conflict, and no more.
BLOCKS = 4
_COUNT = range(BLOCKS + 2)


class AllocatorProof(Proof):
    """Any batches, and anybody who gives back any blocks that a thread has; a shadow knows who has which.

    Division and needs stay as they are at first, whatever they are.
    """

    def __init__(self):
        super().__init__(
            "allocator",
            {
                "valid": In(THREADS),
                "abandons": In(THREADS),
                "ready": In(1),
                "freed": In(FreedSpace),
                "frees": In(1),
                "user": In(range(BLOCKS)),
                "limited": In(1),
                "limits": In(_COUNT).array(THREADS),
                "timed": In(1),
                "waits": In(range(4)).array(THREADS),
                "attributes": In(range(4)).array(THREADS),
                "results": In(range(4)).array(THREADS),
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.allocator = dut = vpm_allocator.VpmAllocator(4 * BLOCKS)
        self._environment(m, dut)
        owned = Signal(BLOCKS)
        threads = Signal(BLOCKS)  # who owns it
        given, back = self._ranges(m, dut)
        gives = Signal()
        frees = Signal()
        placed = dut.o.payload
        thread = placed.batch.thread
        m.d.comb += [
            gives.eq(dut.o.valid & dut.o.ready),
            frees.eq(dut.freed.valid & dut.freed.ready),
            # Whoever gives back has what it gives.
            Assume(~self.frees | ((back & ~(owned & ~(threads ^ self.freed.thread.replicate(BLOCKS)))) == 0)),
            Assume(~self.frees | (self.freed.space.count <= BLOCKS)),
            Assume(~self.frees | (self.freed.space.first + self.freed.space.count <= BLOCKS)),
        ]
        m.d.sync += owned.eq((owned | Mux(gives, given, 0)) & ~Mux(frees, back, 0))
        with m.If(gives):
            m.d.sync += threads.eq(Mux(thread, threads | given, threads & ~given))
        needed = placed.attributes.count + placed.results.count
        wanted = Mux(thread, self.attributes[1] + self.results[1], self.attributes[0] + self.results[0])
        has_none = placed.bad | placed.dropped
        m.d.comb += [
            Assert(~dut.o.valid | ~(given & owned).any(), "a block has two owners"),
            Assert(~dut.o.valid | has_none | (needed == wanted), "another number of blocks"),
            Assert(~dut.o.valid | has_none | (placed.attributes.first >= self.user), "a block for user programs"),
            Assert(~dut.o.valid | has_none | (placed.attributes.first + needed <= BLOCKS), "a block that is not there"),
            Assert(
                ~dut.o.valid | (placed.results.first == placed.attributes.first + placed.attributes.count) | has_none,
                "results are elsewhere",
            ),
            Assert(~dut.o.valid | ~has_none | (needed == 0), "rows for nobody"),
            Assert(
                ~dut.o.valid
                | ~placed.bad
                | (wanted > BLOCKS - self.user)
                | (self.limited & (wanted > self._limit(thread))),
                "a batch is bad that would have room",
            ),
            Assert(~dut.o.valid | Mux(thread, dut.i[1].valid, dut.i[0].valid), "an answer to nobody"),
            Cover(owned.all(), "all blocks are owned"),
            Cover(frees & owned.all() & (self.freed.space.count == 2), "two of them are given back"),
            Cover(owned[0] & owned[3] & ~threads[0] & threads[3] & ~owned[1], "there is a gap"),
        ]
        for number in range(THREADS):
            own = Signal(range(BLOCKS + 1), name=f"own_{number}")
            m.d.comb += own.eq(sum(owned[block] & (threads[block] == number) for block in range(BLOCKS)))
            m.d.comb += Assert(~self.limited | (own <= self.limits[number]), "more than the limit")
        self._invariants(m, dut, owned, threads, given)
        return m

    def _limit(self, thread):
        return Mux(thread, self.limits[1], self.limits[0])

    def _environment(self, m, dut):
        """What is offered stays; what says how much, too."""
        begun = Signal()
        fixed = Cat(self.user, self.limited, *self.limits, self.timed, *self.waits, *self.attributes, *self.results)
        offered, freed = Signal(THREADS), Signal()
        before, freed_before = Signal.like(fixed), Signal(FreedSpace)
        m.d.sync += [
            begun.eq(1),
            before.eq(fixed),
            offered.eq(Cat(port.valid & ~port.ready for port in dut.i)),
            freed.eq(dut.freed.valid & ~dut.freed.ready),
            freed_before.eq(self.freed),
        ]
        m.d.comb += [
            Assume(~begun | (fixed == before)),
            Assume((offered & ~self.valid) == 0),
            Assume(~freed | (self.frees & (self.freed.as_value() == freed_before.as_value()))),
            dut.division.user_rows.eq(self.user << 2),
            dut.division.limited.eq(self.limited),
            dut.division.binning_rows.eq(self.limits[0] << 2),
            dut.division.rendering_rows.eq(self.limits[1] << 2),
            dut.division.timed.eq(self.timed),
            dut.division.binning_waits.eq(self.waits[0]),
            dut.division.rendering_waits.eq(self.waits[1]),
            dut.abandons.eq(self.abandons),
            dut.o.ready.eq(self.ready),
            dut.freed.valid.eq(self.frees),
            dut.freed.payload.eq(self.freed),
        ]
        for number, port in enumerate(dut.i):
            m.d.comb += [
                port.valid.eq(self.valid[number]),
                port.payload.thread.eq(number),
                dut.formats[number].attributes.eq(self.attributes[number]),
                dut.formats[number].results.eq(self.results[number]),
                Assume(self.attributes[number] + self.results[number] != 0),
            ]

    def _ranges(self, m, dut):
        """Blocks of an answer, and those that are given back."""
        placed, space = dut.o.payload, self.freed.space
        given, back = Signal(BLOCKS), Signal(BLOCKS)
        count = placed.attributes.count + placed.results.count
        for block in range(BLOCKS):
            m.d.comb += [
                given[block].eq((block >= placed.attributes.first) & (block < placed.attributes.first + count)),
                back[block].eq((block >= space.first) & (block < space.first + space.count)),
            ]
        return given, back


class UnboundedAllocatorProof(AllocatorProof):
    """With the invariants that make it unbounded: which blocks are marked in each state."""

    def _sees(self):
        seen = {name: (name, BLOCK_BITS) for name in ("count", "start", "needed")}
        seen |= {name: (name, 1) for name in ("bad", "dropped", "thread")}
        seen |= {"state": ("state", 3), "place": ("place", range(BLOCKS)), "chosen": ("allocation_turn.chosen", 1)}
        seen |= {"held": ("allocation_turn.held", THREADS * (BLOCK_BITS + 1))}
        return seen | {f"marked_{block}": (f"owned.memory[{block}]", 1) for block in range(BLOCKS)}

    def _invariants(self, m, dut, owned, threads, given):
        marked = Cat(getattr(self, f"marked_{block}") for block in range(BLOCKS))
        rest, search, mark, answer, free = (self.state == number for number in range(5))
        has_none = self.bad | self.dropped
        gains = mark | (answer & ~has_none)
        end = self.start + self.needed
        wanted = Mux(self.thread, self.attributes[1] + self.results[1], self.attributes[0] + self.results[0])
        own = [(self.held.word_select(number, BLOCK_BITS + 1)) for number in range(THREADS)]

        def between(first, last):
            return Cat((block >= first) & (block < last) for block in range(BLOCKS))

        m.d.comb += [
            Assert(self.state <= 4, "no state"),
            Assert(~(owned & between(0, self.user)).any(), "a block for user programs is owned"),
            Assert(~(rest | search | (answer & has_none)) | (marked == owned), "blocks are lost, or marked for nobody"),
            Assert(~(search | mark) | ~has_none, "a batch that is to have nothing"),
            Assert(rest | free | ((self.needed == wanted) & self.valid.bit_select(self.thread, 1)), "another batch"),
            Assert(rest | free | (self.chosen == self.thread), "another thread"),
            Assert(~search | ((self.count < self.needed) & (self.place >= self.user + self.count)), "searched"),
            Assert(~search | ~(marked & between(self.place - self.count, self.place)).any(), "found"),
            Assert(~gains | ((self.start >= self.user) & (end <= BLOCKS)), "there are no such blocks"),
            Assert(~gains | ~(owned & between(self.start, end)).any(), "somebody has them"),
            Assert(~mark | ((self.count != 0) & (self.count <= self.needed)), "left to be marked"),
            Assert(~mark | (self.place == end - self.count), "the next one to be marked"),
            Assert(~mark | (marked == (owned | between(self.start, self.place))), "marked"),
            Assert(~(answer & ~has_none) | (marked == (owned | between(self.start, end))), "all are marked"),
            Assert(~free | ((self.count != 0) & (self.place + self.count <= BLOCKS)), "left to be freed"),
            Assert(~free | (marked == (owned | between(self.place, self.place + self.count))), "being freed"),
            Assert(~free | ~(owned & between(self.place, self.place + self.count)).any(), "freed and owned"),
            Assert(
                ~(answer & self.bad)
                | (self.needed > BLOCKS - self.user)
                | (self.limited & (self.needed > self._limit(self.thread))),
                "bad",
            ),
        ]
        for number in range(THREADS):
            mine = sum(owned[block] & (threads[block] == number) for block in range(BLOCKS))
            is_own = self.thread == number
            more = Mux(search & is_own, self.needed, 0)
            m.d.comb += [
                Assert(own[number] == mine + Mux(gains & is_own, self.needed, 0), "counted"),
                Assert(
                    ~self.limited | (own[number] + more <= self.limits[number]) | (own[number] + more == 0), "limit"
                ),
            ]


def test_owned_once_and_given_back(prover):
    prover.holds(UnboundedAllocatorProof(), depth=2, cover=24)


def test_bounded(prover):
    prover.holds(AllocatorProof(), depth=12, unbounded=False, cover=20)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("start + self.formats[thread].attributes", "start", "results are elsewhere"),
        ("with m.If(place < first):", "with m.If(0):", "a block for user programs"),
        ("Mux(is_owned | is_last, 0, count + 1)", "Mux(is_owned, 0, count + 1)", "a block for user programs"),
        # The allocator's own assertion sees a block that is marked twice, clocks before it is in an answer.
        ("~is_owned & (count + 1 == needed)", "count + 1 == needed", "a block is given twice, or given back twice"),
    ],
    ids=["results", "user programs", "wrap", "owned"],
)
def test_faults(prover, faulty, monkeypatch, old, new, said):
    monkeypatch.setattr(vpm_allocator, "VpmAllocator", faulty(vpm_allocator.VpmAllocator, old, new))
    assert said in prover.refuted(AllocatorProof(), depth=16)


def test_half_is_given_back(prover, faulty, monkeypatch):
    """No answer is wrong by that, so that only the invariants see it."""
    old, new = "count.eq(freed.space.count)", "count.eq((freed.space.count + 1) >> 1)"
    monkeypatch.setattr(vpm_allocator, "VpmAllocator", faulty(vpm_allocator.VpmAllocator, old, new))
    assert "being freed" in prover.refuted(UnboundedAllocatorProof(), depth=16)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("own.eq(own + need)", "own.eq(own)", "more than the limit"),
        ("need > here", "need >= here", "bad that would have room"),
    ],
    ids=["limit", "bad"],
)
def test_faults_of_the_turn(prover, faulty, monkeypatch, old, new, said):
    turn = faulty(allocation_turn.AllocationTurn, old, new)
    monkeypatch.setattr(vpm_allocator, "AllocationTurn", turn)
    assert said in prover.refuted(AllocatorProof(), depth=16)
