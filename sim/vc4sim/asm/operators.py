"""Operators of expressions (QPU facts, 10.5)."""

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from vc4.isa.ops import Mux

from .errors import Problem
from .values import BY_R5, Label, RawRegister, Register, Value, describe, move_register, order

__all__ = ["FUNCTIONS", "PRECEDENCE", "UNARY", "binary", "call", "unary"]

#: Binary operators by binding strength; the first row binds strongest.
_LEVELS = (
    "**", "* / %", "+ -", "<< >> <<< >>> ><< >>< ><<< >>><", "< <= > >= <=>", "== != === !==",
    "&", "^ !^", "|", "&&", "^^ !^^", "||",
)  # fmt: skip
PRECEDENCE = {name: len(_LEVELS) - level for level, names in enumerate(_LEVELS) for name in names.split()}

_MASK = {32: 0xFFFF_FFFF, 64: 0xFFFF_FFFF_FFFF_FFFF}


def _divide(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _power(a: int, b: int) -> int | float:
    if abs(a) > 1 and b > 64:
        raise OverflowError
    return a**b


def _left(a: int, b: int) -> int:
    if abs(b) > 64:
        raise OverflowError
    return a << b if b >= 0 else a >> -b


def _logical(a: int, b: int) -> int:
    bits = _left(a & _MASK[64], b) & _MASK[64]
    return bits - (bits >> 63 << 64)


def _float_divide(a: float, b: float) -> float:
    """As IEEE 754 has it: by zero, it is infinite, or no number."""
    if b:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _full(a: Any, b: Any) -> int:
    """-1, 0 or 1; values that cannot be compared, of which one is no number, give the least integer of 32 bits."""
    return (a > b) - (a < b) if a < b or a >= b else -(1 << 31)


def _rotate(bits: int) -> Callable[[int, int], int]:
    def rotate(a: int, b: int) -> int:
        pattern, count = a & _MASK[bits], b % bits
        return (pattern << count | pattern >> bits - count) & _MASK[bits]

    return rotate


def _backward(function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    return lambda a, b: function(a, -b)


def _identical(a: Any, b: Any) -> bool:
    return type(a) is type(b) and (a == b or (a != a and b != b))


_COMPARE: Mapping[str, Callable[[Any, Any], int]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "<=>": _full,
    "==": operator.eq,
    "!=": operator.ne,
}
_IDENTICAL: Mapping[str, Callable[[Any, Any], int]] = {
    "===": lambda a, b: _identical(a, b),
    "!==": lambda a, b: not _identical(a, b),
}
_LOGIC: Mapping[str, Callable[[Any, Any], int]] = {
    "&&": lambda a, b: bool(a) and bool(b),
    "||": lambda a, b: bool(a) or bool(b),
    "^^": lambda a, b: bool(a) != bool(b),
    "!^^": lambda a, b: bool(a) == bool(b),
}
_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}

_INTEGER: Mapping[str, Callable[[int, int], int | float]] = {
    **_COMPARE,
    **_IDENTICAL,
    **_LOGIC,
    **_ARITHMETIC,
    "/": _divide,
    "%": lambda a, b: a - b * _divide(a, b),
    "**": _power,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "!^": lambda a, b: ~(a ^ b),
    "<<": _left,
    ">>": _backward(_left),
    "<<<": _logical,
    ">>>": _backward(_logical),
    "><<": _rotate(32),
    ">><": _backward(_rotate(32)),
    "><<<": _rotate(64),
    ">>><": _backward(_rotate(64)),
}
_FLOAT: Mapping[str, Callable[[float, float], int | float]] = {
    **_COMPARE,
    **_IDENTICAL,
    **_LOGIC,
    **_ARITHMETIC,
    "/": _float_divide,
    "%": math.fmod,
    "**": math.pow,
}
_FLOAT_BY_INTEGER: Mapping[str, Callable[[float, int], float]] = {
    "<<": math.ldexp,
    ">>": lambda a, b: math.ldexp(a, -b),
}

UNARY: Mapping[str, Callable[[Any], Any]] = {
    "+": operator.pos,
    "-": operator.neg,
    "~": operator.inv,
    "!": operator.not_,
}

#: Functions of one number.
FUNCTIONS: Mapping[str, Callable[[Any], int | float]] = {
    "abs": abs,
    "ceil": lambda a: float(math.ceil(a)),
    "floor": lambda a: float(math.floor(a)),
    "sqrt": math.sqrt,
    "exp": math.exp,
    "exp2": lambda a: math.pow(2.0, a),
    "exp10": lambda a: math.pow(10.0, a),
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "erf": math.erf,
    "erfc": math.erfc,
}


def _checked(column: int, name: str, function: Callable[..., Any], *operands: int | float) -> int | float:
    """`function` of `operands` as a number of the language: integers of 64 bits, floats."""
    try:
        result = function(*operands)
    except ZeroDivisionError:
        raise Problem(column, f"division by zero in {name!r}") from None
    except (ArithmeticError, ValueError):
        raise Problem(column, f"{name!r} has no result for these values") from None
    if isinstance(result, float):
        return result
    number = int(result)
    if not -(1 << 63) <= number < 1 << 64:
        raise Problem(column, f"the result of {name!r} does not fit into 64 bits")
    return number


def _rotated(name: str, register: Register, count: Value, column: int) -> Register:
    if register.rotation:
        raise Problem(column, "expected one rotation of a register, not two")
    if isinstance(count, Register) and count.is_accumulator(Mux.R5):
        return replace(register, rotation=BY_R5)
    if not isinstance(count, int) or abs(count) >= BY_R5:
        raise Problem(column, f"expected a rotation by -15 to 15 or by r5, not {describe(count)}")
    return replace(register, rotation=count if name == "<<" else -count)


def _on_register(name: str, a: Register | RawRegister, b: Value, column: int) -> Register | RawRegister | None:
    if name == "&" and isinstance(b, (Register, RawRegister)):
        a, b = (each.raw if isinstance(each, Register) else each for each in (a, b))
        return a.masked(b)
    if isinstance(a, RawRegister):
        return None
    if name in ("<<", ">>"):
        return _rotated(name, a, b, column)
    if name in ("+", "-") and isinstance(b, int):
        return move_register(a, b if name == "+" else -b, column)
    return None


def _on_label(name: str, a: Value, b: Value, column: int) -> Value | None:
    """A label moved by a number is a label; for all else a label is its address."""
    left, right = (value.address if isinstance(value, Label) else value for value in (a, b))
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return None
    result = binary(name, left, right, column)
    moved = name == "+" or (name == "-" and not isinstance(b, Label))
    return Label(result) if moved and isinstance(result, int) else result


def _number_table(a: int | float, b: int | float) -> Mapping[str, Callable[..., Any]]:
    if isinstance(a, int) and isinstance(b, int):
        return _INTEGER
    return {**_FLOAT, **_FLOAT_BY_INTEGER} if isinstance(b, int) else _FLOAT


def binary(name: str, a: Value, b: Value, column: int) -> Value:
    """The value of `a name b`; `Problem` at `column` if there is none."""
    result: Value | None = None
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        function = _number_table(a, b).get(name)
        result = None if function is None else _checked(column, name, function, a, b)
    elif isinstance(a, (Register, RawRegister)):
        result = _on_register(name, a, b, column)
    elif isinstance(a, Label) or isinstance(b, Label):
        result = _on_label(name, a, b, column)
    if result is None and name in _COMPARE:
        result = int(_COMPARE[name](order(a), order(b)))
    if result is None and name in _IDENTICAL:
        result = int(_IDENTICAL[name](a, b))
    if result is None:
        raise Problem(column, f"{name!r} does not take {describe(a)} and {describe(b)}")
    return result


def unary(name: str, a: Value, column: int) -> Value:
    """The value of `name a` with a sign, `~` or `!`; `Problem` at `column` if there is none."""
    allowed = (int,) if name in ("~", "!") else (int, float)
    if not isinstance(a, allowed):
        raise Problem(column, f"{name!r} does not take {describe(a)}")
    return _checked(column, name, UNARY[name], a)


def call(name: str, a: Value, column: int) -> Value:
    """The value of the mathematical function `name`; `Problem` at `column` if there is none."""
    if not isinstance(a, (int, float)):
        raise Problem(column, f"{name} does not take {describe(a)}")
    return _checked(column, name, FUNCTIONS[name], a)
