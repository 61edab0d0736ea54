"""C++ of the cells of a design: what they compute, without registers and memories (Yosys, "cell library")."""

from collections.abc import Callable

from ..cxxrtl.cuts import WORD, choices, width_of
from ..cxxrtl.rtlil import Cell, Spec, sliced
from .expression import ZERO, Expression, join, mask, number

__all__ = ["CELLS", "Operands"]

_SIGN = 1 << WORD - 1


class Operands:
    """What a cell reads; `words` gives the words of a signal, and `keep` a variable that has the value of an expression.

    The words of an operand are those of the width that is asked for; what lies above the width of the signal repeats its sign
    or is 0.
    """

    def __init__(self, cell: Cell, words: Callable[[Spec], list[Expression]], keep: Callable[[Expression], Expression]):
        self.cell = cell
        self.width = width_of(cell.ports["\\Y"])
        self.keep = keep
        self._words = words

    def signal(self, port: str) -> list[Expression]:
        """All of it."""
        return self._words(self.cell.ports[port])

    def width_of(self, port: str) -> int:
        return width_of(self.cell.ports[port])

    def signed(self, port: str) -> bool:
        return self.cell.parameters.get(f"{port}_SIGNED", "0").endswith("1")

    def part(self, spec: Spec) -> list[Expression]:
        """The words of another signal."""
        return self._words(spec)

    def extended(self, port: str, width: int) -> list[Expression]:
        """The operand with `width` bits."""
        spec = self.cell.ports[port]
        own = width_of(spec)
        if own >= width or not own:
            return self._words(sliced(spec, 0, width)) or [ZERO]
        count = -(-width // WORD)
        found = self._words(spec)
        if not self.signed(port):
            return found + [ZERO] * (count - len(found))
        sign = 1 << (own - 1) % WORD
        found[-1] = join(f"(({{}} ^ {sign:#x}u) - {sign:#x}u)", found[-1])
        found += [join(f"(k(0) - ({{}} >> {WORD - 1}))", found[-1])] * (count - len(found))
        return _cut(found, width)

    def largest(self) -> int:
        """The width of the wider one of two operands."""
        return max(self.width_of("\\A"), self.width_of("\\B"))


def _cut(values: list[Expression], width: int) -> list[Expression]:
    """The low `width` bits."""
    above = width % WORD
    return [*values[:-1], join(f"({{}} & {mask(above):#x}u)", values[-1])] if above else values


def _bitwise(operator: str) -> Callable[[Operands], list[Expression]]:
    def make(cell: Operands) -> list[Expression]:
        pairs = zip(cell.extended("\\A", cell.width), cell.extended("\\B", cell.width), strict=True)
        return [join(f"({{}} {operator} {{}})", *pair) for pair in pairs]

    return make


def _not(cell: Operands) -> list[Expression]:
    return _cut([join("(~{})", one) for one in cell.extended("\\A", cell.width)], cell.width)


def _choose(bit: Expression, no: list[Expression], yes: list[Expression]) -> list[Expression]:
    return [join("mux({}, {}, {})", bit, *pair) for pair in zip(no, yes, strict=True)]


def _mux(cell: Operands) -> list[Expression]:
    return _choose(*cell.signal("\\S"), cell.signal("\\A"), cell.signal("\\B"))


def _pmux(cell: Operands) -> list[Expression]:
    found = cell.signal("\\A")
    for index, choice in enumerate(choices(cell.cell.ports)):
        (bit,) = cell.part(sliced(cell.cell.ports["\\S"], index, 1))
        found = _choose(bit, found, cell.part(choice))
    return found


def _any(values: list[Expression]) -> Expression:
    return join(" | ".join(["{}"] * len(values)), *values)


def _differs(cell: Operands) -> Expression:
    """Not 0 where the operands differ."""
    width = cell.largest()
    pairs = zip(cell.extended("\\A", width), cell.extended("\\B", width), strict=True)
    return _any([join("({} ^ {})", *pair) for pair in pairs])


def _compare(name: str) -> Callable[[Operands], list[Expression]]:
    def make(cell: Operands) -> list[Expression]:
        signed = cell.signed("\\A") and cell.signed("\\B")
        width = max(WORD, cell.largest()) if signed else cell.largest()
        (left, *rest), (right, *others) = cell.extended("\\A", width), cell.extended("\\B", width)
        if rest or others:
            raise ValueError(f"{cell.cell.name}: wide numbers are not compared")
        if signed:
            left, right = (join(f"({{}} ^ {_SIGN:#x}u)", one) for one in (left, right))
        return [join(f"{name}({{}}, {{}})", left, right)]

    return make


def _add(cell: Operands) -> list[Expression]:
    return _sum(cell, cell.extended("\\A", cell.width), cell.extended("\\B", cell.width), ZERO)


def _subtract(cell: Operands) -> list[Expression]:
    taken = [join("(~{})", one) for one in cell.extended("\\B", cell.width)]
    return _sum(cell, cell.extended("\\A", cell.width), taken, number(1))


def _negate(cell: Operands) -> list[Expression]:
    inverted = [join("(~{})", one) for one in cell.extended("\\A", cell.width)]
    return _sum(cell, [ZERO] * len(inverted), inverted, number(1))


def _sum(cell: Operands, left: list[Expression], right: list[Expression], carry: Expression) -> list[Expression]:
    found = []
    for one, other in zip(left, right, strict=True):
        found.append(join("({} + {} + {})", one, other, carry))
        if len(found) < len(left):
            carry = cell.keep(join("carry({}, {}, {})", one, other, carry))
    return _cut(found, cell.width)


def _multiply(cell: Operands) -> list[Expression]:
    wide = cell.width > WORD
    if cell.width > 2 * WORD or (wide and cell.largest() > WORD):
        raise ValueError(f"{cell.cell.name}: wide numbers are not multiplied")
    if wide and (cell.signed("\\A") or cell.signed("\\B")):
        raise ValueError(f"{cell.cell.name}: products of signed numbers have one word")
    width = min(cell.width, WORD)
    factors = (*cell.extended("\\A", width), *cell.extended("\\B", width))
    return _cut([join("({} * {})", *factors), *([join("high({}, {})", *factors)] if wide else [])], cell.width)


def _reduce_and(cell: Operands) -> list[Expression]:
    width = cell.width_of("\\A")
    missing = [
        join(f"({{}} ^ {mask(min(WORD, width - WORD * index)):#x}u)", one)
        for index, one in enumerate(cell.signal("\\A"))
    ]
    return [join("eq({}, k(0))", _any(missing))]


def _reduce_xor(cell: Operands) -> list[Expression]:
    return [join("parity({})", join(" ^ ".join(["{}"] * len(cell.signal("\\A"))), *cell.signal("\\A")))]


def _shift(cell: Operands) -> list[Expression]:
    """To the left, or to the right; in steps of powers of two where a word is not enough."""
    left = cell.cell.kind in ("$shl", "$sshl")
    if cell.signed("\\B"):
        raise ValueError(f"{cell.cell.name}: shifts by signed numbers are not known")
    if cell.cell.kind == "$sshr" and cell.signed("\\A"):
        raise ValueError(f"{cell.cell.name}: shifts of signed numbers are not known")
    width = max(cell.width, cell.width_of("\\A"))
    values = cell.extended("\\A", width)
    if len(values) == 1:
        (amount,) = cell.extended("\\B", WORD)
        return _cut([join(f"{'shl' if left else 'shr'}({{}}, {{}})", values[0], amount)], cell.width)
    for index in range(cell.width_of("\\B")):
        (bit,) = cell.part(sliced(cell.cell.ports["\\B"], index, 1))
        values = [cell.keep(one) for one in values]
        values = _choose(bit, values, _moved(values, -(1 << index) if left else 1 << index))
    return _cut(values[: -(-cell.width // WORD)], cell.width)


def _moved(values: list[Expression], places: int) -> list[Expression]:
    """A wide value moved to the right, or to the left if `places` is negative."""
    skip, shift = divmod(places, WORD)

    def at(index: int) -> Expression:
        return values[index] if 0 <= index < len(values) else ZERO

    if not shift:
        return [at(index + skip) for index in range(len(values))]
    return [
        join(f"({{}} >> {shift} | {{}} << {WORD - shift})", at(index + skip), at(index + skip + 1))
        for index in range(len(values))
    ]


#: By the kind of a cell, the words of what it drives.
CELLS: dict[str, Callable[[Operands], list[Expression]]] = {
    "$and": _bitwise("&"),
    "$or": _bitwise("|"),
    "$xor": _bitwise("^"),
    "$not": _not,
    "$mux": _mux,
    "$pmux": _pmux,
    "$eq": lambda cell: [join("eq({}, k(0))", _differs(cell))],
    "$ne": lambda cell: [join("ne({}, k(0))", _differs(cell))],
    "$lt": _compare("lt"),
    "$le": _compare("le"),
    "$gt": _compare("gt"),
    "$ge": _compare("ge"),
    "$add": _add,
    "$sub": _subtract,
    "$neg": _negate,
    "$mul": _multiply,
    "$reduce_or": lambda cell: [join("ne({}, k(0))", _any(cell.signal("\\A")))],
    "$reduce_bool": lambda cell: [join("ne({}, k(0))", _any(cell.signal("\\A")))],
    "$logic_not": lambda cell: [join("eq({}, k(0))", _any(cell.signal("\\A")))],
    "$reduce_and": _reduce_and,
    "$reduce_xor": _reduce_xor,
    **dict.fromkeys(("$shl", "$sshl", "$shr", "$sshr", "$shift", "$shiftx"), _shift),
}
