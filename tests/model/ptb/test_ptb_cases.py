"""Tile lists of captured frames: every primitive is in each tile that it touches, with its state, in its order.

Primitives that need no clipping are compared with the positions that the coordinate shader gives; of those that are
clipped the pixels are found in clip coordinates.
"""

import struct
from pathlib import Path

import numpy as np
import pytest

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveType
from vc4.records.shaders import TILE_STATE_BYTES
from vc4sim.clist.capture import load_capture
from vc4sim.model.cle.clipped import read_clipped_vertices
from vc4sim.model.cle.control_records import read_record
from vc4sim.model.cle.shader_records import read_shader_record
from vc4sim.model.memory import Memory
from vc4sim.model.v3d import V3D
from vc4sim.model.vcm.vertices import ShaderKind, has_point_size

from ..binning import CONFIG, bin_list, drawn_in, read_tiles, wanted

CASES = Path(__file__).parents[2] / "data/cases/gl"
NAMES = sorted(path.parent.name for path in CASES.glob("*/case.json")) or ["missing"]
#: Those that take longer than all others together.
LONG = {"overflow", "mesh_depth", "fbo_cubemap"}
#: How far lines and points may be binned beyond their own size.
SLACK = {PrimitiveType.POINTS: 1, PrimitiveType.LINES: 9, PrimitiveType.TRIANGLES: 0}


def floats(words):
    return np.array(words, np.uint32).view(np.float32).astype(float)


class Shaded:
    """What the coordinate shader makes of the vertices of a job."""

    def __init__(self, memory):
        self.memory = memory
        self.shading = V3D(CONFIG, memory).binner.shading
        self.known = {}

    def __call__(self, state, indices):
        """Shader record, and the words of each vertex."""
        address = state.fields.shader_record_address
        if address not in self.known:
            self.known[address] = read_shader_record(self.memory, state), {}
        shader, vertices = self.known[address]
        new = [index for index in indices if index not in vertices]
        vertices.update(zip(new, self.shading.vertices(shader, ShaderKind.COORDINATE, new), strict=True))
        return shader, [vertices[index] for index in indices]


def pixels(positions, own, width, height):
    """Which pixels of a frame, with all their neighbours, a triangle covers in the volume: [row, column]."""
    scale, offset = own[Code.CLIPPER_XY_SCALING].fields, own[Code.VIEWPORT_OFFSET].fields
    x_scale, y_scale = floats([scale.viewport_half_width, scale.viewport_half_height]) / 16
    x = (np.arange(-1, width + 1) + 0.5 - offset.viewport_centre_x_coordinate / 16) / x_scale
    y = (np.arange(-1, height + 1) + 0.5 - offset.viewport_centre_y_coordinate / 16) / y_scale
    matrix = positions[:, [0, 1, 3]].T
    if abs(np.linalg.det(matrix)) < 1e-9:
        return np.zeros((height, width), bool)
    inverse = np.linalg.inv(matrix)
    weights = inverse[:, 0, None, None] * x + inverse[:, 1, None, None] * y[:, None] + inverse[:, 2, None, None]
    depth = np.tensordot(positions[:, 2], weights, 1)
    # Weights are those of the vertices divided by W, whose sum is 1/W.
    inside = (weights >= 0).all(0) & (abs(depth) <= 1) & (weights.sum(0) > 0)
    inside[:, 1:-1] &= inside[:, :-2] & inside[:, 2:]
    inside[1:-1] &= inside[:-2] & inside[2:]
    return inside[1:-1, 1:-1]


def window_of(own):
    return tuple(vars(own[Code.CLIP_WINDOW].fields).values())


class Frame:
    """Tiles of one job, and a cursor in the list of each."""

    def __init__(self, memory, job):
        lists = job.registers["CT0CA"], job.registers["CT0EA"]
        fields = read_record(memory, lists[0]).fields
        self.width, self.height = fields.width, fields.height
        self.size = 32 if fields.multisample_mode else 64
        states, first = fields.tile_state_data_array_address, fields.tile_allocation_memory_address
        overflow = job.details.object("overflow")
        start, size = (overflow.integer(name, 0, 1 << 32) for name in ("BPOA", "BPOS"))
        allowed = [
            range(states, states + TILE_STATE_BYTES * fields.width * fields.height),
            range(first, first + fields.tile_allocation_memory_size),
        ]
        self.drawn, prefix, self.own = drawn_in(memory, *lists)
        bin_list(memory, *lists, allowed, [range(start, start + size)])
        self.tiles = read_tiles(memory, first, 32, fields.width, fields.height, prefix)
        self.cursors = [0] * len(self.tiles)
        self.memory = memory

    def take(self, tile, item):
        """The entries for a primitive that come next in the list of a tile: one, or several clipped ones."""
        found, first = self.tiles[tile], self.cursors[tile]
        end = first
        while end < len(found) and found[end].key == item.key and (end == first or found[end].primitive.clipped):
            end += 1
        self.cursors[tile] = end
        return found[first:end]

    def rectangles(self):
        for tile in range(len(self.tiles)):
            x, y = tile % self.width * self.size, tile // self.width * self.size
            yield tile, (x, y, x + self.size, y + self.size)


def inside_window(rectangle, window):
    left, bottom, width, height = window
    x, y, right, top = rectangle
    return x < left + width and right > left and y < bottom + height and top > bottom


def check_job(memory, job):
    """Returns how many primitives were whole, and how many were clipped."""
    frame, shaded, counts = Frame(memory, job), Shaded(memory), [0, 0]
    for item, own in zip(frame.drawn, frame.own, strict=True):
        kind = item.primitive.type
        shader, vertices = shaded(own["shader"], item.primitive.vertices)
        positions = np.array([floats(vertex[:4]) for vertex in vertices])
        xyz, w = positions[:, :3], positions[:, 3:]
        outside = bool(((xyz > w).all(0) | (xyz < -w).all(0)).any())
        offset = own[Code.VIEWPORT_OFFSET].fields
        centre = np.array([offset.viewport_centre_x_coordinate, offset.viewport_centre_y_coordinate])
        points = [tuple(np.array(struct.unpack("<hh", struct.pack("<I", vertex[4]))) + centre) for vertex in vertices]
        clipped = kind is not PrimitiveType.POINTS and bool((abs(positions[:, 2]) > positions[:, 3]).any())
        counts[clipped] += 1
        margin = 0.0
        if kind is PrimitiveType.POINTS:
            margin = (
                8 * floats([vertices[0][7] if has_point_size(shader) else own[Code.POINT_SIZE].fields.point_size])[0]
            )
        elif kind is PrimitiveType.LINES:
            margin = 8 * max(floats([own[Code.LINE_WIDTH].fields.line_width])[0], 1.0)
        seen = pixels(positions, own, frame.width * frame.size, frame.height * frame.size) if clipped else None
        window = window_of(own)
        for tile, rectangle in frame.rectangles():
            found = frame.take(tile, item)
            if outside or not inside_window(rectangle, window):
                assert not found
                continue
            x, y, right, top = rectangle
            if seen is not None:
                assert found or not seen[y:top, x:right].any(), (item, tile)
                for entry in found:
                    if entry.primitive.clipped:
                        check_clipped(memory, entry.primitive.clipped)
                continue
            must = wanted(kind, points, margin, tuple(16 * edge for edge in rectangle))[0]
            may = wanted(kind, points, margin + SLACK[kind], tuple(16 * edge for edge in rectangle))[1]
            assert len(found) <= 1
            assert not any(entry.primitive.clipped for entry in found)
            assert must <= bool(found) <= may, (item, points, tile)
    assert frame.cursors == [len(found) for found in frame.tiles]
    return counts


def check_clipped(memory, record):
    """Clipped vertices are in the range of Z; their weights are a mean."""
    vertices = read_clipped_vertices(memory, record)
    assert vertices
    for vertex in vertices:
        fields = vertex.fields
        z, one_over_w, *weights = floats(
            [fields.zs, fields.reciprocal_wc, *(getattr(fields, f"vertex_{n}_coefficient") for n in range(3))]
        )
        assert -1e-6 <= z <= 1 + 1e-6
        assert one_over_w > 0
        assert sum(weights) == pytest.approx(1, abs=1e-6)
        assert all(-1e-6 <= weight <= 1 + 1e-6 for weight in weights)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.thorough] * (name in LONG)) for name in NAMES],
)
def test_every_primitive_is_in_its_tiles(name):
    capture = load_capture(CASES / name)
    memory, counts = Memory(capture.memory_size), [0, 0]
    for job in capture.jobs:
        job.load(memory)
        if 0 in job.threads:
            counts = [old + new for old, new in zip(counts, check_job(memory, job), strict=True)]
    print(name, "whole", counts[0], "clipped", counts[1])
    assert (counts[1] > 0) == (name in ("tri_clip", "flat_clip"))
