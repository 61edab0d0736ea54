"""Clipping: arithmetic, and what is left of triangles and lines."""

import math
import random
import struct
from fractions import Fraction

import numpy as np
import pytest

from vc4sim.model.arith.float import fadd, fmul
from vc4sim.model.elementwise import elementwise
from vc4sim.model.ptb.clip import Outcome, classify, clip
from vc4sim.model.ptb.clipped_primitives import ScreenTransform, clipped_primitives
from vc4sim.model.ptb.truncated import LARGEST, add, bits, div, is_below, mul, number

SCALE = (64.0 * 16, -64.0 * 16)
LARGEST_BITS = 0x7F7F_FFFF


def new_seed():
    seed = random.randrange(1 << 32)
    print("seed", seed)
    return seed


def random_patterns(rng, count):
    """Floats of all kinds; many whose exponents are near to each other."""
    near = rng.integers(0, 1 << 24, count, np.uint32) + np.uint32(127 << 23)
    anything = rng.integers(0, 1 << 32, count, np.uint32)
    patterns = np.where(rng.random(count) < 0.7, near | (anything & np.uint32(1 << 31)), anything)
    return patterns[(patterns >> 23 & 255) != 255]


def limited(pattern):
    """What the QPU gives, with the largest number in place of infinity."""
    return pattern & 1 << 31 | LARGEST_BITS if pattern >> 23 & 255 == 255 else pattern


class TestTruncated:
    def test_patterns(self):
        assert number(0x3F80_0000) == 1.0
        assert number(0x8000_0001) == 0.0
        assert number(0xC020_0000) == -2.5
        assert number(0x7F80_0000) is None
        assert number(0xFFC0_0000) is None
        assert number(LARGEST_BITS) == LARGEST
        assert bits(LARGEST) == LARGEST_BITS
        for pattern in random_patterns(np.random.default_rng(1), 2000).tolist():
            if pattern >> 23 & 255:
                assert bits(number(pattern)) == pattern

    def test_the_sign_of_a_sum(self):
        """Also next to 0, where a sum that is too small is none."""
        rng = np.random.default_rng(3)
        patterns = np.concatenate([random_patterns(rng, 3000), rng.integers(0, 1 << 25, 3000, np.uint32)])
        patterns = np.concatenate([patterns, patterns ^ np.uint32(1 << 31)])
        for a, b in rng.permutation(np.stack([patterns, rng.permutation(patterns)], -1)).tolist():
            for other in (b, a ^ 1 << 31, (a ^ 1 << 31) + 1 & ~(1 << 31) | (a ^ 1 << 31) & 1 << 31):
                x, y = number(a), number(other)
                if x is not None and y is not None:
                    assert is_below(x, y) == (add(x, y) < 0)

    def test_sums_and_products_are_those_of_the_qpu(self):
        rng = np.random.default_rng(new_seed())
        a, b = random_patterns(rng, 20_000), random_patterns(rng, 20_000)
        size = min(len(a), len(b))
        a, b = a[:size], b[:size]
        sums, products = elementwise(fadd, a, b), elementwise(fmul, a, b)
        for first, second, total, product in zip(*(part.tolist() for part in (a, b, sums, products)), strict=True):
            x, y = number(first), number(second)
            assert bits(add(x, y)) == limited(total), (hex(first), hex(second))
            assert bits(mul(x, y)) == limited(product), (hex(first), hex(second))

    def test_quotients_are_truncated(self):
        rng = np.random.default_rng(new_seed())
        a, b = (random_patterns(rng, 5000).tolist() for _ in range(2))
        for first, second in zip(a, b, strict=False):
            x, y = number(first), number(second)
            quotient = div(x, y)
            if not y:
                assert quotient == (math.copysign(LARGEST, x) if x else 0)
                continue
            exact = Fraction(x) / Fraction(y)
            if abs(exact) < Fraction(2) ** -126:
                assert quotient == 0
            elif abs(exact) > LARGEST:
                assert abs(quotient) == LARGEST
            else:
                assert 0 <= abs(exact) - abs(Fraction(quotient)) < abs(exact) / (1 << 23)
                assert (quotient < 0) == (exact < 0)

    def test_a_quotient_that_a_double_rounds_up(self):
        """(2^24 - 1) / 2^24 times a number that is just above: the last bit must not come from rounding."""
        x, y = 1 - 2**-24, 1 + 2**-23
        assert div(x, y) == 1 - 2 * 2**-24 - 2**-24
        assert mul(div(6.0, 3.0), 1.0) == 2.0


def random_position(rng):
    reach = rng.choice((1.0, 1.0, 3.0, 100.0))
    w = rng.choice((1.0, rng.uniform(0.01, 5), rng.uniform(-5, 5)))
    return tuple(single(rng.uniform(-reach, reach)) for _ in range(3)) + (single(w),)


def single(value):
    """The nearest float of 32 bits."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def clipped(rng, count):
    """Random primitives that must be clipped, and what is left of them."""
    while True:
        positions = [random_position(rng) for _ in range(count)]
        if classify(positions, SCALE) is Outcome.CLIP:
            return positions, clip(positions, SCALE)


def tolerance(positions):
    return 2e-6 * max(abs(value) for position in positions for value in position)


@pytest.mark.parametrize("count", [2, 3])
def test_what_is_left_lies_in_the_volume_and_in_the_primitive(count):
    rng = random.Random(new_seed())
    left = 0
    for _ in range(3000):
        positions, corners = clipped(rng, count)
        slack = tolerance(positions)
        left += len(corners) >= count
        for corner in corners:
            x, y, z, w = corner.position
            assert w >= -slack
            assert abs(z) <= w + slack
            assert abs(x * SCALE[0]) <= 32767 * w + slack * 1024
            assert abs(y * SCALE[1]) <= 32767 * w + slack * 1024
            assert sum(corner.weights) == pytest.approx(1, abs=1e-5)
            assert all(-1e-5 <= weight <= 1 + 1e-5 for weight in corner.weights)
            for axis, value in enumerate(corner.position):
                mean = sum(weight * position[axis] for weight, position in zip(corner.weights, positions, strict=True))
                assert value == pytest.approx(mean, abs=slack)
            if corner.number is not None:
                assert corner.position == positions[corner.number]
    assert left > 500


def test_nothing_of_the_volume_is_lost():
    """Random points of triangles: those in the volume are in what is left, others are not."""
    rng = random.Random(new_seed())
    inside = 0
    for _ in range(600):
        positions, corners = clipped(rng, 3)
        weights = np.array([corner.weights for corner in corners])
        for _ in range(20):
            point = np.array(sorted((rng.random(), rng.random())))
            mean = np.diff([0, *point, 1])
            x, y, z, w = mean @ np.array(positions)
            within = min(w - abs(z), w - abs(x), w - abs(y))
            if within > 1e-3:
                assert holds(weights, mean, -1e-4)
                inside += 1
            elif w - abs(z) < -1e-3:
                assert not holds(weights, mean, 1e-4)
    assert inside > 100


def holds(polygon, point, slack):
    """Whether a convex polygon has a point, all in weights of a triangle."""
    if len(polygon) < 3:
        return False
    for (x, y), (next_x, next_y) in zip(polygon[:, :2], np.roll(polygon, -1, 0)[:, :2], strict=True):
        if (next_x - x) * (point[1] - y) - (next_y - y) * (point[0] - x) < slack:
            return False
    return True


def test_both_sides_of_an_edge_get_the_same_new_vertices():
    rng = random.Random(new_seed())
    for _ in range(1000):
        a, b, c, d = (random_position(rng) for _ in range(4))
        one, other = clip([a, b, c], (0.0, 0.0)), clip([b, a, d], (0.0, 0.0))
        found = [{corner.position for corner in corners if not corner.weights[2]} for corners in (one, other)]
        if len(one) > 2 and len(other) > 2:
            assert found[0] == found[1]


def test_vertices_on_a_plane_stay_themselves():
    """They make no new corner, whatever is behind them."""
    inside, on_plane, beyond = (0.0, 0.0, 0.0, 1.0), (0.5, 0.0, 1.0, 1.0), (0.0, 0.5, 3.0, 1.0)
    assert [corner.number for corner in clip([inside, on_plane, beyond], SCALE)] == [0, 1, None]
    assert [corner.number for corner in clip([beyond, on_plane, beyond], SCALE)] == [1]
    assert [corner.number for corner in clip([on_plane, beyond], SCALE)] == [0]


def test_outcomes():
    inside, beyond = (0.0, 0.0, 0.0, 1.0), (0.5, 5.0, 0.0, 1.0)
    assert classify([inside, inside, beyond], SCALE) is Outcome.WHOLE
    assert classify([beyond, beyond, beyond], SCALE) is Outcome.OUTSIDE
    assert classify([inside, inside, (0.0, 0.0, 1.5, 1.0)], SCALE) is Outcome.CLIP
    assert classify([inside, inside, (0.0, 0.0, 0.0, -1.0)], SCALE) is Outcome.CLIP
    assert classify([inside, (33.0, 0.0, 0.0, 1.0)], SCALE) is Outcome.CLIP
    assert classify([inside, (31.9, 0.0, 0.0, 1.0)], SCALE) is Outcome.WHOLE
    assert classify([(0.0, 0.0, 0.0, 0.0), inside], SCALE) is Outcome.CLIP


class TestPrimitives:
    TRANSFORM = ScreenTransform(1024.0, -1024.0, 0.5, 0.5)

    def pieces(self, *positions):
        old = [(int(x / w * 1024), int(-y / w * 1024)) if w else (0, 0) for x, y, _, w in positions]
        return clipped_primitives(clip(list(positions), SCALE), old, self.TRANSFORM)

    def test_one_vertex_is_cut_off(self):
        """A quadrangle, as two triangles: vertices that stay keep their place."""
        pieces = self.pieces((0.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 3.0, 1.0))
        assert [piece.flags for piece in pieces] == [0b100, 0b110]
        assert [len(piece.data) for piece in pieces] == [32, 64]
        assert pieces[0].points == ((0, 0), (1024, 0), (682, -341))
        assert pieces[1].points == ((0, 0), (682, -341), (0, -341))
        xs, ys, zs, one_over_w, *weights = struct.unpack("<hh5f", pieces[0].data[:24])
        assert (xs, ys, zs, one_over_w) == (682, -341, 1.0, 1.0)
        assert weights == pytest.approx([0, 2 / 3, 1 / 3], abs=1e-6)

    def test_two_vertices_are_cut_off(self):
        pieces = self.pieces((0.0, 0.0, 3.0, 1.0), (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 3.0, 1.0))
        assert [piece.flags for piece in pieces] == [0b101]
        assert pieces[0].points[1] == (1024, 0)

    def test_a_line(self):
        (piece,) = self.pieces((0.0, 0.0, 0.0, 1.0), (1.0, 0.0, -2.0, 1.0))
        assert piece.flags == 0b10
        assert piece.points == ((0, 0), (512, 0))
        assert struct.unpack("<5f", piece.data[4:24]) == (0.0, 1.0, 0.5, 0.5, 0.0)

    def test_nothing_is_left(self):
        assert not self.pieces((0.0, 0.0, 3.0, 1.0), (1.0, 0.0, -3.0, -4.0), (0.0, 1.0, 3.0, 1.0))

    def test_orientation_stays(self):
        """Whatever is cut off, pieces turn as the triangle does in front of the viewer."""
        rng = random.Random(new_seed())
        seen = 0
        for _ in range(2000):
            positions, corners = clipped(rng, 3)
            turn = np.linalg.det(np.array(positions)[:, [0, 1, 3]]) * -1
            old = [(round(x / w * 1024), round(-y / w * 1024)) if w else (0, 0) for x, y, _, w in positions]
            for piece in clipped_primitives(corners, old, self.TRANSFORM):
                (x0, y0), (x1, y1), (x2, y2) = piece.points
                area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
                # A small one may lose its area, or turn, by rounding.
                if abs(area) > 4 * (abs(x1 - x0) + abs(y1 - y0) + abs(x2 - x0) + abs(y2 - y0)):
                    assert (area > 0) == (turn > 0)
                    seen += 1
        assert seen > 200
