"""Fragments: vectors that are shaded together have the same bits as one after the other; which quads share a vector."""

import random

import numpy as np
import pytest

from vc4.config import PRESETS
from vc4.records.primitives import PrimitiveMode
from vc4.records.state import DepthTest, Oversample
from vc4sim.model.cle.cle import Rest
from vc4sim.model.fep.fep import Quads
from vc4sim.model.fep.fragments import FragmentProgram, Fragments
from vc4sim.model.memory import Memory
from vc4sim.model.pse.pse import set_up_triangle
from vc4sim.model.qpu.fragment_port import FragmentModes
from vc4sim.model.tlb.tlb import TileBuffer

from .drawing import COLOUR, PLAIN, WITH_Z, Drawing
from .shapes import BOTH, vertex

#: Adds to what is there, so that order and number of writes show.
BLEND = "nop\nnop\nmov r0, vary; loadc\nfadd r0, r5, 0\nftoi r0, r0\nadd r1, r4, r4\nadd tlbc, r0, r1\n"
#: Rounds until the column that is furthest in its eight has had all of its own.
LOOP = (
    COLOUR
    + """
    and r1, x_coord, 7
    mov r2, 0
again:
    add r2, r2, r0
    sub.setf r1, r1, 1
    brr.anynn -, :again
    nop
    nop
    nop
    mov tlbc, r2
"""
)
#: Branches on one pixel of sixteen; then rotation by an amount from the first one.
APART = (
    COLOUR
    + """
    and.setf -, x_coord, 8
    brr.allz -, :left
    nop
    nop
    nop
    add r0, r0, 1
left:
    mov r1, y_coord
    and r5rep, r1, 15
    nop
    mov r2, x_coord
    nop
    mov r2, r2 << r5
    shl r2, r2, 8
    or tlbc, r0, r2
"""
)
#: The mutex makes each vector go by itself.
LOCKED = COLOUR + "mov -, mutex\nmov mutex, 0\nmov tlbc, r0\n"
SAMPLES = "nop\nnop\nmov r0, vary; loadc\nfadd r0, r5, 0\nftoi r0, r0\n" + "add tlbm, r4, r0; loadc\n" * 3
SAMPLES += "add tlbm, r4, r0\n"
NEIGHBOURS = COLOUR + "mov r1, x_coord\nnop\nmov r2, r1 << 5\nshl r2, r2, 8\nor tlbc, r0, r2\n"
#: A texture of one colour a texel, at the pixel's place; the bias changes with the quad.
LOOKUP = COLOUR + "itof r1, x_coord\nfmul r1, r1, 0.03125\nitof r2, y_coord\nfmul r2, r2, 0.03125\n"
LOOKUP += "mov t0t, r2\nmov t0s, r1\nnop; ldtmu0\nmov tlbc, r4\n"
TEXTURE = (0x1_0000 | 0, 32 << 20 | 32 << 8 | 1 << 7 | 1 << 4)

PROGRAMS = {
    "plain": (PLAIN, ()),
    "blend": (BLEND, ()),
    "depth": (WITH_Z, ()),
    "loop": (LOOP, ()),
    "apart": (APART, ()),
    "locked": (LOCKED, ()),
    "samples": (SAMPLES, ()),
    "neighbours": (NEIGHBOURS, ()),
    "lookup": (LOOKUP, TEXTURE),
}


def random_drawing(seed, program, *, multisample, together):
    rng = random.Random(seed)
    drawing = Drawing(96, 64, multisample_mode=int(multisample))
    drawing.frame.renderer.fragments.together = together
    drawing.clear(rng.getrandbits(8))
    source, uniforms = PROGRAMS[program]
    for _ in range(rng.randint(1, 2)):
        drawing.configure(
            depth=rng.choice(list(DepthTest)),
            z=rng.random() < 0.7,
            oversample=rng.choice((Oversample.NONE, Oversample.X4)),
        )
        triangles = []
        for _ in range(rng.randint(1, 7)):
            corners = [(rng.randint(0, 1536) / 16, rng.randint(0, 1024) / 16) for _ in range(3)]
            triangles.append((*corners, rng.random(), rng.randrange(256)))
        drawing.triangles(source, *triangles, uniforms=uniforms)
    assert drawing.finish().run() is Rest.STOPPED, drawing.thread.waits
    return drawing


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("multisample", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_together_or_one_after_the_other(program, multisample):
    kinds = set()
    for seed in range(2):
        drawings = [
            random_drawing(seed, program, multisample=multisample, together=together) for together in (True, False)
        ]
        first, second = (drawing.picture() for drawing in drawings)
        assert first == second, f"seed {seed}"
        kinds |= {word for row in first for word in row}
        counts = [(drawing.frame.renderer.fragments.vectors, drawing.frame.events) for drawing in drawings]
        assert counts[0] == counts[1]
    assert len(kinds) > 3


#: Where a program may switch threads, wait for the scoreboard and give it back early; nothing of that can be seen.
SWITCHES = (
    "nop; thrsw\nnop\nnop\n"
    + COLOUR
    + "nop; lthrsw\nnop\nnop\nnop; sbwait\nmov tlbz, rb15\nmov tlbc, r0\nnop; sbdone\n"
)


def test_switches_and_the_scoreboard_change_nothing():
    pictures = []
    for source in (WITH_Z, SWITCHES):
        drawing = Drawing(64, 64)
        drawing.clear()
        drawing.configure(depth=DepthTest.LESS, z=True)
        drawing.triangles(source, ((0, 0), (60, 9), (9, 60), 0.5, 7), ((60, 60), (60, 3), (0, 50), 0.25, 9))
        assert drawing.finish().run() is Rest.STOPPED, drawing.thread.waits
        pictures.append(drawing.picture())
    assert pictures[0] == pictures[1]
    assert {word for row in pictures[0] for word in row} == {0, 7, 9}


#: Programs, how many quads in a row they draw, and what the vector behind the last one that ends waits for.
SHARED = {
    "a mutex that nobody frees": ("mov -, mutex\n", 8, "the mutex"),
    "a semaphore that is full": ("srel -, 3\n", 64, "semaphore 3, which is full"),
    "a semaphore that nobody counts up": ("sacq -, 4\n", 4, "semaphore 4, which is 0"),
}


@pytest.mark.parametrize("name", SHARED)
def test_vectors_share_semaphores_and_the_mutex(name):
    """One vector finds what another one has left; who waits for a later one waits for ever."""
    source, quads, why = SHARED[name]
    drawing = Drawing(128, 64)
    drawing.clear()
    drawing.configure()
    drawing.rectangle(COLOUR + source + "mov tlbc, r0\n", 0, 0, 2 * quads, 2)
    assert drawing.finish().run() is Rest.WAITING
    assert drawing.thread.waits.endswith(f"waits for {why}")


def test_vertices_and_fragments_share_semaphores():
    """What vertex and coordinate shaders have counted up, fragment shaders count down."""
    drawing = Drawing()
    frame = drawing.frame
    for shading in (frame.binner.shading, frame.renderer.screen.shading, frame.renderer.fragments):
        assert shading._sync is frame.binner.shading._sync
    frame.binner.shading._sync.semaphores[5] = 2
    drawing.clear()
    drawing.configure()
    drawing.rectangle(COLOUR + "sacq -, 5\nmov tlbc, r0\n", 0, 0, 8, 2, colour=3)
    assert drawing.finish().run() is Rest.STOPPED, drawing.thread.waits
    assert drawing.picture()[0][:9] == [3] * 8 + [0]


class Recording(Fragments):
    """Fragments whose vectors are kept, not shaded."""

    def __init__(self):
        super().__init__(Memory(64), PRESETS["bcm2835"], TileBuffer(), together=False)
        self.seen = []

    def _run(self, program, fragments):
        places = list(zip(fragments.x[0, ::4].tolist(), fragments.y[0, ::4].tolist(), strict=True))
        used = int(fragments.flags.reshape(4, 4).any(axis=1).sum())
        self.seen.append(places[:used])
        assert not fragments.flags.reshape(4, 4)[used:].any()
        assert set(places[used:]) <= {places[used - 1]}


def quads(*places):
    x, y = (np.array([[place[axis] * 2] for place in places]) for axis in (0, 1))
    x, y = x + [0, 1, 0, 1], y + [0, 0, 1, 1]
    return Quads(x, y, np.ones_like(x), np.zeros_like(x))


def test_which_quads_share_a_vector():
    """Four that follow each other, also of two primitives; a quad that is there already begins a new one."""
    fragments, triangle = Recording(), set_up_triangle([vertex(0, 0), vertex(999, 0), vertex(0, 999)], BOTH)
    program = FragmentProgram(0, 0, False, FragmentModes())
    for places in ([(0, 0), (1, 0)], [(2, 0), (3, 0), (4, 0)], [(4, 0), (5, 0)], [(6, 0)]):
        found = quads(*places)
        fragments.add(program, triangle, found, found.covered)
    fragments.close()
    found = quads((7, 0))
    fragments.add(program, triangle, found, found.covered)
    fragments.add(FragmentProgram(8, 0, False, FragmentModes()), triangle, found, found.covered)
    fragments.flush()
    wanted = [[0, 1, 2, 3], [4], [4, 5, 6], [7], [7]]
    assert fragments.seen == [[(2 * x, 0) for x in row] for row in wanted]
    assert (fragments.quads, fragments.vectors) == (10, 5)


def test_what_shaders_get():
    """Pixel, flags, side, W and Z in their registers."""
    drawing = Drawing()
    drawing.clear()
    drawing.configure()
    source = "nop\nnop\nmov r0, vary\nftoi r0, ra15\nshl r0, r0, 8\nor r0, r0, x_coord\nshl r0, r0, 8\n"
    source += "or r0, r0, y_coord\nmov r1, rev_flag\nshl r1, r1, 7\nor tlbc, r0, r1\n"
    corners = ((0, 0), (64, 0), (0, 64)), ((64, 64), (64, 0), (0, 64))
    for n, triangle in enumerate(corners):
        drawing.shader(source, [(*corner, 0.5, 1 / (3 + n), 0.0) for corner in triangle])
        drawing.draw(3, PrimitiveMode.TRIANGLES)
    assert drawing.finish().run() is Rest.STOPPED, drawing.thread.waits
    for y, row in enumerate(drawing.picture()):
        for x, word in enumerate(row):
            below = x + y < 63
            assert word & 0xFFFF == x << 8 | y | (not below) << 7
            assert abs((word >> 16) - (3 if below else 4)) <= 1
