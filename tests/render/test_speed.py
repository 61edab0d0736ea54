"""How long a frame takes."""

import random
import time

import pytest

from vc4.records.state import DepthTest
from vc4sim.model.cle.cle import Rest
from vc4sim.model.compiled import forced, is_available

from ..model.drawing import Drawing

TEXTURE = 0x6_1000
#: A texture with bilinear filter times an interpolated grey, with a Z test.
SOURCE = """
nop
nop
fmul r0, vary, ra15
fadd r0, r0, r5; fmul r1, vary, ra15
fadd r1, r1, r5
mov t0t, r1
mov t0s, r0
fmul r2, vary, ra15
fadd r2, r2, r5
ldi r3, 1.0
nop; fmul r3.8abcd, r2, r3
nop; ldtmu0
mov tlbz, rb15
nop; v8muld r0, r4, r3
mov tlbc, r0
"""


def seconds():
    """Of a core, to draw it."""
    drawing = Drawing(256, 256)
    drawing.memory.write(TEXTURE, random.Random(1).randbytes(64 * 64 * 4))
    drawing.clear()
    drawing.configure(depth=DepthTest.LESS, z=True, early_z_enable=1)
    corners = [
        (256 * x, 256 * y, 0.2 + 0.3 * x, 1 / (1 + x), x, y, 0.2 + 0.8 * y)
        for x, y in ((0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1))
    ]
    drawing.shader(SOURCE, corners, (TEXTURE, 64 << 20 | 64 << 8))
    drawing.draw(len(corners))
    drawing.finish()
    start = time.process_time()
    assert drawing.run() is Rest.STOPPED
    spent = time.process_time() - start
    assert drawing.frame.renderer.fragments.quads >= 128 * 128
    assert len({word for row in drawing.picture() for word in row}) > 5000
    return spent


def test_a_textured_frame():
    """256 by 256 pixels in less than 20 seconds, interpreted or compiled."""
    assert seconds() < 20


@pytest.mark.thorough
@pytest.mark.skipif(not is_available(), reason="no Numba")
def test_a_textured_frame_once_it_is_compiled():
    """In less than a second; it was 0.06 s on a machine of 2026."""
    with forced("compiled"):
        seconds()
        assert seconds() < 1
