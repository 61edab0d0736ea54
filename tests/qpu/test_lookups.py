"""Lookups of memory by programs, in lockstep: results, order, swap, threads, and what waits for ever."""

import dataclasses
import struct

import pytest

from vc4.config import V3DConfig, preset
from vc4sim.backends.base import Ending
from vc4sim.lockstep import Lockstep

from .conftest import BASE, UNIFORMS

pytestmark = pytest.mark.thorough
#: The preset with one unit.
ONE = preset("slice")
#: QPUs 2 and 3 find the units the other way round.
TWO = V3DConfig(qpus_per_slice=3, tmus_per_slice=2)
#: Addresses of sixteen words of the uniforms.
ADDRESSES = "shl r0, elem_num, 2\nadd r0, r0, unif\n"
DATA = UNIFORMS + 64


@pytest.fixture
def look(lockstep):
    """Runs a source with the addresses of data in r0, on one unit."""

    def run(source, uniforms=(), **options):
        words = [DATA, *uniforms]
        words += [0] * (16 - len(words)) + [0x100 + number for number in range(64)]
        return lockstep(ADDRESSES + source, words, **{"config": ONE, **options})

    return run


def rows(first):
    return tuple(0x100 + first + element for element in range(16))


def test_a_lookup(look):
    assert look("mov t0s, r0\nnop; ldtmu0\nmov ra0, r4").last("ra0") == rows(0)


@pytest.mark.parametrize("config", [ONE, TWO], ids=["one unit", "two units"])
def test_each_name_has_its_own_results(look, config):
    """A program cannot see how many units there are: a chip, which has two, runs the same words."""
    source = "mov t1s, r0\nadd t0s, r0, 4\nnop; ldtmu0\nmov ra0, r4; ldtmu1\nmov rb0, r4"
    run = look(source, config=config)
    assert (run.last("ra0"), run.last("rb0")) == (rows(1), rows(0))


def test_low_address_bits_are_dropped(look):
    assert look("add t0s, r0, 3\nnop; ldtmu0\nmov ra0, r4").last("ra0") == rows(0)


def test_sixteen_lookups_are_under_way(look):
    source = "mov t0s, r0\nadd r0, r0, 4\n" * 16 + "nop; ldtmu0\nmov ra0, r4\n" * 16
    run = look(source)
    values = [write.words for event in run.retired for write in event.writes if write.register == "ra0"]
    assert values == [rows(number) for number in range(16)]
    assert run.outcome.stalls["tmu_slot"] <= 4 * 60


@pytest.mark.parametrize(("latency", "gap"), [(1, 0.0), (60, 0.0), (10, 0.5)])
def test_lookups_wait_for_memory(look, latency, gap):
    """Each element of a vector is of another line."""
    source = "shl r2, elem_num, 6\nldi r3, 0x10000\nadd r2, r2, r3\n" + "mov t0s, r2\nadd r2, r2, 4\n" * 4
    run = look(source + "nop; ldtmu0\nmov ra0, r4\n" * 4, latency=latency, gap=gap)
    memory = run.outcome.memory
    assert run.last("ra0") == tuple(struct.unpack_from("<I", memory, 64 * element + 12)[0] for element in range(16))


def test_r4_of_both_units_and_special_functions(look):
    """A load is what the next instruction sees, even if a result of the other kind arrives at the same time."""
    look(
        "mov t0s, r0\nadd t0s, r0, 4\nadd t0s, r0, 8\nmov recip, 1.0\nnop\nmov r1, r4; ldtmu0\nmov r2, r4\nmov r3, r4\n"
        "mov recip, 2.0\nnop; ldtmu0\nmov r1, r4\nmov r2, r4\nmov r3, r4\nmov recip, 4.0\nmov r1, r4\nmov r1, r4; ldtmu0\n"
        "mov r1, r4\nmov r2, r4; nop\nadd r2, r4, r4"
    )


def test_a_conditional_write_takes_the_whole_vector(look):
    run = look("mov.setf -, elem_num\nmov.ifz t0s, r0\nmov.never t0s, r0\nnop; ldtmu0\nmov ra0, r4")
    assert run.last("ra0") == rows(0)


def test_only_the_mul_alu_writes(look):
    run = look("add r1, r0, 4\nor t0s, r1, r1; v8min t1s, r0, r0\nnop; ldtmu1\nmov ra0, r4")
    assert run.last("ra0") == rows(0)


def test_a_branch_writes_no_parameter(look):
    look("brr t0s, r:there\nnop\nnop\nnop\n:there\nmov t0s, r0\nnop; ldtmu0\nmov ra0, r4")


def test_memory_that_is_not_there_reads_zero(look):
    run = look("ldi r0, 0x90000000\nmov t0s, r0\nnop; ldtmu0\nmov ra0, r4")
    assert run.last("ra0") == (0,) * 16
    assert run.outcome.ending is Ending.DONE


def test_a_write_that_is_looked_up_again_needs_a_clear(look):
    """The cache keeps lines: the second lookup of an address asks nobody."""
    run = look("mov t0s, r0\nnop; ldtmu0\nmov t0s, r0\nnop; ldtmu0\nmov ra0, r4", latency=200)
    assert run.last("ra0") == rows(0)
    assert run.outcome.stalls["tmu_result"] < 2 * 200


@pytest.mark.parametrize("place", [0, 1, 2])
class TestSwap:
    """Two units: a lookup of unit 0 that nobody loads, and one of unit 1, on each QPU."""

    SOURCE = ADDRESSES + "mov t0s, r0\nadd t1s, r0, 4\nnop; ldtmu1\nmov ra0, r4; ldtmu0\nmov rb0, r4\n"

    def test_units_are_the_same_for_writes_and_loads(self, place, job, simulator):
        self.check(job, simulator, place, self.SOURCE)

    def test_without_the_swap(self, place, job, simulator):
        """What was written before the change is loaded by its other name after it."""
        source = ADDRESSES + "mov t0s, r0\nmov tmu_noswap, 1\nadd t1s, r0, 4\n"
        first, second = ("ldtmu1", "ldtmu1") if place > 1 else ("ldtmu1", "ldtmu0")
        source += f"nop; {first}\nmov ra0, r4; {second}\nmov rb0, r4\nmov tmu_noswap, 0\nmov t0s, r0\nnop; ldtmu0\n"
        self.check(job, simulator, place, source)

    @staticmethod
    def check(job, simulator, place, source):
        uniforms = [DATA] * 16 + [0x100 + number for number in range(64)]
        idle = "thrend\nnop\nnop\n"
        programs = [idle] * place + [source + idle]
        image_job = job("\n".join(programs), uniforms, config=TWO)
        launch = image_job.launches[0]
        starts = [24 * number for number in range(place + 1)]
        launches = tuple(dataclasses.replace(launch, pc=BASE + start) for start in starts)
        work = dataclasses.replace(image_job, launches=launches)
        seen = []
        outcome = Lockstep(work).run(simulator, seen.append)
        assert outcome.ending is Ending.DONE
        assert {event.qpu for event in seen if hasattr(event, "qpu")} == set(range(place + 1))


def test_the_swap_belongs_to_a_thread(look):
    source = "mov tmu_noswap, 1\nmov t0s, r0\nnop; thrsw\nnop; ldtmu0\nmov ra0, r4"
    look(source, config=TWO, programs=2, threaded=True)


def test_threads_share_the_queues(look):
    """Results come in the order of the lookups, whichever thread asked."""
    look("mov t0s, r0\nnop; thrsw\nnop\nnop\nnop; ldtmu0\nmov ra0, r4", programs=4, threaded=True, latency=30)


@pytest.mark.parametrize(
    ("source", "offset", "text"),
    [
        ("nop; ldtmu0", 0, "waits for tmu0, and no lookup is under way"),
        ("mov t0s, r0\nnop; ldtmu0\nnop; ldtmu1", 16, "waits for tmu1, and no lookup is under way"),
        ("mov t0s, r0\n" * 17, 128, "waits for a slot of tmu0, and takes no result"),
    ],
)
def test_waits_for_ever(job, simulator, source, offset, text):
    work = job(f"mov r0, 0\n{source}\nthrend\nnop\nnop", config=ONE)
    outcome = Lockstep(work).run(simulator)
    assert outcome.ending is Ending.STUCK
    assert outcome.why == f"QPU 0 at {BASE + 8 + offset:#010x} {text}"


#: A texture of 32 by 32 texels of 32 bits where programs lie; a sampling with nearest filters.
IMAGE, SAMPLING = BASE, 32 << 20 | 32 << 8 | 1 << 7 | 1 << 4


def test_parameters_take_uniforms(look):
    """Of five parameters the last but s is taken and forgotten; a port that reads one as well gets the same."""
    run = look("mov t0t, 0.5\nmov t0s, 0.5\nnop; ldtmu0\nmov ra0, r4\nmov ra1, unif", (IMAGE, SAMPLING, 7))
    assert run.last("ra1") == (7,) * 16
    assert len(set(run.last("ra0"))) == 1
    source = "mov t0r, 0\nmov t0r, 0\nmov t0b, 0\nmov t0t, unif\nmov t0s, 0.5\nnop; ldtmu0\nmov ra0, r4\nmov ra1, unif"
    assert look(source, (IMAGE, SAMPLING, 0, 0, 0, 9)).last("ra1") == (9,) * 16


def test_textures_and_memory_take_turns(look):
    source = "mov t0t, 0.25\nmov t0s, 0.5\nmov t0s, r0\nmov t0t, 0.5\nmov t0s, 0.25\nmov t0s, r0\n"
    run = look(source + "nop; ldtmu0\nmov ra0, r4\n" * 4, (IMAGE, SAMPLING) * 2, latency=30)
    values = [write.words for event in run.retired for write in event.writes if write.register == "ra0"]
    assert values[1] == values[3] == rows(0)


def test_two_words_of_a_lookup(look):
    """Results of 64 bits a texel, until the queues are full."""
    wide = SAMPLING & ~(1 << 31)
    source = "mov t0t, 0.25\nmov t0s, 0.5\n" * 6 + "nop; ldtmu0\nmov ra0, r4\n" * 12
    look(source, (IMAGE | 15 << 4, wide) * 6)


def test_counted(look):
    """Clocks that wait for units are counted."""
    run = look("mov t0s, r0\nnop; ldtmu0\nmov ra0, r4", latency=50)
    assert run.outcome.counts["QPU_STALLS_TMU"] >= run.outcome.stalls["tmu_result"] - 4


#: Clocks that a load waits which comes right after its lookup, if the cache has the lines.
LATENCY = 20


def test_golden_latency(look):
    """From the slot of the write: 8 clocks to IO, 3 to its last quad, 12 through the unit; the rest is up to the end of a slot."""
    one, more = (look("mov t0s, r0\nnop; ldtmu0\n" * count).outcome for count in (1, 21))
    assert more.stalls["tmu_result"] - one.stalls["tmu_result"] == 20 * LATENCY


def test_golden_rate(look):
    """A lookup and a load in every two instructions, some after the lookup: nothing waits."""
    ahead = 6
    source = "mov t0s, r0\n" * ahead + "mov t0s, r0\nnop; ldtmu0\n" * 40 + "nop; ldtmu0\n" * ahead
    run = look("mov t0s, r0\nnop; ldtmu0\n" + source)
    alone = look("mov t0s, r0\nnop; ldtmu0\n")
    assert run.outcome.stalls["tmu_result"] == alone.outcome.stalls["tmu_result"]
    assert run.outcome.stalls["tmu_slot"] == 0
