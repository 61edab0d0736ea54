"""A path with coverage, drawn by the RTL: `python -m tests.render.vg_picture docs/images/frame_vg_star.png`."""

import math
import struct
import sys
from pathlib import Path

import numpy as np

from vc4.config import preset
from vc4.records.control import ControlCode as Code
from vc4.records.primitives import VG_END, VgPrimitiveType
from vc4.records.state import CoverageUpdate, Oversample
from vc4sim.frames.draw import DrawJob, run_draw
from vc4sim.frames.draw_lockstep import DrawLockstep
from vc4sim.render.picture import save

from ..model.drawing import LIST, PICTURE, SIZE, Drawing

__all__ = ["star"]

_SIZE = 128
#: RGBA, as a word.
_COLOUR, _BEHIND = 0xFF_20_A0_F0, 0xFF_30_20_18
#: The level of coverage in all bytes, times the colour; what is not covered is that of the clear.
_PAINT = """
nop
nop
nop; loadcv
mov r2, r4
mov r0, unif
nop; v8muld r0, r0, r2
mov r1, unif
not r2, r2
nop; v8muld r1, r1, r2
v8adds tlbc, r0, r1
"""


def _place(x: float, y: float) -> int:
    """Sixteenths of a pixel."""
    return round(16 * x) & 0xFFFF | (round(16 * y) & 0xFFFF) << 16


def star() -> Drawing:
    """Seven points, each joined with the third one on: where the path goes around twice, it is outside."""
    drawing = Drawing(_SIZE, _SIZE)
    drawing.clear(_BEHIND, z=0)  # Coverage is kept in the place of Z.
    drawing.configure(oversample=Oversample.X16, coverage=CoverageUpdate.ODD)
    drawing.shader(_PAINT, uniforms=(_COLOUR, _BEHIND))
    drawing.state(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.TRIANGLES)
    angles = [2 * math.pi * 3 * point / 7 for point in range(8)]
    points = [_place(64 + 60 * math.sin(angle), 62 + 60 * math.cos(angle)) for angle in angles]
    words = [word for one, other in zip(points, points[1:], strict=False) for word in (_place(64, 62), one, other)]
    drawing.draws.raw(struct.pack(f"<{len(words) + 3}I", *words, 1, 1, VG_END))
    drawing.configure(coverage_read_mode=0)
    drawing.state(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.TRIANGLES)
    corners = [_place(*corner) for corner in ((0, 0), (255, 0), (0, 255))]
    drawing.draws.raw(struct.pack("<6I", *corners, 1, 1, VG_END))
    return drawing.finish()


def main() -> None:
    """Draw in lockstep, and write the picture."""
    drawing = star()
    registers = (("CT1CA", LIST), ("CT1EA", drawing.list.here))
    job = DrawJob(image=drawing.memory.read(0, SIZE), registers=registers, config=preset("gpu"))
    beside = DrawLockstep(job)
    run = run_draw(job, "native", follow=beside)
    beside.compare_memory(run)
    pixels = np.frombuffer(run.memory, np.uint8)[PICTURE : PICTURE + 4 * _SIZE * _SIZE]
    save(pixels.reshape(_SIZE, _SIZE, 4), Path(sys.argv[1]))


if __name__ == "__main__":
    main()
