"""What binner and renderer get, as lines of text."""

from amaranth.hdl import Shape

from vc4.records.control import RECORDS
from vc4.records.numbers import Float32
from vc4.records.shaders import VgShaderRecord

from ..clist.numbers import value_of
from ..clist.text import describe_fields
from ..model.cle.fields import packing
from .items import Ended, Item, Primitive, Record, ShaderRecord

__all__ = ["lines_of"]

_INDENT = "      "


def lines_of(item: Item, thread: int) -> list[str]:
    """A line for a record; for a primitive one more for each of its vertices. `thread`: 0 binning, 1 rendering."""
    match item:
        case Record():
            layout = RECORDS[item.code.value].layout
            fields = (
                describe_fields(layout, packing(layout).unpack(int.from_bytes(item.payload, "little")))
                if layout
                else ""
            )
            return [f"{item.code.value:3} {item.code.name.lower()}  {fields}".rstrip()]
        case ShaderRecord():
            bits = sum(word << 32 * number for number, word in enumerate(item.words))
            record = packing(VgShaderRecord).unpack(bits & (1 << Shape.cast(VgShaderRecord).width) - 1)
            return [f"{_INDENT}shader_record  {describe_fields(VgShaderRecord, record)}"]
        case Primitive():
            clipped = " clipped" if item.clipped else ""
            places = "".join(f" {_place(word)}" for word in item.coordinates)
            vertices = [f"{_INDENT}  {_vertex(words, thread)}" for words in item.vertices]
            return [f"{_INDENT}{item.type.name.lower()}{clipped}{places}", *vertices]
        case Ended():
            return [f"{_INDENT}end of the list"]


def _place(word: int) -> str:
    """Two coordinates in sixteenths of a pixel, in pixels."""
    x, y = ((half ^ 0x8000) - 0x8000 for half in (word & 0xFFFF, word >> 16))
    return f"({x / 16:g},{y / 16:g})"


def _vertex(words: tuple[int, ...], thread: int) -> str:
    """Clip coordinates of a vertex for the binner; its place, Zs, 1/Wc, and what follows."""
    if not words:
        return "not read"
    clip, rest = (words[:4], words[4:]) if thread == 0 else ((), words)
    coordinates = f"clip ({_floats(clip)}) " if clip else ""
    return f"{coordinates}at {_place(rest[0])} {_floats(rest[1:])}"


def _floats(words: tuple[int, ...]) -> str:
    return " ".join(f"{value_of(Float32, word):g}" for word in words)
