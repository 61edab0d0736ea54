"""Random programs on the RTL and the model: every effect of every instruction is the same."""

import dataclasses

import pytest

from vc4.config import V3DConfig
from vc4.isa.decode import decode
from vc4sim.asm import assemble
from vc4sim.backends import cxxrtl, pysim
from vc4sim.backends.base import Ending, Job, Launch
from vc4sim.events import Retirement
from vc4sim.lockstep import Difference, Lockstep
from vc4sim.model.v3d import ModelV3D
from vc4sim.random_programs import random_job

#: Seed, latency and gaps of the memory. Together they run more than 20,000 instructions: as native code, or in Amaranth's
#: simulator where there is no compiler.
RUNS = [(1, 4, 0.0), (2, 8, 0.0), (3, 20, 0.1), (4, 5, 0.3)]
LENGTH = 4700


@pytest.mark.parametrize(("seed", "latency", "gap"), RUNS)
def test_random_programs(seed, latency, gap):
    job = random_job(seed, LENGTH, V3DConfig(), latency=latency, gap=gap)
    watch = Lockstep(job)
    outcome = cxxrtl.run(job, watch)
    watch.conclude(outcome)
    assert outcome.ending is Ending.DONE
    assert watch.retired >= LENGTH


def test_a_random_program_in_the_other_simulator():
    job = random_job(5, 1000, V3DConfig(), latency=6, gap=0.2)
    watch = Lockstep(job)
    watch.conclude(pysim.run(job, watch))
    assert watch.retired >= 1000


class TestDifferences:
    """The comparison notices every kind of difference."""

    @staticmethod
    def run(spoil):
        job = random_job(5, 150, V3DConfig(), latency=4)
        watch = Lockstep(job)
        return pysim.run(job, lambda event: watch(spoil(event))), watch

    def test_a_wrong_value(self):
        seen = []

        def spoil(event):
            seen.append(event)
            if len(seen) == 90 and isinstance(event, Retirement):
                return dataclasses.replace(event, flags=(1, 2, 3))
            return event

        with pytest.raises(Difference, match="instruction [0-9]+ differs") as info:
            self.run(spoil)
        assert "nzc=0001,0002,0003" in str(info.value)
        assert str(info.value).count("\n") >= 3

    def test_a_wrong_byte(self):
        def spoil(event):
            return event if isinstance(event, Retirement) else dataclasses.replace(event, address=event.address + 1)

        job = store_job()
        watch = Lockstep(job)
        with pytest.raises(Difference, match="a byte written to memory differs"):
            pysim.run(job, lambda event: watch(spoil(event)))

    def test_a_missing_write(self):
        job = store_job()
        watch = Lockstep(job)
        outcome = pysim.run(job, lambda event: watch(event) if isinstance(event, Retirement) else None)
        with pytest.raises(Difference, match="a write to memory is missing"):
            watch.conclude(outcome)

    def test_another_ending(self):
        job = random_job(5, 150, V3DConfig(), latency=4)
        watch = Lockstep(job)
        outcome = pysim.run(job, watch)
        outcome.ending = Ending.STUCK
        with pytest.raises(Difference, match="the endings differ"):
            Lockstep(job).conclude(outcome)


def store_job():
    """A program that stores one row."""
    code = assemble(
        "ldi vw_setup, 0x1a00\nmov vpm, elem_num\nldi vw_setup, 0x80904000\nldi vw_addr, 0x10100\nthrend\nnop\nnop"
    )
    return Job(
        image=code.code.ljust(1024, b"\0"), base=0x10000, launches=(Launch(0x10000, 0x10200),), config=V3DConfig()
    )


def test_the_same_seed_gives_the_same_job():
    assert random_job(9, 300, V3DConfig()) == random_job(9, 300, V3DConfig())
    assert random_job(9, 300, V3DConfig()).image != random_job(10, 300, V3DConfig()).image


def test_random_programs_use_everything_that_is_built():
    """Over a few programs every operation, pack, unpack, condition and immediate is executed."""
    seen = {
        name: set() for name in ("op_add", "op_mul", "pack", "unpack", "cond_add", "cond_mul", "raddr_b", "condition")
    }
    for seed in range(6):
        job = random_job(seed, 3000, V3DConfig())
        model = ModelV3D(job.config, job.image, job.base)
        for event in model.run(job.launches):
            fields = vars(decode(event.word))
            for name, values in seen.items():
                if name in fields:
                    values.add((fields.get("pm"), fields[name]) if name in ("pack", "unpack") else fields[name])
    assert {name: len(values) for name, values in seen.items()} == {
        "op_add": 32,
        "op_mul": 8,
        "pack": 32,
        "unpack": 16,
        "cond_add": 8,
        "cond_mul": 8,
        "raddr_b": 64,
        "condition": 16,
    }
