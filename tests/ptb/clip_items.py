"""Random primitives and records for the clipper, and what the model makes of them."""

import struct
from typing import NamedTuple

from vc4.cle.structs import VERTICES
from vc4.ptb.structs import CLIPPED_WORDS, BinKind
from vc4.records.control import ControlCode
from vc4.records.primitives import PrimitiveType
from vc4.records.shaders import CLIPPED_VERTEX_BYTES
from vc4sim.model.ptb.clip import Outcome, classify, clip
from vc4sim.model.ptb.clipped_primitives import ScreenTransform, clipped_primitives
from vc4sim.model.ptb.truncated import number

COUNTS = {PrimitiveType.POINTS: 1, PrimitiveType.LINES: 2, PrimitiveType.TRIANGLES: 3, PrimitiveType.RHTS: 2}
_CLIPPED = (PrimitiveType.POINTS, PrimitiveType.LINES, PrimitiveType.TRIANGLES)
_INFINITE = (0x7F80_0000, 0xFF80_0000, 0x7FC0_0001)
_SIGN = 1 << 31
#: The smallest number but 0.
SMALLEST = 0x0080_0000


def bits(value):
    """The nearest float of 32 bits."""
    return struct.unpack("<I", struct.pack("<f", value))[0]


class Item(NamedTuple):
    """A record, or a primitive with clip coordinates of its vertices if it clips.

    fields : as `BinItem` has them
    """

    kind: BinKind
    fields: dict
    positions: tuple[tuple[int, ...], ...] = ()

    @property
    def clips(self):
        return self.kind is BinKind.PRIMITIVE and self.fields["clips"]

    @property
    def payload(self):
        name = "record" if self.kind is BinKind.RECORD else "primitive"
        return {"kind": self.kind, "body": {name: self.fields}}


def record(code, first, second):
    """With two floats, as patterns."""
    return Item(BinKind.RECORD, {"code": code, "payload": second << 32 | first})


def scaling(x=64.0 * 16, y=-48.0 * 16):
    return record(ControlCode.CLIPPER_XY_SCALING, bits(x), bits(y))


def depth(scale=0.5, offset=0.5):
    return record(ControlCode.CLIPPER_Z_SCALE_AND_OFFSET, bits(scale), bits(offset))


def primitive(type_, *positions, clips=1, **more):
    """With positions as floats, or as patterns if they are integers."""
    patterns = tuple(tuple(v if isinstance(v, int) else bits(v) for v in position) for position in positions)
    fields = {
        "type": type_,
        "vertices": [7, 0xFFFF, 300],
        "coordinates": 0,
        "points": [{"x": 10 * n + 1, "y": -20 * n - 3} for n in range(VERTICES)],
        "size": 0,
        "has_size": 0,
        "clips": clips,
        "bank": 0,
        "made": 0,
    }
    return Item(BinKind.PRIMITIVE, fields | more, patterns)


def in_banks(items):
    """Coordinates of primitives that clip are in both banks in turn."""
    bank = 0
    for item in items:
        if item.clips:
            yield item._replace(fields=item.fields | {"bank": bank})
            bank ^= 1
        else:
            yield item


class Expected(NamedTuple):
    """What comes out: items, each with the words of its new vertices, and what counters count."""

    items: list[tuple[dict, tuple[int, ...]]]
    outside: int
    clipped: int


def expected(items):
    """As `Ptb.bin` of the model does."""
    scales = [0.0] * 4
    found, counts = [], {Outcome.OUTSIDE: 0, Outcome.WHOLE: 0, Outcome.CLIP: 0}
    for item in items:
        if item.kind is BinKind.RECORD:
            values = [number(item.fields["payload"] >> shift & 0xFFFF_FFFF) or 0.0 for shift in (0, 32)]
            if item.fields["code"] is ControlCode.CLIPPER_XY_SCALING:
                scales[:2] = values
            elif item.fields["code"] is ControlCode.CLIPPER_Z_SCALE_AND_OFFSET:
                scales[2:] = values
        if not item.clips:
            found.append((item.payload, ()))
            continue
        positions = [tuple(map(number, position)) for position in item.positions]
        if any(value is None for position in positions for value in position):
            continue
        outcome = classify(positions, tuple(scales[:2]))
        counts[outcome] += 1
        if outcome is Outcome.WHOLE:
            found.append((item.payload, ()))
        elif outcome is Outcome.CLIP and len(positions) > 1:
            found += _pieces(item, positions, scales)
    return Expected(found, counts[Outcome.OUTSIDE], counts[Outcome.CLIP])


def _pieces(item, positions, scales):
    old = [(point["x"], point["y"]) for point in item.fields["points"]]
    count = len(positions)
    for piece in clipped_primitives(clip(positions, tuple(scales[:2])), old[:count], ScreenTransform(*scales)):
        points = [{"x": x, "y": y} for x, y in (*piece.points, *old[count:])]
        fields = item.fields | {"points": points, "made": piece.flags}
        words = struct.unpack(f"<{len(piece.data) // 4}I", piece.data)
        vertices = [words[at : at + CLIPPED_WORDS] for at in range(0, len(words), CLIPPED_VERTEX_BYTES // 4)]
        yield Item(BinKind.PRIMITIVE, fields).payload, tuple(word for vertex in vertices for word in vertex)


def some_items(rng, count):
    """Primitives of all types, whole, outside and cut, with records between them."""
    for _ in range(count):
        if rng.random() < 0.2:
            yield _some_record(rng)
            continue
        type_ = rng.choice((*_CLIPPED, PrimitiveType.TRIANGLES, *PrimitiveType))
        clips = int(type_ in _CLIPPED and rng.random() < 0.9)
        positions = some_positions(rng, COUNTS[type_]) if clips else ()
        yield _with_rest(rng, primitive(type_, *positions, clips=clips))


def _with_rest(rng, item):
    return item._replace(
        fields=item.fields
        | {
            "vertices": [rng.getrandbits(32) for _ in range(VERTICES)],
            "points": [
                {"x": rng.randrange(-1 << 15, 1 << 15), "y": rng.randrange(-1 << 15, 1 << 15)} for _ in range(3)
            ],
            "coordinates": rng.randrange(2),
            "size": rng.getrandbits(32),
            "has_size": rng.randrange(2),
        }
    )


def _some_record(rng):
    code = rng.choice(
        (ControlCode.CLIPPER_XY_SCALING, ControlCode.CLIPPER_Z_SCALE_AND_OFFSET, ControlCode.VIEWPORT_OFFSET)
    )
    if code is ControlCode.CLIPPER_XY_SCALING:
        sizes = [bits(rng.choice((16.0, 1000.0, 2048.0 * 16, 5e4)) * rng.choice((1, -1))) for _ in range(2)]
    else:
        sizes = [bits(rng.choice((0.5, 0.5, 1.0, rng.uniform(-2, 2)))) for _ in range(2)]
    if rng.random() < 0.1:
        sizes[rng.randrange(2)] = rng.choice((*_INFINITE, 0, 1, _SIGN, rng.getrandbits(32)))
    return record(code, *sizes)


def some_positions(rng, count):
    """Of a primitive: one kind of the many."""
    kind = rng.choice(_KINDS)
    positions = [kind(rng) for _ in range(count)]
    if rng.random() < 0.1:
        positions[rng.randrange(count)] = rng.choice(positions)
    if rng.random() < 0.1:
        vertex = list(rng.choice(positions))
        vertex[rng.randrange(4)] = rng.choice(
            (*_INFINITE, 0, 1, _SIGN, _SIGN | 1, 0x0080_0000, 0x7F7F_FFFF, 0xFF7F_FFFF)
        )
        positions[rng.randrange(count)] = vertex
    return positions


def _inside(rng):
    w = rng.uniform(0.1, 4)
    return [bits(rng.uniform(-1, 1) * w) for _ in range(3)] + [bits(w)]


def _around(rng):
    """Some coordinates are outside."""
    w = rng.uniform(0.01, 4)
    return [bits(rng.uniform(-2, 2) * w) for _ in range(3)] + [bits(w)]


def _anywhere(rng):
    """Behind the eye, too."""
    reach = rng.choice((1.0, 3.0, 100.0))
    return [bits(rng.uniform(-reach, reach)) for _ in range(3)] + [bits(rng.uniform(-5, 5))]


def _on_planes(rng):
    """Exactly, or the next number."""
    w = rng.choice((1.0, 1.0, 0.0, rng.uniform(0.1, 4), -rng.uniform(0, 2)))
    values = [bits(rng.choice((w, -w, w, -w, 0.0, 2 * w, rng.uniform(-3, 3)))) for _ in range(3)]
    return [value + rng.choice((0, 0, 0, 1)) for value in values] + [bits(w)]


def _next_to_planes(rng):
    """Rounding bends edges."""
    w = bits(rng.choice((1.0, rng.uniform(0.5, 4))))
    beside = [w + rng.randrange(-4, 5) | rng.randrange(2) << 31 for _ in range(3)]
    return [rng.choice((near, near, bits(rng.uniform(-3, 3)))) for near in beside] + [w]


def _huge(rng):
    """Saturates, or is next to nothing."""
    exponents = rng.choice(((240, 254), (1, 30), (1, 254), (100, 140)))
    return [rng.randrange(2) << 31 | rng.randrange(*exponents) << 23 | rng.getrandbits(23) for _ in range(4)]


def _whole_numbers(rng):
    return [bits(float(rng.randrange(-2, 3))) for _ in range(4)]


_KINDS = (_inside, _around, _around, _anywhere, _on_planes, _next_to_planes, _huge, _whole_numbers)
