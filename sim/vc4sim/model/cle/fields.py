"""Fields of a layout in the bits of a number, for the model and for tools."""

from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any

from amaranth.hdl import Shape
from amaranth.lib import data

from vc4.records.numbers import Fixed12_4

__all__ = ["ADDRESS_BITS", "Fields", "Packing", "packing"]

ADDRESS_BITS = 32

#: Values of a record by their names. Nobody changes them: several records may have the same ones.
Fields = SimpleNamespace
#: Numbers whose values a layout keeps; drivers repeat most of their records.
_KEPT = 1 << 12


class _Field:
    """One field of a layout; see `Packing`."""

    def __init__(self, name: str, field: data.Field):
        shape = Shape.cast(field.shape)
        self.name, self.shape, self.offset, self.width = name, field.shape, field.offset, shape.width
        self.signed = shape.signed or field.shape is Fixed12_4
        self.mask = (1 << self.width) - 1
        self.choices: Any = field.shape if hasattr(field.shape, "__members__") else None
        self.members: dict[int, Any] = {member.value: member for member in self.choices or ()}
        self.address = name.endswith("address")
        #: Low bits that an address lacks.
        self.shift = ADDRESS_BITS - self.width if self.address else 0


class Packing:
    """The fields of a `data.Struct`, as numbers.

    Addresses are whole, though the layout may have their high bits only; the bits of floats are unsigned numbers, those
    of fixed point numbers are signed; fields with named values have these.

    fields : by name, with `shape` and `address`
    """

    def __init__(self, layout: Any):
        found = {name: _Field(name, field) for name, field in data.Layout.cast(layout)}
        self.size = Shape.cast(layout).width
        self.fields = {name: field for name, field in found.items() if not name.startswith("unused")}
        #: The values of all fields of a number, see `_unpack`.
        self.unpack = lru_cache(_KEPT)(self._unpack)

    def _unpack(self, bits: int) -> Fields:
        """The values of all fields. Raises `ValueError` for a value that is reserved, with the field's name."""
        values = {}
        for name, field in self.fields.items():
            value = bits >> field.offset & field.mask
            if field.members:
                if value not in field.members:
                    raise ValueError(f"{name} {value} is reserved")
                value = field.members[value]
            elif field.signed and value >> field.width - 1:
                value -= 1 << field.width
            values[name] = value << field.shift if field.shift else value
        return Fields(**values)

    def pack(self, **values: Any) -> int:
        """The bits that have these values, which may be anything that fits; fields that are not given are 0.

        Raises `ValueError` for what does not fit, or is no field.
        """
        bits = 0
        for name, value in values.items():
            if name not in self.fields:
                raise ValueError(f"there is no field {name}; there are {', '.join(self.fields)}")
            field = self.fields[name]
            number = value.value if field.choices and isinstance(value, field.choices) else int(value)
            high = 1 << field.width - field.signed
            if number % (1 << field.shift) or not -high * field.signed <= number >> field.shift < high:
                raise ValueError(f"{name} cannot be {value}")
            bits |= (number >> field.shift & (1 << field.width) - 1) << field.offset
        return bits


@cache
def packing(layout: Any) -> Packing:
    """The `Packing` of a layout, made once."""
    return Packing(layout)
