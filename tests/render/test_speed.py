"""How long a frame takes."""

import random
import time

from vc4.records.state import DepthTest
from vc4sim.model.cle.cle import Rest

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


def test_a_textured_frame():
    """256 by 256 pixels in less than 20 seconds; it was 0.2 s on a machine of 2026."""
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
    assert time.process_time() - start < 20
    assert drawing.frame.renderer.fragments.quads >= 128 * 128
    assert len({word for row in drawing.picture() for word in row}) > 5000
