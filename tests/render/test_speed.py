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


def seconds(pixels):
    """Of a core, to draw so many by so many."""
    drawing = Drawing(pixels, pixels)
    drawing.memory.write(TEXTURE, random.Random(1).randbytes(64 * 64 * 4))
    drawing.clear()
    drawing.configure(depth=DepthTest.LESS, z=True, early_z_enable=1)
    corners = [
        (pixels * x, pixels * y, 0.2 + 0.3 * x, 1 / (1 + x), x, y, 0.2 + 0.8 * y)
        for x, y in ((0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1))
    ]
    drawing.shader(SOURCE, corners, (TEXTURE, 64 << 20 | 64 << 8))
    drawing.draw(len(corners))
    drawing.finish()
    start = time.process_time()
    assert drawing.run() is Rest.STOPPED
    spent = time.process_time() - start
    assert drawing.frame.renderer.fragments.quads >= pixels * pixels // 4
    assert len({word for row in drawing.picture() for word in row}) > pixels * pixels // 16
    return spent


def test_a_textured_frame():
    """64 by 64 pixels in less than 10 seconds; it was 1 s on a machine of 2026."""
    with forced("interpreted"):
        assert seconds(64) < 10


@pytest.mark.thorough
@pytest.mark.skipif(not is_available(), reason="no Numba")
def test_a_textured_frame_once_it_is_compiled():
    """256 by 256 pixels in less than a second; it was 0.06 s on a machine of 2026."""
    with forced("compiled"):
        seconds(256)
        assert seconds(256) < 1
