"""Coverage: edges, all kinds of primitives, windows, quads, early Z."""

import random

import numpy as np
import pytest

from vc4.records.samples import PIXEL, SAMPLES
from vc4.records.state import DepthTest, Oversample
from vc4sim.model.elementwise import elementwise
from vc4sim.model.fep.fep import QUAD, QUAD_X, QUAD_Y, FrontEnd, Limits, Window, early_test, flags_of, sixteen
from vc4sim.model.pse.pse import SetUpState, set_up_triangle
from vc4sim.model.pse.pse_shapes import set_up_line, set_up_point, set_up_rht
from vc4sim.model.tlb.compare import passes
from vc4sim.model.tlb.tlb import TileBuffer

from ..shapes import BOTH, bits, coverage, quads_of, rasterise, vertex

MODES = list(Oversample)


def mesh(rng, columns, rows, width, height):
    """Triangles that share all their edges and fill the rectangle: a grid whose inner corners lie anywhere near."""
    xs = [width * PIXEL * n // columns for n in range(columns + 1)]
    ys = [height * PIXEL * n // rows for n in range(rows + 1)]
    reach_x, reach_y = (xs[1] - xs[0]) // 3, (ys[1] - ys[0]) // 3

    def corner(column, row):
        x, y = xs[column], ys[row]
        if 0 < column < columns:
            x += rng.choice((0, 8, rng.randint(-reach_x, reach_x)))
        if 0 < row < rows:
            y += rng.choice((0, 8, rng.randint(-reach_y, reach_y)))
        return vertex(x, y)

    corners = [[corner(column, row) for column in range(columns + 1)] for row in range(rows + 1)]
    for row in range(rows):
        for column in range(columns):
            a, b = corners[row][column : column + 2]
            c, d = corners[row + 1][column : column + 2]
            for triangle in rng.choice((((a, b, c), (b, d, c)), ((a, b, d), (a, d, c)))):
                yield tuple(rng.sample(triangle, 3))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(12))
def test_meshes_cover_each_sample_once(mode, seed):
    rng = random.Random(seed)
    width, height = rng.choice((16, 31, 48)), rng.choice((16, 33))
    triangles = mesh(rng, rng.randint(1, 6), rng.randint(1, 6), width, height)
    ready = [set_up_triangle(triangle, BOTH) for triangle in triangles]
    found = coverage([one for one in ready if one], width, height, mode)
    assert (found == 1).all(), f"seed {seed}"


@pytest.mark.parametrize("mode", MODES)
def test_fans_cover_each_sample_once(mode):
    """Many thin triangles around a sample, also one that is a corner of all of them."""
    rng = random.Random(5)
    for centre in ((16 * 8 + 8, 16 * 8 + 8), (16 * 8, 16 * 8), (133, 126)):
        rim = [(x, 0) for x in range(0, 257, 16)] + [(256, y) for y in range(16, 257, 16)]
        rim += [(x, 256) for x in range(240, -1, -16)] + [(0, y) for y in range(240, -1, -16)]
        ready = []
        for first, second in zip(rim, rim[1:], strict=False):
            corners = [vertex(*centre), vertex(*first), vertex(*second)]
            ready.append(set_up_triangle(rng.sample(corners, 3), BOTH))
        assert (coverage([one for one in ready if one], 16, 16, mode) == 1).all()


def test_triangles_cover_what_lies_in_them():
    """Against the definition, sample by sample: on its side of all edges if it moves a little right, and far less up."""
    rng = random.Random(6)
    for _ in range(60):
        corners = [(rng.randint(-40, 200), rng.randint(-40, 200)) for _ in range(3)]
        ready = set_up_triangle([vertex(*corner) for corner in corners], BOTH)
        mode = rng.choice(MODES)
        found = coverage([ready] if ready else [], 12, 12, mode)
        for (row, column, sample), count in np.ndenumerate(found):
            x, y = PIXEL * column + SAMPLES[mode][sample][0], PIXEL * row + SAMPLES[mode][sample][1]
            assert count == inside(corners, int(x), int(y)), (corners, mode, x, y)


def inside(corners, x, y):
    sides = []
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        value = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        sides.append(np.sign(value) or np.sign(ay - by) or np.sign(bx - ax))
    (ax, ay), (bx, by), (cx, cy) = corners
    flat = (bx - ax) * (cy - ay) == (by - ay) * (cx - ax)
    return int(not flat and len(set(sides)) == 1)


def test_rectangles_at_pixel_edges_are_exact():
    left, right, low, high = 3, 9, 2, 11
    a, b, c, d = (vertex(16 * x, 16 * y) for x, y in ((left, low), (right, low), (right, high), (left, high)))
    for triangles in (((a, b, c), (a, c, d)), ((b, a, d), (d, c, b))):
        for mode in MODES:
            found = coverage([set_up_triangle(one, BOTH) for one in triangles], 16, 16, mode)
            wanted = np.zeros_like(found)
            wanted[low:high, left:right] = 1
            assert (found == wanted).all()


def test_samples_are_all_different_and_spread():
    for samples, cells in ((SAMPLES[Oversample.X4], 4), (SAMPLES[Oversample.X16], 16)):
        for axis in (0, 1):
            assert sorted(place[axis] * cells // PIXEL for place in samples) == list(range(cells))
    quarters = [(x // 8, y // 8) for x, y in SAMPLES[Oversample.X4]]
    assert quarters == [(0, 0), (1, 0), (0, 1), (1, 1)]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_points_are_squares(size):
    for offset in (0, 5, 8):
        ready = set_up_point(vertex(16 * 10 + offset, 16 * 10 + offset), bits(float(size)))
        found = coverage([ready], 24, 24, Oversample.NONE)[..., 0]
        assert found.sum() == size * size
        rows, columns = np.nonzero(found)
        assert set(rows) == set(columns) == set(range(rows.min(), rows.min() + size))
    assert set_up_point(vertex(0, 0), bits(0.0)) is None
    assert set_up_point(vertex(0, 0), bits(-3.0)) is None


def test_lines_have_one_pixel_a_step_and_share_no_ends():
    rng = random.Random(7)
    for _ in range(50):
        corners = [(rng.randint(0, 600), rng.randint(0, 600)) for _ in range(2)]
        ready = set_up_line([vertex(*corner) for corner in corners], BOTH)
        if ready is None:
            continue
        (ax, ay), (bx, by) = corners
        found = coverage([ready], 40, 40, Oversample.NONE)[..., 0]
        axis = 0 if abs(bx - ax) >= abs(by - ay) else 1
        low, high = sorted((ax, bx) if axis == 0 else (ay, by))
        steps = found.sum(axis=axis)
        centres = 16 * np.arange(40) + 8
        expected = (centres > low) & (centres < high)
        on_an_end = (centres == low) | (centres == high)
        assert (steps[~on_an_end] == expected[~on_an_end]).all(), corners


def test_a_chain_of_lines_draws_its_corners_once():
    corners = [(8, 8), (136, 8), (264, 8), (392, 8)]
    for chain in (corners, corners[::-1]):
        ready = [set_up_line([vertex(*a), vertex(*b)], BOTH) for a, b in zip(chain, chain[1:], strict=False)]
        found = coverage(ready, 32, 4, Oversample.NONE)[0, :, 0]
        assert found.max() == 1
        assert found.sum() == 24


def test_wide_lines_are_wide_along_the_shorter_axis():
    state = SetUpState(line_width=bits(5.0))
    found = coverage([set_up_line([vertex(32, 160), vertex(320, 200)], state)], 24, 24, Oversample.NONE)[..., 0]
    assert set(found.sum(axis=0)) == {0, 5}


def test_rhts_fill_both_sides_of_an_edge():
    """From an edge to the left and to the right: each sample of the rows in between once, wherever the boundaries are."""
    rng = random.Random(8)
    for _ in range(40):
        first, last = (rng.randint(64, 190), rng.randint(0, 256)), (rng.randint(64, 190), rng.randint(0, 256))
        ready = []
        for boundary in (0, 256):
            state = SetUpState(rht_boundary=boundary)
            ready += set_up_rht([vertex(*first), vertex(*last)], state)
        for mode in MODES:
            found = coverage(ready, 16, 16, mode)
            for sample, (_, y) in enumerate(SAMPLES[mode]):
                rows = 16 * np.arange(16) + y
                low, high = sorted((first[1], last[1]))
                assert (found[..., sample] == ((rows >= low) & (rows < high))[:, None]).all()


def test_an_rht_that_its_boundary_crosses_has_two_pieces_that_turn_apart():
    ready = set_up_rht([vertex(0, 0), vertex(256, 256)], SetUpState(rht_boundary=128))
    assert sorted(one.turns for one in ready) == [-1, 1]
    found = coverage(ready, 16, 16, Oversample.NONE)[..., 0]
    assert found.max() == 1
    assert found[0].nonzero()[0].tolist() == list(range(8))
    assert found[15].nonzero()[0].tolist() == list(range(8, 15))


def test_windows_cut_pixels_not_quads():
    triangle = set_up_triangle([vertex(0, 0), vertex(1000, 0), vertex(0, 1000)], BOTH)
    quads = quads_of(triangle, Window(3, 6, 5, 8))
    drawn = {(x, y) for x, y, covered in zip(quads.x.flat, quads.y.flat, quads.covered.flat, strict=True) if covered}
    assert drawn == {(x, y) for x in (3, 4, 5) for y in (5, 6, 7)}
    assert (quads.x[:, 0] % 2 == 0).all()
    assert (quads.x - quads.x[:, :1] == [0, 1, 0, 1]).all()
    assert (quads.y - quads.y[:, :1] == [0, 0, 1, 1]).all()
    assert quads.x.shape[1] == QUAD
    assert not len(rasterise(triangle, Window(3, 3, 5, 8)).x)
    assert not len(rasterise(triangle, Window(900, 910, 5, 8)).x)


def test_z_planes_cut_pixels():
    corners = [vertex(0, 0, 0.0), vertex(16 * 32, 0, 1.0), vertex(0, 16 * 32, 0.0)]
    half = 1 << 23
    triangle, window = set_up_triangle(corners, BOTH), Window(0, 32, 0, 32)
    whole, quads = quads_of(triangle, window), rasterise(triangle, window, limits=Limits((half, (1 << 24) - 1)))
    assert quads.z[quads.covered != 0].min() >= half
    assert (quads.covered != 0).any(axis=1).all()
    assert (quads.covered != 0).sum() == ((whole.covered != 0) & (whole.z >= half)).sum() > 0


def test_flags_of_pixels():
    none, four, sixteens = (mode.value for mode in MODES)
    assert [flags_of(covered, none, True) for covered in (0, 1)] == [0, 15]
    assert flags_of(5, four, True) == 5
    assert flags_of(5, four, False) == 15
    for sample, (x, y) in enumerate(SAMPLES[Oversample.X16]):
        quarter = (x >= 8) + 2 * (y >= 8)
        assert flags_of(1 << sample, sixteens, True) == 1 << quarter
    assert sixteen(1, none) == 0xFFFF
    quarters = [sixteen(1 << n, four) for n in range(4)]
    assert sum(quarters) == 0xFFFF
    assert all(quarter.bit_count() == 4 for quarter in quarters)


@pytest.mark.parametrize("test", list(DepthTest))
@pytest.mark.parametrize("greater", [False, True])
def test_early_z_keeps_every_quad_with_a_pixel_that_passes(test, greater):
    rng = np.random.default_rng(9)
    tile = TileBuffer()
    front_end, window = FrontEnd(tile), Window(0, 64, 0, 64)
    early = early_test(test, greater=greater)
    # A sloping triangle, all of whose Z lie among those in the tile buffer.
    stored = rng.integers(0, 1 << 24, (64, 64))
    tile.zs[..., 0] = stored << 8
    triangle = set_up_triangle([vertex(0, 0, 0.1), vertex(2048, 0, 0.9), vertex(0, 2048, 0.4)], BOTH)
    assert triangle is not None
    whole = rasterise(triangle, window)
    kept = front_end.rasterise(triangle, window, Oversample.NONE, Limits(early=early)).kept
    places = set(map(tuple, front_end.quads.arrays[:kept, [QUAD_X, QUAD_Y]].tolist()))
    passing = elementwise(passes, test.value, whole.z, stored[whole.y, whole.x]).any(axis=1)
    for x, y, any_passes in zip(whole.x[:, 0].tolist(), whole.y[:, 0].tolist(), passing, strict=True):
        assert (x, y) in places or not any_passes
    directed = (DepthTest.GREATER, DepthTest.GREATER_EQUAL) if greater else (DepthTest.LESS, DepthTest.LESS_EQUAL)
    assert (kept == len(whole.x)) == (test not in directed)
