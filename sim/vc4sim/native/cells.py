"""C++ of the cells of a design: what they compute, without registers and memories (Yosys, "cell library")."""

from collections.abc import Callable

from ..cxxrtl.cuts import WORD, choices, width_of
from ..cxxrtl.rtlil import Cell, Spec, sliced
from .expression import ZERO, Expression, join, mask, number

__all__ = ["CELLS", "Operands"]


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
    if cell.width == 1:
        return [join("inverted({})", cell.extended("\\A", 1)[0])]
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
        left, right = cell.extended("\\A", width), cell.extended("\\B", width)
        if signed:
            sign = 1 << (width - 1) % WORD
            left[-1], right[-1] = (join(f"({{}} ^ {sign:#x}u)", one) for one in (left[-1], right[-1]))
        # Word by word, from the lowest on: those above decide unless they are the same.
        found = join(f"{name}({{}}, {{}})", left[0], right[0])
        for one, other in zip(left[1:], right[1:], strict=True):
            one, other, found = cell.keep(one), cell.keep(other), cell.keep(found)
            found = join(f"({name[0]}t({{}}, {{}}) | (eq({{}}, {{}}) & {{}}))", one, other, one, other, found)
        return [found]

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
    """Modulo 2 to the width of the result, so signs do not matter to the product of extended operands."""
    left, right = ([cell.keep(one) for one in cell.extended(port, cell.width)] for port in ("\\A", "\\B"))
    count = len(left)
    total = [join("({} * {})", one, right[0]) for one in left]
    total = _plus(cell, total, [ZERO, *(join("high({}, {})", one, right[0]) for one in left[:-1])])
    for place, factor in enumerate(right[1:], 1):
        for skip, product in ((place, "({} * {})"), (place + 1, "high({}, {})")):
            row = [join(product, one, factor) for one in left[: count - skip]]
            total = _plus(cell, total, [ZERO] * (count - len(row)) + row)
    return _cut(total, cell.width)


def _plus(cell: Operands, left: list[Expression], right: list[Expression]) -> list[Expression]:
    """The sum of wide numbers."""
    if len(left) == 1:
        return left
    kept = ([cell.keep(one) for one in side] for side in (left, right))
    return _sum(cell, *kept, ZERO)


def _reduce_or(cell: Operands) -> list[Expression]:
    """Which bit it is does not matter, so none is put in its place."""
    chunks = cell.cell.ports["\\A"]
    found = _any([word for chunk in chunks for word in cell.part([chunk])])
    return [found] if all(chunk.width == 1 for chunk in chunks) else [join("ne({}, k(0))", found)]


def _logic_not(cell: Operands) -> list[Expression]:
    (found,) = _reduce_or(cell)
    return [join("inverted({})", found)]


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
        # What cannot move everything out need not look whether it does.
        operator, function = ("<<", "shl") if left else (">>", "shr")
        short = 1 << cell.width_of("\\B") <= WORD
        template = f"({{}} {operator} {{}})" if short else f"{function}({{}}, {{}})"
        return _cut([join(template, values[0], amount)], cell.width)
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
    "$reduce_or": _reduce_or,
    "$reduce_bool": _reduce_or,
    "$logic_not": _logic_not,
    "$reduce_and": _reduce_and,
    "$reduce_xor": _reduce_xor,
    **dict.fromkeys(("$shl", "$sshl", "$shr", "$sshr", "$shift", "$shiftx"), _shift),
}
