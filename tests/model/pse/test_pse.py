"""Set-up: planes, faces, depth offset, varyings, against exact rationals."""

import random
from fractions import Fraction

import numpy as np
import pytest

from vc4.records.samples import CENTRE
from vc4sim.model.arith.float import fadd, fmul
from vc4sim.model.fep.fep import Window
from vc4sim.model.pse.pse import SetUpState, set_up_triangle, z_of
from vc4sim.model.pse.pse_shapes import set_up_line, set_up_point
from vc4sim.model.slice.vri import distance, partial_result, w_of

from ..shapes import BOTH, bits, number, quads_of, rasterise, vertex

WINDOW = Window(0, 64, 0, 64)


def interpolated(primitive, x, y):
    """W at a pixel, and of each varying its partial result and C."""
    dx, dy = distance(x, CENTRE[0], primitive.x), distance(y, CENTRE[1], primitive.y)
    planes = primitive.state.arrays.planes.reshape(-1, 3).tolist()
    below, *varyings = [(partial_result(a, b, dx, dy), c) for a, b, c in planes]
    return w_of(*below), varyings


def shaded(primitive):
    """x, y, Z, and the values of all varyings of the pixels that a primitive covers."""
    quads = quads_of(primitive, WINDOW)
    drawn = quads.covered != 0
    for x, y, z in zip(*(array[drawn].tolist() for array in (quads.x, quads.y, quads.z)), strict=True):
        w, varyings = interpolated(primitive, x, y)
        yield x, y, z, [number(fadd(fmul(partial, w), c)) for partial, c in varyings]


def weights(corners, x, y):
    """Of three corners at a position, exactly."""
    (ax, ay), (bx, by), (cx, cy) = corners
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    first = Fraction((bx - x) * (cy - y) - (cx - x) * (by - y), area)
    second = Fraction((cx - x) * (ay - y) - (ax - x) * (cy - y), area)
    return first, second, 1 - first - second


@pytest.mark.parametrize("seed", range(20))
def test_planes_of_a_triangle(seed):
    """Z within two of the last place of 24 bits, varyings within 2^-17 of the largest."""
    rng = random.Random(seed)
    while True:
        corners = [(rng.randint(-200, 1200), rng.randint(-200, 1200)) for _ in range(3)]
        (ax, ay), (bx, by), (cx, cy) = corners
        if abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) > 60_000:
            break
    z = [rng.random() for _ in range(3)]
    rw = [rng.uniform(0.2, 3) for _ in range(3)]
    values = [[rng.uniform(-2, 2) for _ in range(4)] for _ in range(3)]
    vertices = [vertex(*corners[n], z[n], rw[n], values[n]) for n in range(3)]
    exact = [[Fraction(number(bits(v))) for v in row] for row in (z, rw, *values)]
    for x, y, found_z, found in shaded(set_up_triangle(vertices, BOTH)):
        share = weights(corners, 16 * x + 8, 16 * y + 8)
        wanted = sum(a * b for a, b in zip(share, exact[0], strict=True)) * ((1 << 24) - 1)
        assert abs(found_z - wanted) < 2
        below = sum(a * b for a, b in zip(share, exact[1], strict=True))
        for index, value in enumerate(found):
            above = sum(share[n] * exact[1][n] * exact[2 + n][index] for n in range(3))
            assert abs(value - above / below) < 2 ** (2 - 17), f"seed {seed}"


def test_constant_planes_are_exact():
    """A Z that is the same at all vertices is that everywhere, and so are varyings."""
    for z in (0.0, 0.25, 0.5, 1.0):
        corners = [vertex(*at, z, 1.0, (0.7,)) for at in ((3, 5), (900, 40), (77, 800))]
        for _, _, found_z, (value,) in shaded(set_up_triangle(corners, BOTH)):
            assert found_z == min(int(z * 0x1000000), 0xFFFFFF)
            assert bits(value) == bits(0.7)


def test_z_is_cut_off_and_limited():
    assert z_of(bits(0.0)) == z_of(bits(-1.0)) == 0
    assert z_of(bits(1.0)) == z_of(bits(7.0)) == z_of(0x7F80_0000) == 0xFFFFFF << 8
    assert z_of(bits(0.5)) == 0x800000 << 8


def test_z_is_not_what_the_driver_clears_to():
    """Mesa clears to floor(z (2^24 - 1)). On a chip a Z of 0.75 is not equal to that (piglit, depthstencil-default_fb-clear)."""
    assert z_of(bits(0.75)) >> 8 != int(0.75 * 0xFFFFFF)


def test_flat_varyings_are_those_of_the_last_vertex():
    corners = [vertex(*at, 0.5, 1.0, (n, 10 + n)) for n, at in enumerate(((0, 0), (900, 0), (0, 900)))]
    for _, _, _, (flat, smooth) in shaded(set_up_triangle(corners, SetUpState(flat=0b01))):
        assert flat == 2
        assert 10 <= smooth < 12
    line = set_up_line(corners[:2], SetUpState(flat=0b10, line_width=bits(2.0)))
    for _, _, _, (across, smooth, flat) in shaded(line):
        assert 0 <= across <= 1
        assert flat == 11
        assert 0 <= smooth < 1


@pytest.mark.parametrize("clockwise", [False, True])
def test_faces(clockwise):
    """Without the bit, the front is where x turns to y."""
    corners = [vertex(0, 0), vertex(160, 0), vertex(0, 160)]
    state = SetUpState(clockwise=clockwise)
    ready, turned = set_up_triangle(corners, state), set_up_triangle(corners[::-1], state)
    assert ready is not None
    assert turned is not None
    assert (ready.reverse, turned.reverse) == (clockwise, not clockwise)
    assert (ready.turns, turned.turns) == (1, -1)
    front = SetUpState(clockwise=clockwise, back=False)
    back = SetUpState(clockwise=clockwise, front=False)
    assert (set_up_triangle(corners, front) is None) == clockwise
    assert (set_up_triangle(corners, back) is None) != clockwise


def test_no_area_no_triangle():
    assert set_up_triangle([vertex(0, 0), vertex(16, 16), vertex(32, 32)], BOTH) is None
    assert set_up_triangle([vertex(5, 5)] * 3, BOTH) is None
    assert set_up_line([vertex(5, 5)] * 2, BOTH) is None


def test_depth_offset():
    """Units are the last place of Z; the factor counts how much Z gains for a pixel along x or y."""
    slope = 1 / 64  # in 32 pixels half of the range
    corners = [vertex(0, 0, 0.25), vertex(512, 0, 0.75), vertex(0, 512, 0.25)]
    plain = {(x, y): z for x, y, z, _ in shaded(set_up_triangle(corners, BOTH))}
    for factor, units in ((0.0, 4.0), (1.0, 0.0), (-2.0, 0.0), (0.5, -8.0)):
        state = SetUpState(offset=(bits(factor) >> 16, bits(units) >> 16))
        moved = {(x, y): z for x, y, z, _ in shaded(set_up_triangle(corners, state))}
        wanted = units + factor * slope * 0xFFFFFF
        assert plain.keys() == moved.keys()
        assert all(abs(moved[place] - plain[place] - wanted) <= 1 for place in plain)


def test_depth_offset_is_limited():
    """However large factor and units are."""
    corners = [vertex(0, 0, 0.0), vertex(512, 0, 1.0), vertex(0, 512, 0.0)]
    for factor, units, wanted in ((1000.0, 0, 0xFFFFFF), (-1000.0, 0, 0), (0.0, 0x7F80, 0xFFFFFF), (0.0, 0xFF80, 0)):
        state = SetUpState(offset=(bits(factor) >> 16, units))
        assert {z for _, _, z, _ in shaded(set_up_triangle(corners, state))} == {wanted}


def test_slivers_stay_in_the_range_of_their_corners():
    """Gains of hundreds of times the range for a pixel: the sum is still right where the primitive is."""
    rng = random.Random(4)
    tried = 0
    for _ in range(300):
        ax, ay = rng.randint(0, 500), rng.randint(0, 500)
        dx, dy = rng.randint(-300, 300), rng.randint(-300, 300)
        third = (ax + dx // 2 + rng.randint(-1, 1), ay + dy // 2 + rng.randint(-1, 1))
        corners = [vertex(ax, ay, 0.1), vertex(ax + dx, ay + dy, 0.9), vertex(*third, 0.3)]
        ready = set_up_triangle(corners, BOTH)
        if ready and len(rasterise(ready, WINDOW).x):
            for x, y, z, _ in shaded(ready):
                share = weights([(c.x, c.y) for c in corners], 16 * x + 8, 16 * y + 8)
                wanted = sum(a * z_of(c.zs) for a, c in zip(share, corners, strict=True)) / 256
                assert abs(z - wanted) < 2
                tried += 1
    assert tried > 50


def test_point_coordinates():
    """Across the square from 0 to 1, and down; whatever W is."""
    for reciprocal_w in (1.0, 0.37):
        ready = set_up_point(vertex(16 * 20, 16 * 30, 0.5, reciprocal_w, (0.625,)), bits(8.0))
        pixels = list(shaded(ready))
        assert len(pixels) == 64
        for x, y, _, (across, down, value) in pixels:
            assert across == pytest.approx((x + 0.5 - 16) / 8, abs=1e-6)
            assert down == pytest.approx(1 - (y + 0.5 - 26) / 8, abs=1e-6)
            assert value == 0.625


def test_line_coordinates():
    """0 to 1 across a line along its shorter axis, not divided by W; other varyings along it, divided by W."""
    corners = [vertex(16 * 4, 16 * 10, 0.0, 1.0, (0.0,)), vertex(16 * 52, 16 * 22, 1.0, 0.5, (1.0,))]
    ready = set_up_line(corners, SetUpState(line_width=bits(6.0)))
    assert ready is not None
    quads = quads_of(ready, WINDOW)
    for place in zip(*np.nonzero(quads.covered), strict=True):
        w, ((across, c), (partial, c0)) = interpolated(ready, int(quads.x[place]), int(quads.y[place]))
        along = (quads.x[place] + 0.5 - 4) / 48
        wanted = 0.5 + (quads.y[place] + 0.5 - (10 + 12 * along)) / 6
        assert number(across) + number(c) == pytest.approx(wanted, abs=1e-5)
        below = 1 - along / 2
        assert number(w) == pytest.approx(1 / below, rel=1e-5)
        value = number(partial) * number(w) + number(c0)
        assert value == pytest.approx(along / 2 / below, abs=1e-5)
        assert quads.z[place] == pytest.approx(along * 0xFFFFFF, abs=4)
