"""Control lists and shader records, written from Python."""

from collections.abc import Iterable, Mapping
from typing import Any

from vc4.records.control import RECORDS, ControlCode
from vc4.records.numbers import Fixed12_4, Float16, Float32
from vc4.records.shaders import (
    ATTRIBUTE_ARRAYS,
    AttributeArray,
    ExtendedStride,
    GlShaderRecord,
    NvShaderRecord,
    VgShaderRecord,
)

from ..model.cle.fields import Packing, packing
from ..model.memory import Memory
from .numbers import bits_of

__all__ = ["ListBuilder", "gl_shader_record", "nv_shader_record", "pack_fields", "vg_shader_record"]


def pack_fields(layout: Any, values: Mapping[str, Any]) -> bytes:
    """The bytes of a layout with these values; see `Packing`. Python floats become what the field holds."""
    pack: Packing = packing(layout)
    whole = {name: _whole(pack, name, value) for name, value in values.items()}
    return pack.pack(**whole).to_bytes(pack.size // 8, "little")


def _whole(pack: Packing, name: str, value: Any) -> Any:
    shape = pack.fields[name].shape if name in pack.fields else None
    return bits_of(shape, value) if isinstance(value, float) and shape in (Float32, Float16, Fixed12_4) else value


class ListBuilder:
    """A control list that begins at `base`.

    data : what it is so far
    """

    def __init__(self, base: int):
        self.base = base
        self.data = bytearray()

    @property
    def here(self) -> int:
        """Address of the next record."""
        return self.base + len(self.data)

    def add(self, code: ControlCode, **values: Any) -> int:
        """A record, with the fields of its layout; returns its address."""
        address = self.here
        self.data += self._bytes(code, values)
        return address

    def raw(self, data: bytes) -> int:
        """Bytes as they are: a list that follows a record, or what is wrong on purpose; returns their address."""
        address = self.here
        self.data += data
        return address

    def replace(self, address: int, **values: Any) -> None:
        """Other values for the record at `address`, all of them: what was not known when it was added."""
        offset = address - self.base
        new = self._bytes(ControlCode(self.data[offset]), values)
        self.data[offset : offset + len(new)] = new

    def store(self, memory: Memory) -> None:
        """Put the list into memory."""
        memory.write(self.base, bytes(self.data))

    @staticmethod
    def _bytes(code: ControlCode, values: Mapping[str, Any]) -> bytes:
        kind = RECORDS[code.value]
        if kind.layout is None and values:
            raise ValueError(f"{code.name} has no fields")
        return bytes([code.value]) + (pack_fields(kind.layout, values) if kind.layout else b"")


def gl_shader_record(attributes: Iterable[Mapping[str, int]] = (), *, extended: bool = False, **values: int) -> bytes:
    """A GL shader record. Each attribute has the fields of `AttributeArray`, with a stride that may be larger if `extended`."""
    rows = [dict(row) for row in attributes]
    strides = [row.get("memory_stride", 0) for row in rows]
    if extended:
        for row, stride in zip(rows, strides, strict=True):
            row["memory_stride"] = stride & 0xFF
        missing = ATTRIBUTE_ARRAYS - len(rows)
        rows, strides = rows + [{}] * missing, strides + [0] * missing
    data = pack_fields(GlShaderRecord, values) + b"".join(pack_fields(AttributeArray, row) for row in rows)
    if extended:
        data += b"".join(pack_fields(ExtendedStride, {"memory_stride_high": stride >> 8}) for stride in strides)
    return data


def nv_shader_record(**values: int) -> bytes:
    """An NV shader record."""
    return pack_fields(NvShaderRecord, values)


def vg_shader_record(**values: int) -> bytes:
    """A VG shader record."""
    return pack_fields(VgShaderRecord, values)
