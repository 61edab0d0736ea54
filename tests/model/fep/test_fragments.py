"""Fragments: which quads share a vector, what shaders get of them, and what programs share."""

import random

import pytest

from vc4.records.primitives import PrimitiveMode
from vc4.records.state import DepthTest, Oversample
from vc4sim.model.cle.cle import Rest
from vc4sim.model.compiled import State
from vc4sim.model.fep.fep import FrontEnd, Window
from vc4sim.model.fep.fragments import VECTORS, FragmentProgram, Fragments, fill
from vc4sim.model.pse.pse import set_up_triangle
from vc4sim.model.qpu.fragment_state import FLAGS, FragmentModes, X, Y, new_fragments
from vc4sim.model.tlb.tlb import TileBuffer

from ..drawing import COLOUR, WITH_Z, Drawing
from ..shapes import BOTH, vertex

#: Adds to twice what is there, so that order and number of writes show.
BLEND = "nop\nnop\nmov r0, vary; loadc\nfadd r0, r5, 0\nftoi r0, r0\nadd r1, r4, r4\nadd tlbc, r0, r1\n"


def test_fragments_of_a_pixel_are_shaded_in_order():
    """Rectangles on top of each other, of few quads and of many: against the sums in plain Python."""
    rng = random.Random(1)
    drawing = Drawing(64, 64)
    drawing.clear()
    drawing.configure()
    wanted = [[0] * 64 for _ in range(64)]
    triangles = []
    for _ in range(20):
        x, y, colour = rng.randrange(48), rng.randrange(48), rng.randrange(256)
        right, high = x + rng.choice((1, 2, 5, 16)), y + rng.choice((1, 2, 5, 16))
        a, b, c, d = (x, y), (right, y), (right, high), (x, high)
        triangles += [(a, b, c, 0.5, colour), (a, c, d, 0.5, colour)]
        for row in wanted[y:high]:
            row[x:right] = [2 * value + colour for value in row[x:right]]
    drawing.triangles(BLEND, *triangles)
    assert drawing.finish().run() is Rest.STOPPED, drawing.thread.waits
    assert drawing.picture() == wanted


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


#: Programs, how many quads in a row they draw, and what the vector after the last one that ends waits for.
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


def test_fragments_share_semaphores_with_other_programs():
    """What others have counted up, fragment shaders count down."""
    drawing = Drawing()
    drawing.frame.machine.sync.semaphores[5] = 2
    drawing.clear()
    drawing.configure()
    drawing.rectangle(COLOUR + "sacq -, 5\nmov tlbc, r0\n", 0, 0, 8, 2, colour=3)
    assert drawing.finish().run() is Rest.STOPPED, drawing.thread.waits
    assert drawing.picture()[0][:9] == [3] * 8 + [0]


class Recording:
    """A shader that keeps what it gets."""

    def __init__(self):
        self.tile, self.seen = TileBuffer(), []
        self._fragments = State(new_fragments())

    def shade(self, queue, program, varyings):
        for vector in range(queue.arrays.counts[VECTORS]):
            fill(self._fragments.views, queue.views, 0, 0, vector, varyings, *program.modes.codes)
            self._see()

    def _see(self):
        x, y, flags = (self._fragments.arrays.pixels[0, 0, row].reshape(4, 4) for row in (X, Y, FLAGS))
        places = list(zip(x[:, 0].tolist(), y[:, 0].tolist(), strict=True))
        used = int(flags.any(axis=1).sum())
        self.seen.append(places[:used])
        assert not flags[used:].any()
        assert set(places[used:]) <= {places[used - 1]}


def test_which_quads_share_a_vector():
    """Four that follow each other, also of two primitives; a quad that is there already begins a new one."""
    shader = Recording()
    fragments, front_end = Fragments(shader), FrontEnd(shader.tile)
    triangle = set_up_triangle([vertex(0, 0), vertex(999, 0), vertex(0, 999)], BOTH)
    program = FragmentProgram(0, 0, False, FragmentModes())

    def add(program, first, end):
        """Quads side by side: the first one, the one after the last."""
        quads = front_end.rasterise(triangle, Window(2 * first, 2 * end, 0, 2), Oversample.NONE)
        fragments.begin(program, triangle)
        fragments.add(triangle, front_end, quads, Oversample.NONE)

    for first, end in ((0, 2), (2, 5), (4, 6), (6, 7)):
        add(program, first, end)
    fragments.close()
    add(program, 7, 8)
    add(FragmentProgram(8, 0, False, FragmentModes()), 7, 8)
    fragments.flush()
    wanted = [[0, 1, 2, 3], [4], [4, 5, 6], [7], [7]]
    assert shader.seen == [[(2 * x, 0) for x in row] for row in wanted]
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
