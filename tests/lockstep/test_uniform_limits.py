"""The length of a stream of uniforms: model and RTL stop at the same instruction."""

import pytest

from vc4.config import V3DConfig
from vc4sim.asm import assemble
from vc4sim.backends import model
from vc4sim.backends.base import Ending, Job, Launch
from vc4sim.lockstep import Lockstep

BASE, UNIFORMS = 0x1_0000, 0x1_0100
READS = "mov r0, unif\n" * 4
MOVED = f"mov r0, unif\nldi r1, {UNIFORMS + 4}\nmov unif_addr, r1\nnop\nnop\n" + READS
END = "thrend\nnop\nnop\n"


@pytest.mark.parametrize(
    ("source", "length", "ends_at"),
    [
        (READS, 0, None),
        (READS, 1, 1),
        (READS, 3, 3),
        (READS, 4, None),
        (READS, 1023, None),
        (READS, 1024, None),
        (MOVED, 1, None),
    ],
)
def test_a_read_behind_the_end_stops(simulator, source, length, ends_at):
    image = assemble(source + END).code.ljust(256, b"\0") + bytes(range(64))
    job = Job(image=image, base=BASE, launches=(Launch(BASE, UNIFORMS, length=length),), config=V3DConfig())
    outcome = Lockstep(job).run(simulator)
    for ended in (outcome, model.run(job)):
        if ends_at is None:
            assert ended.ending is Ending.DONE
        else:
            assert ended.ending is Ending.STUCK
            assert ended.why.startswith(f"QPU 0 at {BASE + 8 * ends_at:#010x}")
