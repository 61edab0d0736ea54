"""Primitives for tests of the set-up, and what the model makes of them."""

import struct

from vc4.records.primitives import PrimitiveType
from vc4.records.samples import PIXEL
from vc4.records.state import Oversample
from vc4sim.model.pse.pse import ScreenVertex, SetUpState, set_up_triangle
from vc4sim.model.pse.pse_shapes import set_up_line, set_up_point, set_up_rht

__all__ = ["COUNTS", "Request", "bits", "expected", "payload", "some_requests", "summary"]

#: Vertices.
COUNTS = {PrimitiveType.POINTS: 1, PrimitiveType.LINES: 2, PrimitiveType.TRIANGLES: 3, PrimitiveType.RHTS: 2}
LOWEST, HIGHEST = -65536, 65534
#: Zeros, ones, denormals, infinities, the largest below 1, what is not a number.
SPECIAL = (0, 0x8000_0000, 0x3F80_0000, 0x3F7F_FFFF, 1, 0x807F_FFFF, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0001, 0xFFFF_FFFF)


class Request:
    """A primitive. `size`: of a point."""

    def __init__(self, type_, vertices, state, size=0x3F80_0000):
        self.type, self.vertices, self.state, self.size = type_, vertices, state, size

    def __repr__(self):
        return f"{self.type.name} {self.vertices} {self.state} size {self.size:08x}"


def bits(value):
    """The pattern of a float."""
    return struct.unpack("<I", struct.pack("<f", value))[0]


def expected(request):
    """The model's primitives."""
    match request.type:
        case PrimitiveType.POINTS:
            found = [set_up_point(request.vertices[0], request.size)]
        case PrimitiveType.LINES:
            found = [set_up_line(request.vertices, request.state)]
        case PrimitiveType.TRIANGLES:
            found = [set_up_triangle(request.vertices, request.state)]
        case _:
            found = set_up_rht(request.vertices, request.state)
    return [primitive for primitive in found if primitive]


def _float32(word):
    return {"fraction": word & 0x7F_FFFF, "exponent": word >> 23 & 255, "sign": word >> 31}


def _float16(word):
    return {"fraction": word & 0x7F, "exponent": word >> 7 & 255, "sign": word >> 15}


def payload(request):
    """As a `SetUpRequest`."""
    state = request.state
    vertices = [
        {"x": v.x, "y": v.y, "zs": _float32(v.zs), "reciprocal_w": _float32(v.reciprocal_w)} for v in request.vertices
    ]
    factor, units = state.offset or (0x1234, 0x5678)
    return {
        "type": request.type,
        "vertices": vertices + vertices[:1] * (3 - len(vertices)),
        "varyings": len(request.vertices[0].varyings),
        "state": {
            "front": state.front,
            "back": state.back,
            "clockwise": state.clockwise,
            "flat": state.flat,
            "offsets": state.offset is not None,
            "factor": _float16(factor),
            "units": _float16(units),
            "size": _float32(request.size if request.type == PrimitiveType.POINTS else state.line_width),
            "rht_boundary": state.rht_boundary,
            "oversample": state.oversample,
        },
    }


def summary(primitive):
    """What the rasteriser takes of the model's primitive, but for Z."""
    return {
        "edges": list(primitive.edges),
        "box": [place // PIXEL for place in primitive.box],
        "x": primitive.x,
        "y": primitive.y,
        "reverse": primitive.reverse,
        "clockwise": primitive.turns < 0,
        "planes": primitive.varyings + 1,
    }


def _some_float(rng, largest=2.0):
    if rng.random() < 0.1:
        return rng.choice(SPECIAL)
    return bits(rng.uniform(-0.1, 1) * largest * rng.choice((1, 1, 0.01, 1e-6)))


def _some_vertices(rng, count, varyings):
    """On a screen of some size; often positions come again, or are the farthest ones."""
    size = rng.choice((3, 40, 1000, HIGHEST))
    middle = [0 if size == HIGHEST else rng.randint(LOWEST + size, HIGHEST - size) for _ in range(2)]
    places = []
    for _ in range(count):
        place = [min(HIGHEST, max(LOWEST, axis + rng.randint(-size, size))) for axis in middle]
        if rng.random() < 0.1:
            place[rng.randrange(2)] = rng.choice((LOWEST, HIGHEST))
        if places and rng.random() < 0.2:
            axis = rng.randrange(2)
            place[axis] = places[0][axis]
        places.append(place)
    return [
        ScreenVertex(x, y, _some_float(rng), _some_float(rng), tuple(_some_float(rng) for _ in range(varyings)))
        for x, y in places
    ]


def some_requests(rng, count, types=tuple(PrimitiveType), varyings=0):
    """Of all types, with any state."""
    for _ in range(count):
        type_ = rng.choice(types)
        vertices = _some_vertices(rng, COUNTS[type_], varyings)
        boundary = rng.choice((vertices[0].x, vertices[0].x + rng.randint(-2, 2), rng.randint(LOWEST, HIGHEST)))
        size = rng.choice((bits(1.0), bits(rng.uniform(0, 64)), bits(5000.0), rng.choice(SPECIAL)))
        state = SetUpState(
            front=rng.random() < 0.8,
            back=rng.random() < 0.8,
            clockwise=rng.random() < 0.5,
            flat=rng.getrandbits(32),
            offset=_some_offset(rng) if rng.random() < 0.3 else None,
            oversample=rng.choice(tuple(Oversample)),
            line_width=size,
            rht_boundary=max(LOWEST, min(boundary, HIGHEST)),
        )
        yield Request(type_, vertices, state, size)


def _some_offset(rng):
    """Factor and units."""
    return tuple(
        rng.choice((0, bits(rng.uniform(-8, 8)) >> 16, rng.getrandbits(16), rng.randrange(0x3000, 0x5000)))
        for _ in range(2)
    )
