"""What binner and renderer get from control lists, in a form that model and RTL have."""

from typing import NamedTuple

from amaranth.hdl import Shape
from amaranth.lib.data import Layout

from vc4.cle.structs import PipelineRecord
from vc4.records.compressed import VERTICES
from vc4.records.control import RECORDS, ControlCode
from vc4.records.primitives import PrimitiveType
from vc4.records.shaders import NvShaderRecord
from vc4.vcm.structs import PlacedPrimitive, ShaderHeader, VcmItem, VcmKind, VertexPlace
from vc4.vertex_pipe import FRONT_STALLS
from vc4.vpm.structs import QuadAddress

from ..bench.lists import REST_CLOCKS, SEED_FACTORS
from ..bench.taker import CLIP_WORDS, FINISH_CHANCE, MOST_VERTEX_WORDS, SCREEN_WORDS

__all__ = [
    "ITEM_WORDS",
    "TILE_MEMORY_STALL",
    "Ended",
    "Item",
    "Primitive",
    "Record",
    "ShaderRecord",
    "constants",
    "item_of",
]


class Record(NamedTuple):
    """A control record, and what follows its first byte."""

    code: ControlCode
    payload: bytes


class ShaderRecord(NamedTuple):
    """A shader record is in force from here on; its first three words."""

    words: tuple[int, int, int]


class Primitive(NamedTuple):
    """A primitive: coordinates, or the words of its vertices; without them if nobody has read them."""

    type: PrimitiveType
    clipped: bool
    coordinates: tuple[int, ...]
    vertices: tuple[tuple[int, ...], ...]


class Ended(NamedTuple):
    """The list has no more primitives."""


Item = Record | ShaderRecord | Primitive | Ended


def _places(layout):
    """Lowest bit and mask of each field."""
    return {name: (field.offset, (1 << Shape.cast(field.shape).width) - 1) for name, field in Layout.cast(layout)}


#: Which of the stalls says that the binner waits for memory.
TILE_MEMORY_STALL = list(FRONT_STALLS.members).index("tile_memory")
ITEM_WORDS = -(-Layout.cast(VcmItem).size // 32)
_ITEM, _RECORD, _PRIMITIVE = map(_places, (VcmItem, PipelineRecord, PlacedPrimitive))
_BODY = _ITEM["body"][0]


def constants(has_binner: bool) -> str:
    """C++ that says where the fields of an item lie, and what the GPU has."""
    places = {
        "kind": _ITEM["kind"][0],
        **{name: _BODY + _PRIMITIVE[name][0] for name in ("type", "coordinates", "vertices")},
        "point_size_included": _BODY + _places(NvShaderRecord)["point_size_included"][0],
        "varyings": _BODY + _places(ShaderHeader)["varyings"][0],
        "PRIMITIVE": VcmKind.PRIMITIVE.value,
        "SHADER": VcmKind.SHADER.value,
        "WORDS": ITEM_WORDS,
    }
    stalls = len(FRONT_STALLS.members)
    counts = ", ".join(str(VERTICES[type_]) for type_ in PrimitiveType)
    structs = {"PLACE": VertexPlace, "ADDRESS": QuadAddress}
    lows = {f"{prefix}_{name}": low for prefix, shape in structs.items() for name, (low, _) in _places(shape).items()}
    lows |= {f"ITEM_{name}": at for name, at in places.items()}
    lows |= {f"MOST_{name.upper()}": most for name, (_, most) in _places(VertexPlace).items()}
    lows |= {"MOST_VERTEX_WORDS": MOST_VERTEX_WORDS, "SCREEN_WORDS": SCREEN_WORDS}
    lows |= {"CLIP_WORDS": CLIP_WORDS, "FINISH_CHANCE": FINISH_CHANCE, "REST_CLOCKS": REST_CLOCKS, "STALLS": stalls}
    lows["TILE_MEMORY_STALL"] = TILE_MEMORY_STALL
    seeds = ", ".join(map(str, SEED_FACTORS))
    return "".join(f"constexpr uint32_t {name} = {at};\n" for name, at in lows.items()) + (
        f"#define HAS_BINNER {int(has_binner)}\n"
        f"constexpr uint32_t VERTICES[] = {{{counts}}}, SEED_FACTORS[] = {{{seeds}}};\n"
    )


def item_of(bits: int, vertices: list[tuple[int, ...]]) -> Item:
    """A `VcmItem` with the words of its vertices."""

    def field(places, name, start):
        low, mask = places[name]
        return bits >> start + low & mask

    match VcmKind(field(_ITEM, "kind", 0)):
        case VcmKind.RECORD:
            code, payload = (field(_RECORD, name, _BODY) for name in ("code", "payload"))
            length = RECORDS[code].length - 1
            return Record(RECORDS[code].code, (payload & (1 << 8 * length) - 1).to_bytes(length, "little"))
        case VcmKind.SHADER:
            return ShaderRecord(tuple(bits >> _BODY + 32 * word & 0xFFFF_FFFF for word in range(3)))
        case VcmKind.PRIMITIVE:
            type_ = PrimitiveType(field(_PRIMITIVE, "type", _BODY))
            words = field(_PRIMITIVE, "vertices", _BODY)
            places = tuple(words >> 32 * number & 0xFFFF_FFFF for number in range(VERTICES[type_]))
            is_placed = not field(_PRIMITIVE, "coordinates", _BODY)
            return Primitive(
                *(type_, bool(field(_PRIMITIVE, "clipped", _BODY))),
                *((), tuple(vertices)) if is_placed else (places, ()),
            )
        case VcmKind.END:
            return Ended()
