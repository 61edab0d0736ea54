"""Data directives: numbers to bytes (QPU facts, 10.4)."""

import struct
from collections.abc import Callable
from functools import partial

from .errors import Problem
from .expression import Context
from .habits import half_bytes
from .lexer import Cursor
from .statement import Operand, parse_operands
from .values import describe, float_bits, integer

__all__ = ["DATA_DIRECTIVES"]

Encoder = Callable[[list[Operand]], bytes]


def _integer(operand: Operand, bits: int) -> int:
    value = operand.value
    if isinstance(value, float) and bits == 32:
        return float_bits(value, operand.column)
    number = integer(value, operand.column, "an integer")
    if not -(1 << bits - 1) <= number < 1 << bits:
        raise Problem(operand.column, f"{number} does not fit into {bits} bits")
    return number & (1 << bits) - 1


def _integers(bits: int) -> Encoder:
    """Integers of `bits` bits, little-endian; if smaller than a byte, the first one in the lowest bits."""
    together = max(8 // bits, 1)

    def encoder(operands: list[Operand]) -> bytes:
        values = [_integer(operand, bits) for operand in operands]
        groups = (values[start : start + together] for start in range(0, len(values), together))
        words = (sum(value << bits * index for index, value in enumerate(group)) for group in groups)
        return b"".join(word.to_bytes((bits + 7) // 8, "little") for word in words)

    return encoder


def _floats(pack: Callable[[float], bytes]) -> Encoder:
    """Floats in the format that `pack` makes of them."""

    def encoder(operands: list[Operand]) -> bytes:
        return b"".join(_float(operand, pack) for operand in operands)

    return encoder


def _float(operand: Operand, pack: Callable[[float], bytes]) -> bytes:
    if not isinstance(operand.value, (int, float)):
        raise Problem(operand.column, f"expected a number, not {describe(operand.value)}")
    try:
        return pack(float(operand.value))
    except OverflowError:
        raise Problem(operand.column, f"{operand.value} is too large for this format") from None


_ENCODERS: dict[str, Encoder] = {
    name: encoder
    for names, encoder in {
        "byte int8": _integers(8),
        "short word int16": _integers(16),
        "int dword int32": _integers(32),
        "long qword int64": _integers(64),
        "bit int1": _integers(1),
        "int2": _integers(2),
        "int4": _integers(4),
        "half": _floats(half_bytes),
        "float16": _floats(partial(struct.pack, "<e")),
        "float float32": _floats(partial(struct.pack, "<f")),
        "double float64": _floats(partial(struct.pack, "<d")),
    }.items()
    for name in names.split()
}


def _directive(encoder: Encoder) -> Callable[[Context, Cursor], bytes]:
    def data(context: Context, cursor: Cursor) -> bytes:
        column = cursor.peek().column
        operands = list(parse_operands(cursor, context))
        if not operands:
            raise Problem(column, "expected at least one value")
        return encoder(operands)

    return data


#: Each makes the bytes of the operands at a cursor; `Problem` if one does not fit.
DATA_DIRECTIVES = {name: _directive(encoder) for name, encoder in _ENCODERS.items()}
