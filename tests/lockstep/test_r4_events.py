"""What arrives in r4 is told with the instruction after which the next one sees it, in the same way by model and RTL.

That is the second instruction after a write to the special function unit, as the third is the first to see the result, and
the instruction that loads from a texture unit (guide, section 3).
"""

import struct

import numpy as np
import pytest

from vc4.config import V3DConfig, preset
from vc4sim.asm import assemble
from vc4sim.backends import model, pysim
from vc4sim.backends.base import Ending, Job, Launch
from vc4sim.events import MemoryWrite, Retirement, Write
from vc4sim.lockstep import Difference, Lockstep
from vc4sim.lockstep.follower import ROOM
from vc4sim.model.memory import Memory
from vc4sim.model.qpu.fragment_state import X
from vc4sim.model.qpu.instructions import units_mask
from vc4sim.model.unbuilt import FRAGMENT_UNITS
from vc4sim.model.v3d import V3D
from vc4sim.retired import R4_ARRIVED, RETIRED, STARTED, EventOrder

BASE, DATA = 0x1_0000, 0x1_1000
END = "\nthrend\nnop\nnop\n"


def job_of(source, config=preset("qpu"), copies=1):
    image = assemble(source + END).code.ljust(DATA - BASE, b"\0") + struct.pack("<16I", *range(100, 116))
    return Job(image=image, base=BASE, launches=(Launch(BASE, DATA),) * copies, config=config)


def arrivals(run, source, config="qpu", copies=1):
    """Number of the instruction and value of element 0, for each vector that arrives on QPU 0; and the retirements."""
    job = job_of(source, preset(config) if isinstance(config, str) else config, copies)
    events = []
    outcome = Lockstep(job).run(run, events.append)
    assert outcome.ending is Ending.DONE, outcome.why
    found = [
        ((event.pc - BASE) // 8, write.words[0])
        for event in events
        if isinstance(event, Retirement) and event.qpu == 0
        for write in event.writes
        if write.register == "r4"
    ]
    return found, [event for event in events if isinstance(event, Retirement)]


#: What Broadcom's tables give (SFU facts, 4): 0x3efffc00 for the reciprocal of 2, and 0x40000100 for 2 to the power of 1.
RECIP, RECIP_OF_TWO, TWO_TO_THE_FIRST = "mov recip, 2.0\nnop\nnop\nnop", 0x3EFF_FC00, 0x4000_0100


def test_a_result(simulator):
    found, told = arrivals(simulator, RECIP)
    assert found == [(2, RECIP_OF_TWO)]
    assert str(told[2]).endswith(" | r4=3efffc00*16")


def test_results_of_instructions_behind_one_another(simulator):
    found, _ = arrivals(simulator, "mov recip, 1.0\nmov recip, 2.0\nmov recip, 4.0\nnop\nnop")
    assert [place for place, _ in found] == [2, 3, 4]
    assert len({word for _, word in found}) == 3


@pytest.mark.thorough
def test_a_lookup(simulator):
    found, told = arrivals(simulator, f"ldi r0, {DATA}\nmov t0s, r0\nnop; ldtmu0", "slice")
    assert found == [(2, 100)]
    assert str(told[2]).endswith(" ldtmu0 | r4=00000064*16")


@pytest.mark.thorough
def test_a_lookup_is_newer_than_a_result(simulator):
    found, _ = arrivals(simulator, f"ldi r0, {DATA}\nmov t0s, r0\nmov recip, 2.0\nnop\nnop; ldtmu0\nnop", "slice")
    assert found == [(4, 100)]


@pytest.mark.thorough
def test_a_result_that_nobody_reads_may_come_late(simulator):
    """Four QPUs share the unit: results come when their instructions have long retired, and belong to them all the same."""
    source = "\n".join(f"mov exp, {number}.0" for number in range(1, 13)) + "\nnop\nnop"
    found, told = arrivals(simulator, source, "slice", copies=4)
    assert [place for place, _ in found] == list(range(2, 14))
    assert [word for _, word in found] == [TWO_TO_THE_FIRST + (number << 23) for number in range(12)]
    assert {event.qpu for event in told} == {0, 1, 2, 3}


@pytest.mark.slow
def test_on_amaranth():
    found, _ = arrivals(
        pysim.run, f"ldi r0, {DATA}\nmov t0s, r0\nmov exp, 3.0\nnop; ldtmu0\nnop", V3DConfig(tmus_per_slice=1)
    )
    assert found == [(3, 100), (4, TWO_TO_THE_FIRST + (2 << 23))]


def test_the_model_by_itself():
    image = assemble(RECIP + END).code.ljust(DATA - BASE, b"\0")
    lines = []
    model.run(Job(image=image, base=BASE, launches=(Launch(BASE, BASE),), config=preset("qpu")), lines.append)
    assert [line.split(" | ")[1].partition("=")[0] for line in map(str, lines[1:]) if "r4=" in line] == ["r4"]


def test_a_colour_of_the_tile_buffer():
    """A vector of fragments in pixels 0 to 15 of a row, and the colours that the tile has there."""
    gpu = V3D(preset("qpu"), Memory(64, 0, assemble("nop; loadc\nmov r0, r4" + END).code))
    machine, qpu = gpu.machine, gpu.qpus[0]
    machine.qpus.units[0] = units_mask(FRAGMENT_UNITS)
    machine.qpus.fragment[0] = 1
    machine.fragments.pixels[0, 0, X] = colours = np.arange(16, dtype=np.uint32)
    gpu.fragment_shader.tile.colour[0, :16, 0, 0] = colours
    qpu.start(Launch(0, 0))
    assert qpu.step().writes == (Write.of_r4(colours),)
    assert qpu.step().writes[0].words == tuple(range(16))


class TestLockstep:
    """The comparison waits for what arrives later, and keeps what arrives before its instruction."""

    @staticmethod
    def recorded(simulator):
        """A job, its records, and its outcome."""
        job = job_of("mov recip, 2.0\nmov exp, 3.0\nnop\nmov r0, r4\nmov r1, r4")
        batches = []
        outcome = simulator(job, follow=lambda records: batches.append(records.copy()))
        return job, np.concatenate(batches), outcome

    @pytest.mark.parametrize("is_late", [False, True])
    def test_whenever_it_arrives(self, simulator, is_late):
        job, records, outcome = self.recorded(simulator)
        arrives = records[:, 0] >= R4_ARRIVED
        assert arrives.sum() == 2
        moved = [records[~arrives], records[arrives]]
        lockstep = Lockstep(job)
        for part in moved if is_late else reversed(moved):
            lockstep(part)
        lockstep.conclude(outcome)
        assert lockstep.retired == outcome.instructions

    def test_another_value(self, simulator):
        job, records, _ = self.recorded(simulator)
        records[records[:, 0] >= R4_ARRIVED, 1] ^= 1
        with pytest.raises(Difference, match="instruction 2 differs"):
            Lockstep(job)(records)

    def test_more_than_instructions_say(self, simulator):
        job, records, _ = self.recorded(simulator)
        (first, *_) = records[records[:, 0] >= R4_ARRIVED]
        with pytest.raises(Difference, match="r4 changes after no instruction"):
            Lockstep(job)(np.stack([first] * 20))

    def test_nothing_ever(self, simulator):
        job, records, _ = self.recorded(simulator)
        retired = records[records[:, 0] == RETIRED]
        with pytest.raises(Difference, match="nothing arrives in r4"):
            Lockstep(job)(np.concatenate([records[records[:, 0] == STARTED], *[retired] * ROOM]))


class TestEventOrder:
    """Events wait for what arrives later, and nothing overtakes them."""

    RESULT, LOADED = range(2)
    FIRST, SECOND = (bytes([number] * 64) for number in (1, 2))

    @staticmethod
    def retirement(pc):
        return Retirement(0, 0, pc, 0)

    def test_what_has_come_is_there(self):
        order = EventOrder(1)
        assert list(order.arrive(0, self.RESULT, self.FIRST)) == []
        (event,) = order.tell(self.retirement(8), 0, [self.RESULT])
        assert event.writes == (Write.of_r4(np.frombuffer(self.FIRST, np.uint32)),)

    def test_nothing_overtakes(self):
        order = EventOrder(2)
        assert list(order.tell(self.retirement(8), 0, [self.RESULT])) == []
        write = MemoryWrite(0, b"")
        assert list(order.tell(write)) == []
        assert list(order.arrive(1, self.RESULT, self.SECOND)) == []
        first, second = order.arrive(0, self.RESULT, self.FIRST)
        assert first.writes[0].values == self.FIRST
        assert second is write

    def test_a_loaded_word_is_newer(self):
        order = EventOrder(1)
        assert list(order.tell(self.retirement(8), 0, [self.RESULT, self.LOADED])) == []
        assert list(order.arrive(0, self.LOADED, self.SECOND)) == []
        (event,) = order.arrive(0, self.RESULT, self.FIRST)
        assert [write.values for write in event.writes] == [self.SECOND]
