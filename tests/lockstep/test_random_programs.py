"""Random programs on the RTL and the model: every effect of every instruction is the same."""

import random
import struct

import pytest

from vc4.config import V3DConfig, preset
from vc4.isa.word import WORD_BYTES
from vc4.records.tmu import TextureType
from vc4sim.asm import assemble
from vc4sim.backends import model, native, pysim
from vc4sim.backends.base import Ending, Job, Launch
from vc4sim.checker import check
from vc4sim.cli import main
from vc4sim.events import MemoryWrite, Retirement
from vc4sim.lockstep import Difference, Lockstep
from vc4sim.model.tmu.formats import FORMATS
from vc4sim.model.tmu.layout import chain
from vc4sim.model.tmu.parameters import TYPE, texture
from vc4sim.random_programs import random_job
from vc4sim.random_programs.lawful import lawful
from vc4sim.random_programs.program import OUTPUT_BYTES, UNIFORM_BYTES
from vc4sim.random_programs.textures import Textures

from .told import Told

#: Latency and gaps of the memory.
MEMORIES = [(4, 0.0), (1, 0.0), (2, 0.3), (8, 0.0), (5, 0.1), (20, 0.0), (9, 0.2), (40, 0.0), (13, 0.5), (4, 0.7)]
#: Seed, latency and gaps of the memory.
RUNS = [
    (3, 20, 0.1),
    *(pytest.param(*run, marks=pytest.mark.thorough) for run in ((1, 4, 0.0), (2, 8, 0.0), (4, 5, 0.3))),
]
LENGTH = 4700
#: A part in ten on the simulator that is slower.
MILLION = [
    (1000 * part, latency, gap, "native" if part % 10 else "cxxrtl")
    for part, (latency, gap) in enumerate(MEMORIES, start=1)
]


@pytest.mark.parametrize(("seed", "latency", "gap"), RUNS)
def test_random_programs(seed, latency, gap):
    job = random_job(seed, LENGTH, V3DConfig(), latency=latency, gap=gap)
    lockstep = Lockstep(job)
    assert lockstep.run(native.run).ending is Ending.DONE
    assert lockstep.retired >= LENGTH


@pytest.mark.thorough
@pytest.mark.parametrize(("seed", "latency", "gap"), [(31, 4, 0.0), (32, 30, 0.2)])
def test_random_programs_with_lookups(seed, latency, gap):
    job = random_job(seed, LENGTH, preset("slice"), latency=latency, gap=gap)
    lockstep, sampled = Lockstep(job), set()
    tmu = lockstep.model.machine.tmu

    def one_by_one(records):
        for number in range(len(records)):
            lockstep(records[number : number + 1])
            sampled.add(int(tmu.sampler.texture[TYPE]))

    outcome = native.run(job, follow=one_by_one)
    lockstep.conclude(outcome)
    assert outcome.ending is Ending.DONE
    assert outcome.stalls["tmu_result"] > 0
    assert tmu.lookups.sum() > 100
    assert sampled == {kind.value for kind in TextureType}


def test_textures_lie_where_nobody_writes():
    """All levels of all faces, as far as their addresses do not go round."""
    for seed in range(50):
        textures = Textures(random.Random(seed), 0x1_3000)
        for one in textures.all:
            uniforms = struct.unpack_from("<4I", textures.image, one.uniforms - textures.first)
            shown = texture(uniforms)
            kind = FORMATS[shown.type]
            lowest = chain(kind, shown.width, shown.height, shown.levels)[-1].offset
            assert shown.base + lowest >= textures.first
            assert one.words == kind.reads


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(("seed", "latency", "gap", "on"), MILLION)
def test_a_million_instructions(seed, latency, gap, on, capsys):
    """A tenth of it each, by the command that replays it."""
    options = ["--seed", seed, "--latency", latency, "--gap", gap, "--length", LENGTH, "--count", 100_000]
    assert main(["lockstep", "--on", on, *map(str, options)]) == 0
    assert "no difference" in capsys.readouterr().out


@pytest.mark.thorough
def test_a_random_program_in_the_other_simulator():
    job = random_job(5, 100, V3DConfig(), latency=6, gap=0.2)
    lockstep = Lockstep(job)
    lockstep.run(pysim.run)
    assert lockstep.retired >= 100


class TestDifferences:
    """The comparison notices every kind of difference."""

    @staticmethod
    def run(spoil):
        job = random_job(5, 150, V3DConfig(), latency=4)
        lockstep, told = Lockstep(job), Told()
        return native.run(job, lambda event: lockstep(told(spoil(event)))), lockstep

    def test_a_wrong_value(self):
        seen = []

        def spoil(event):
            seen.append(event)
            if len(seen) == 90 and isinstance(event, Retirement):
                return event._replace(flags=(1, 2, 3))
            return event

        with pytest.raises(Difference, match="instruction [0-9]+ differs") as info:
            self.run(spoil)
        assert "nzc=0001,0002,0003" in str(info.value)
        assert str(info.value).count("\n") >= 3

    def test_a_wrong_byte(self):
        def spoil(event):
            return event._replace(address=event.address + 1) if isinstance(event, MemoryWrite) else event

        job = store_job()
        lockstep, told = Lockstep(job), Told()
        with pytest.raises(Difference, match="a byte written to memory differs"):
            native.run(job, lambda event: lockstep(told(spoil(event))))

    def test_a_missing_write(self):
        job = store_job()
        lockstep, told = Lockstep(job), Told()
        outcome = native.run(job, lambda event: None if isinstance(event, MemoryWrite) else lockstep(told(event)))
        with pytest.raises(Difference, match="a write to memory is missing"):
            lockstep.conclude(outcome)

    def test_another_ending(self):
        job = random_job(5, 150, V3DConfig(), latency=4)
        outcome = native.run(job)
        outcome.ending = Ending.STUCK
        with pytest.raises(Difference, match="the endings differ"):
            Lockstep(job).conclude(outcome)


def test_a_store_outside_of_memory_ends_both():
    """The RTL tells the words, too; memory has refused them."""
    job = store_job(0x9000_0000)
    assert Lockstep(job).run(native.run).why == "a DMA store or load went outside of memory"


def store_job(address=0x1_0100):
    """A program that stores one row."""
    code = assemble(
        f"ldi vw_setup, 0x1a00\nmov vpm, elem_num\nldi vw_setup, 0x80904000\nldi vw_addr, {address}\nthrend\nnop\nnop"
    )
    return Job(
        image=code.code.ljust(1024, b"\0"), base=0x10000, launches=(Launch(0x10000, 0x10200),), config=V3DConfig()
    )


def test_the_same_seed_gives_the_same_job():
    assert random_job(9, 300, V3DConfig()) == random_job(9, 300, V3DConfig())
    assert random_job(9, 300, V3DConfig()).image != random_job(10, 300, V3DConfig()).image


def test_random_programs_end():
    """A program never leaves its memory, and always ends, whatever the seed."""
    for seed in range(100, 130):
        outcome = model.run(random_job(seed, 200, V3DConfig()))
        assert outcome.ending is Ending.DONE, (seed, outcome.why)


@pytest.mark.thorough
def test_programs_run_again():
    """As often as they are to: no semaphore counts on from one time to the next, which would stop at its end."""
    for seed in range(100, 110):
        once, often = (random_job(seed, 200, V3DConfig(), times=times) for times in (2, 20))
        assert len(often.launches) == 10 * len(once.launches)
        assert words_of(often)[:200] == words_of(once)[:200]
        outcome = model.run(often)
        assert outcome.ending is Ending.DONE, (seed, outcome.why)


def test_a_lawful_program_does_not_end_too_soon():
    """It has an end in the slots of a switch, where it is none: the switch is not taken out."""
    outcome = model.run(random_job(20177, 1000, V3DConfig(), times=16))
    assert outcome.ending is Ending.DONE, outcome.why


def test_each_time_is_another():
    """What a program begins with is not what it began with before."""
    job = random_job(3, 300, V3DConfig(), times=4)
    events = []
    model.run(job, events.append)
    retired = [event for event in events if isinstance(event, Retirement)]
    begun = [number for number, event in enumerate(retired) if event.pc == job.launches[0].pc]
    assert len(begun) == 4
    # After two set-ups, what the registers get.
    effects = {tuple(event.effects() for event in retired[first + 2 : first + 60]) for first in begun}
    assert len(effects) == 4


def errors_of(words, job):
    """Errors that the checker finds in the words of a job."""
    return [one for one in check(words, job.base, entries=entries_of(job)) if one.is_error]


def entries_of(job):
    return [(launch.pc - job.base) // WORD_BYTES for launch in job.launches]


def words_of(job):
    """The words before the data."""
    return [word for (word,) in struct.iter_unpack("<Q", job.image[: -UNIFORM_BYTES - OUTPUT_BYTES])]


def test_some_programs_are_lawful_and_most_are_not():
    jobs = [random_job(seed, 300, V3DConfig()) for seed in (33, 35, 36, 37, 38, 40, 41, 84)]
    errors = [len(errors_of(words_of(job), job)) for job in jobs]
    # Those that are left are in their frames.
    assert sum(count <= 8 for count in errors) == 2
    assert sum(count > 20 for count in errors) == 6


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_what_breaks_rules_is_taken_out(seed):
    """Without a frame nothing is wrong in the end, but that the program may run on after its last word."""
    job = random_job(seed, 300, V3DConfig())
    words = words_of(job)
    assert len(errors_of(words, job)) > 20
    kept = lawful(words, job.base, entries_of(job), frozenset())
    assert {one.hazard.rule for one in errors_of(kept, job)} <= {"R27"}
    assert sum(one == other for one, other in zip(words, kept, strict=True)) > len(words) // 2


def test_the_frame_stays():
    job = random_job(1, 300, V3DConfig())
    words = words_of(job)
    assert lawful(words, job.base, entries_of(job), frozenset(range(len(words)))) == words
