"""Runs small programs on the RTL with the model beside it."""

import struct
from dataclasses import dataclass

import pytest

from vc4.config import V3DConfig
from vc4sim.asm import assemble
from vc4sim.backends.base import Job, Launch, Outcome
from vc4sim.events import Retirement
from vc4sim.lockstep import Lockstep

BASE = 0x1_0000
UNIFORMS = 0x1_9000
OUTPUT = 0x1_8000
SIZE = 0x1_0000

END = "\nthrend\nnop\nnop\n"


@dataclass
class Run:
    """What happened: the outcome and every retirement, in order."""

    outcome: Outcome
    retired: list[Retirement]

    def write(self, pc: int, register: str) -> tuple[int, ...]:
        """The values that the last instruction at offset `pc` wrote to `register`."""
        for event in reversed(self.retired):
            for write in event.writes:
                if event.pc == BASE + pc and write.register == register:
                    return write.words
        raise AssertionError(f"nothing at {pc:#x} wrote {register}")

    def last(self, register: str) -> tuple[int, ...]:
        """The values of the last write to `register`."""
        return next(
            w.words for event in reversed(self.retired) for w in reversed(event.writes) if w.register == register
        )

    def output(self, words: int) -> tuple[int, ...]:
        """The first words of the output region."""
        return struct.unpack_from(f"<{words}I", self.outcome.memory, OUTPUT - BASE)


def make_job(source: str, uniforms=(), *, config=None, programs: int = 1, threaded: bool = False, **options) -> Job:
    """A run of `source` with an image that has the uniforms and 4 KiB of output."""
    image = bytearray(SIZE)
    code = assemble(source).code
    image[: len(code)] = code
    words = [
        value if isinstance(value, int) else struct.unpack("<I", struct.pack("<f", value))[0] for value in uniforms
    ]
    struct.pack_into(f"<{len(words)}I", image, UNIFORMS - BASE, *words)
    options = {"latency": 4, "max_cycles": 20_000, **options}
    return Job(
        image=bytes(image),
        base=BASE,
        launches=(Launch(BASE, UNIFORMS, threaded),) * programs,
        config=config or V3DConfig(),
        **options,
    )


@pytest.fixture
def job():
    """Builds a `Job`, see `make_job`."""
    return make_job


@pytest.fixture
def lockstep(simulator):
    """Runs a source in lockstep and returns a `Run`."""

    def run(source: str, uniforms=(), **options) -> Run:
        work = make_job(source + END, uniforms, **options)
        events = []
        outcome = Lockstep(work).run(simulator, events.append)
        return Run(outcome, [event for event in events if isinstance(event, Retirement)])

    return run
