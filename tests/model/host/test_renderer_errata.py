"""Errata of fragments and coverage: what is in a picture with the switch, and without it."""

import numpy as np
import pytest

from vc4.errata import Erratum
from vc4sim.model.cle.cle import Rest

from ..drawing import COLOUR, PLAIN, Drawing

#: Stencil tests of the front, which never passes, and of the back, which always does.
FRONT_NEVER, BACK_ALWAYS = 1 << 30, 2 << 30 | 7 << 16
STENCIL = COLOUR + "mov stencil, unif\nmov stencil, unif\n"
ONE_TEST = STENCIL + "mov tlbz, rb15\nmov tlbc, r0\n"
#: Triangles that cover a pixel of a quad each, seen from the front and from behind.
FRONT, BACK = ((8, 8), (10, 8), (8, 10)), ((20, 8), (20, 10), (22, 8))
#: A pixel of each.
FRONT_PIXEL, BACK_PIXEL = (8, 8), (8, 20)


def two_sides(order, source, errata=()):
    """A drawing with the front and the back."""
    drawing = Drawing(errata=errata)
    drawing.clear()
    drawing.configure()
    drawing.triangles(source, *((*corners, 0.5, 5) for corners in order), uniforms=(FRONT_NEVER, BACK_ALWAYS))
    return drawing.finish()


def sides_of(drawing):
    """Whether the front and the back are drawn, both in one vector."""
    assert drawing.run() is Rest.STOPPED, drawing.thread.waits
    assert drawing.frame.renderer.fragments.vectors == 1
    picture = np.array(drawing.picture())
    return picture[FRONT_PIXEL] == 5, picture[BACK_PIXEL] == 5


@pytest.mark.parametrize(
    ("order", "errata", "drawn"),
    [
        ((FRONT, BACK), (), (False, True)),
        ((BACK, FRONT), (), (False, True)),
        ((FRONT, BACK), (Erratum.HW_2924,), (True, True)),
        ((BACK, FRONT), (Erratum.HW_2924,), (False, False)),
    ],
)
def test_the_side_that_chooses_the_stencil_test(order, errata, drawn):
    assert sides_of(two_sides(order, ONE_TEST, errata)) == drawn


#: What a program does instead: a Z write for each side, in which the quads of the other one have no flags.
AVOIDED = """
mov r1, ms_mask
mov r2, rev_flag
mov.setf -, r2
mov.ifnz ms_mask, 0
mov rev_flag, 0
nop
mov tlbz, rb15
nop
nop
mov r3, ms_mask
mov ms_mask, r1
mov.ifz ms_mask, 0
mov rev_flag, 1
nop
mov tlbz, rb15
nop
nop
mov r2, ms_mask
or ms_mask, r2, r3
nop
mov tlbc, r0
"""


@pytest.mark.parametrize("order", [(FRONT, BACK), (BACK, FRONT)])
@pytest.mark.parametrize("errata", [(), (Erratum.HW_2924,)])
def test_a_z_write_for_each_side(order, errata):
    """As the guide advises."""
    assert sides_of(two_sides(order, STENCIL + AVOIDED, errata)) == (False, True)


def coverage_behind(*sources, widths=(8, 16), errata=(), behind=None):
    """A drawing with coverage after fragments of some shaders; `widths` of rectangles: coverage, and fragments that read it."""
    drawing = Drawing(errata=errata, behind=behind)
    drawing.clear(z=0)
    drawing.configure()
    for source in sources:
        drawing.shader(source, [(*corner, 0.5, 1.0, *([7.0] if "vary" in source else [])) for corner in FRONT])
        drawing.draw(3)
    drawing.covered(*widths)
    return drawing.finish()


#: CTRUN of CT1CS; RMRST of PCS.
RUNS, RESETS = 1 << 5, 1 << 5
NO_VARYING = "nop\nnop\nldi tlbc, 3\n"


@pytest.mark.parametrize(
    ("errata", "sources"),
    [((), [PLAIN]), ((Erratum.HW_2885,), []), ((Erratum.HW_2885,), [PLAIN, NO_VARYING])],
)
def test_coverage(errata, sources):
    """It goes on without varyings before it, which is what a driver sees to."""
    drawing = coverage_behind(*sources, errata=errata)
    assert drawing.run() is Rest.STOPPED, drawing.thread.waits
    assert (np.array(drawing.picture())[8:16, 8:16] == 0xFFFF_FFFF).all()


def test_coverage_behind_varyings_locks_up():
    """The list waits for ever; after a reset the next one draws."""
    drawing = coverage_behind(PLAIN, errata=(Erratum.HW_2885,))
    assert drawing.run() is Rest.WAITING
    assert drawing.thread.waits == "coverage waits for ever: the fragments before had varyings (HW-2885)"
    frame = drawing.frame
    assert frame.read("RFC") == 0
    assert frame.read("CT1CS") & RUNS
    frame.write("PCS", RESETS)
    assert not frame.read("CT1CS") & RUNS
    assert coverage_behind(behind=drawing).run() is Rest.STOPPED
    assert frame.read("RFC") == 1
