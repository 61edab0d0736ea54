"""Constants that an ALU can make without a load immediate (vectors: moves of constants)."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from vc4.isa.immediates import ROTATE_FIRST, SMALL_IMMEDIATES
from vc4.isa.ops import AddOp, MulOp

__all__ = ["recipes"]

_MASK = 0xFFFF_FFFF


def _rotate_right(value: int) -> int:
    count = value & 31
    return (value >> count | value << 32 - count) & _MASK


def _add_bytes(value: int) -> int:
    return sum(min(2 * (value >> shift & 0xFF), 0xFF) << shift for shift in (0, 8, 16, 24))


#: What operations make of the same value in both operands; those that leave it as it is come first.
_RESULTS: Mapping[AddOp | MulOp, Callable[[int], int]] = {
    AddOp.OR: lambda value: value,
    AddOp.ADD: lambda value: 2 * value & _MASK,
    AddOp.SHL: lambda value: value << (value & 31) & _MASK,
    AddOp.SHR: lambda value: value >> (value & 31),
    AddOp.ROR: _rotate_right,
    AddOp.NOT: lambda value: ~value & _MASK,
    AddOp.CLZ: lambda value: 32 - value.bit_length(),
    MulOp.V8MIN: lambda value: value,
    MulOp.MUL24: lambda value: (value & 0xFF_FFFF) ** 2 & _MASK,
    MulOp.V8ADDS: _add_bytes,
}

#: Operations that make 0 of the same register twice.
_ZERO = (AddOp.XOR, MulOp.V8SUBS)


@lru_cache(maxsize=1)
def _table() -> dict[int, list[tuple[AddOp | MulOp, int | None]]]:
    table: dict[int, list[tuple[AddOp | MulOp, int | None]]] = {0: [(op, None) for op in _ZERO]}
    for op, result in _RESULTS.items():
        for value in SMALL_IMMEDIATES[:ROTATE_FIRST]:
            table.setdefault(result(value), []).append((op, value))
    return table


def recipes(bits: int, alu: type[AddOp] | type[MulOp]) -> list[tuple[AddOp | MulOp, int | None]]:
    """The ways in which `alu` makes the 32-bit value `bits`, the plainest first.

    Each is an operation and the small immediate that both of its operands are; `None` in place of that stands for any
    register, the same twice.
    """
    return [recipe for recipe in _table().get(bits, []) if isinstance(recipe[0], alu)]
