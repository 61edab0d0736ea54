"""Rotations of the result of the mul ALU (QPU facts, 4.2 and 10.1)."""

from vc4.isa.immediates import ROTATE_BY_R5, ROTATE_FIRST
from vc4.isa.ops import Mux
from vc4.isa.registers import ELEMENTS

from .errors import Problem
from .operations import Half
from .statement import Operand
from .values import BY_R5, Register, describe

__all__ = ["rotation_code"]


def rotation_code(add: Half | None, mul: Half | None) -> int | None:
    """The small immediate that rotates the result of the mul ALU as its operands, destination or `.rot` ask for."""
    asked: list[tuple[Operand, int]] = []
    for half in (add, mul):
        for operand in half.sources if half else ():
            if isinstance(operand.value, Register) and operand.value.rotation:
                asked.append((operand, -operand.value.rotation))
    if mul is not None:
        asked += _rotated_result(mul)
    if not asked:
        return None
    if add is not None and any(operand in add.sources for operand, _ in asked):
        raise Problem(asked[0][0].column, "only the mul ALU can rotate")
    codes = {ROTATE_BY_R5 if abs(count) == BY_R5 else ROTATE_FIRST + count % ELEMENTS for _, count in asked}
    if len(codes) > 1:
        raise Problem(asked[-1][0].column, "expected one rotation, not two")
    return codes.pop()


def _rotated_result(mul: Half) -> list[tuple[Operand, int]]:
    """The rotations that the destination and `.rot` ask for, with the number of elements upwards."""
    operand = mul.destination.operand
    count = operand.register().rotation
    asked = [(operand, count)] if count else []
    if mul.rotation is None:
        return asked
    value = mul.rotation.value
    if isinstance(value, Register) and value.is_accumulator(Mux.R5):
        return [*asked, (mul.rotation, BY_R5)]
    if not isinstance(value, int) or not 0 < value < ELEMENTS:
        raise Problem(mul.rotation.column, f"expected a rotation by 1 to 15 or r5, not {describe(value)}")
    return [*asked, (mul.rotation, value)]
