"""Golden rates of many QPUs: what one does in a time, twelve do twelve times, while all hit in their caches."""

import pytest

from vc4.config import preset
from vc4sim.asm import assemble
from vc4sim.backends import native
from vc4sim.backends.base import Ending, Job, Launch

pytestmark = pytest.mark.usefixtures("compiler")

BASE, UNIFORMS = 0x1_0000, 0x1_0800
#: A round without what is in it: one instruction to count, a branch and its delay slots.
FRAME = 5
FEW, MANY = 5, 15

#: Instructions of a round, and clocks that it takes beyond four for each.
ROUNDS = {
    "both ALUs": (".rep i, 24\nfadd r0, r1, r2; fmul r1, r0, r2\n.endr", 24, 0),
    "twelve lines": (".rep i, 96\nfadd r0, r1, ra2\n.endr", 96, 0),
    # The unit takes the vectors of a slice one after the other, so no more than one of eight instructions writes to it.
    "special functions": (".rep i, 4\nmov recip, r0\n.rep j, 7\nnop\n.endr\n.endr", 32, 0),
    # The stream begins anew in each round: its first uniform comes a slot too late.
    "uniforms": (f"ldi unif_addr, {UNIFORMS}\nnop\nnop\n.rep i, 16\nmov r0, unif\n.endr", 19, 4),
}


def run(body, rounds, qpus, config):
    """So many QPUs run the body in a loop."""
    source = (
        f"ldi ra1, {rounds}\nnop\n:l\nsub.setf ra1, ra1, 1\n{body}\nbrr.allnz -, r:l\nnop\nnop\nnop\nthrend\nnop\nnop"
    )
    image = assemble(source).code.ljust(UNIFORMS - BASE, b"\0") + bytes(256)
    job = Job(image=image, base=BASE, launches=(Launch(BASE, UNIFORMS),) * qpus, config=preset(config))
    outcome = native.run(job)
    assert outcome.ending is Ending.DONE
    return outcome


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("config", "qpus"), [("slice", 1), ("slice", 4), pytest.param("bcm2835", 12, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("kind", ROUNDS)
def test_rate(kind, config, qpus):
    """What the first rounds take, until the caches are filled, drops out."""
    body, length, lost = ROUNDS[kind]
    few, many = (run(body, rounds, qpus, config) for rounds in (FEW, MANY))
    assert many.instructions - few.instructions == qpus * (MANY - FEW) * (FRAME + length)
    assert many.cycles - few.cycles == (MANY - FEW) * (4 * (FRAME + length) + lost)
    # The caches of instructions miss nothing more, and memory is left alone.
    for name in ("QPU_INSTRUCTION_MISSES", "QPU_UNIFORMS_MISSES", "L2C_MISSES"):
        assert many.counts[name] == few.counts[name]
