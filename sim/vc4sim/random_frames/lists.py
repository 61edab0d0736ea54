"""Random lists of primitives, of every kind that the list of a tile may have."""

import struct
from collections.abc import Sequence

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import (
    VG_END,
    VG_PAD,
    VG_TYPES,
    IndexType,
    PrimitiveMode,
    PrimitiveType,
    VgPrimitiveType,
)
from vc4.records.shaders import ClippedVertex

from ..clist.builder import pack_fields
from .state import Place
from .things import Lists, Vertices
from .values import Random
from .vertices import random_places

__all__ = ["random_coordinates", "random_list"]

_CORNERS = {PrimitiveType.POINTS: 1, PrimitiveType.LINES: 2, PrimitiveType.TRIANGLES: 3, PrimitiveType.RHTS: 2}
_COMPRESSED = (PrimitiveType.TRIANGLES, PrimitiveType.TRIANGLES, PrimitiveType.LINES, PrimitiveType.POINTS)
_MOST_CORNERS, _VERTICES = 12, 3


def _words(values: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def _some(rng: Random, count: int, corners: int) -> tuple[tuple[int, ...], ...]:
    """Primitives of so many vertices; those that follow each other share some."""
    found: list[tuple[int, ...]] = []
    for _ in range(rng.randrange(1, 4)):
        if found and rng.chance(0.5):
            found.append((*found[-1][1:], rng.randrange(count)))
        else:
            found.append(tuple(rng.randrange(count) for _ in range(corners)))
    return tuple(found)


def random_list(rng: Random, part: int, shader: int, vertices: Vertices, place: Place) -> Lists:
    """A list of vertices of a shader."""
    count = len(vertices.words)
    mode = rng.mostly(PrimitiveMode.TRIANGLES, tuple(PrimitiveMode), 0.6)
    match rng.randrange(5):
        case 0 | 1:
            first = rng.randrange(count)
            fields = {"length": rng.randrange(1, count - first + 1), "index_of_first_vertex": first}
            return Lists(part, shader, Code.VERTEX_ARRAY_PRIMITIVES, {"primitive_mode": mode, **fields})
        case 2:
            size = rng.choice((1, 2))
            indices = [rng.randrange(count) for _ in range(rng.randrange(1, _MOST_CORNERS))]
            fields = {"primitive_mode": mode, "length": len(indices), "maximum_index": count - 1}
            fields["index_type"] = (IndexType.BITS_8, IndexType.BITS_16)[size - 1]
            data = b"".join(index.to_bytes(size, "little") for index in indices)
            return Lists(part, shader, Code.INDEXED_PRIMITIVE_LIST, fields, data, "indices_list_address")
        case 3:
            kind = rng.choice(_COMPRESSED)
            primitives = _some(rng, count, _CORNERS[kind])
            return Lists(part, shader, Code.COMPRESSED_PRIMITIVE_LIST, type=kind, primitives=primitives)
        case _:
            kind = rng.choice((PrimitiveType.TRIANGLES, PrimitiveType.TRIANGLES, PrimitiveType.LINES))
            code = Code.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST
            flags = rng.randrange(1, 1 << _CORNERS[kind])
            clipped = b"".join(_clipped_vertex(rng, place) for _ in range(flags.bit_count()))
            primitives = _some(rng, count, _CORNERS[kind])
            fields = {"clipped_vertices": flags}
            return Lists(part, shader, code, fields, type=kind, primitives=primitives, clipped=clipped)


def _clipped_vertex(rng: Random, place: Place) -> bytes:
    x, y = random_places(rng, place, 1)[0]
    fields = {f"vertex_{n}_coefficient": rng.number(0, 1) for n in range(_VERTICES)}
    fields |= {"zs": rng.number(0, 1), "reciprocal_wc": rng.number(0.1, 2), "xs": x, "ys": y}
    return pack_fields(ClippedVertex, fields)


def random_coordinates(rng: Random, part: int, shader: int, place: Place) -> Lists:
    """A list of coordinates."""
    mode = rng.choice(tuple(VgPrimitiveType))
    kind = VG_TYPES[mode]
    places = random_places(rng, place, rng.randrange(3, 9))
    corners = [y << 16 & 0xFFFF_0000 | x & 0xFFFF for x, y in places]
    match rng.randrange(4):
        case 0:
            fields = {"primitive_type": mode, "length": len(corners)}
            return Lists(
                part, shader, Code.VG_COORDINATE_ARRAY_PRIMITIVES, fields, _words(corners), "coordinate_array_address"
            )
        case 1:
            picked = tuple(tuple(corners[n] for n in some) for some in _some(rng, len(corners), _CORNERS[kind]))
            return Lists(part, shader, Code.COMPRESSED_PRIMITIVE_LIST, type=kind, coordinates=True, primitives=picked)
        case _:
            held = _CORNERS[kind]
            if mode in (VgPrimitiveType.RHTS, VgPrimitiveType.TRIANGLES):
                ended = corners[: len(corners) // held * held]
                for at in range(held - 1, len(ended), held):
                    ended[at] = rng.mostly(ended[at], (VG_PAD,), 0.1)
                ended += [corners[0]] * (held - 1)
            else:
                ended = corners
            return Lists(
                part, shader, Code.VG_INLINE_PRIMITIVES, {"primitive_type": mode}, data=_words([*ended, VG_END])
            )
