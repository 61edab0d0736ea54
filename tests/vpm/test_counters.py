"""Performance counters 26 and 27: clocks in which a store or load waits for the turn of others, beside programs that write
and read vectors as fast as they can.
"""

import pytest

from vc4.config import PRESETS
from vc4sim.asm import assemble
from vc4sim.backends import native
from vc4sim.backends.base import Ending, Job, Launch

BASE, VECTORS, UNIFORMS, BLOCK = 0x1_0000, 0x1_0400, 0x1_0800, 0x1_1000
END = "\nthrend\nnop\nnop"
#: Sixteen rows each, while the others write from row 16 on.
STORE = "ldi vw_setup, 0x88104000\nmov vw_addr, unif\nread vw_wait" + END
LOAD = "ldi vr_setup, 0x80000000\nmov vr_addr, unif\nread vr_wait" + END
OTHERS = "ldi vw_setup, 0x1a10\n" + ("ldi vr_setup, 0x1a10\nnop\nnop\n" + "mov vpm, vpm\n" * 16) * 6 + END


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("program", "counter", "other", "clocks"),
    [
        # In the end each of the 64 quads of the block waits for a vector.
        (STORE, "VPM_STALLS_VDW", "VPM_STALLS_VCD", [1, 52, 64, 64]),
        # A bus word is half a quad: quads come in every other clock, and there is a turn for each.
        (LOAD, "VPM_STALLS_VCD", "VPM_STALLS_VDW", [1, 1, 1, 1]),
    ],
    ids=["store", "load"],
)
def test_a_block_beside_vectors(program, counter, other, clocks):
    image = bytearray(0x4000)
    for address, code in (BASE, assemble(program).code), (VECTORS, assemble(OTHERS).code):
        image[address - BASE : address - BASE + len(code)] = code
    image[UNIFORMS - BASE : UNIFORMS - BASE + 4] = BLOCK.to_bytes(4, "little")
    counted = []
    for others in range(len(clocks)):
        launches = (*[Launch(VECTORS, UNIFORMS)] * others, Launch(BASE, UNIFORMS))
        outcome = native.run(Job(image=bytes(image), base=BASE, launches=launches, config=PRESETS["slice"], latency=4))
        assert (outcome.ending, outcome.errors, outcome.counts[other]) == (Ending.DONE, frozenset(), 0)
        counted.append(outcome.counts[counter])
    assert counted == clocks
