"""Both ALUs with what is around them: operands, unpack, rotation, and the results that they keep (QPU facts, 3 and 4)."""

from dataclasses import dataclass

import numpy as np

from vc4.isa.ops import AddOp, MulOp, Mux, Unpack
from vc4.isa.registers import ELEMENTS, QUADS

from ..arith.alu import add_alu, mul_alu
from ..arith.pack import unpack
from .decoded import Plan
from .vectors import same

__all__ = ["LAST_QUAD", "Alus", "Result"]

#: Elements from which a result comes that is rotated upwards: over all elements, inside each quad, out of the last quad.
_ROTATED = [(np.arange(ELEMENTS) - n) % ELEMENTS for n in range(ELEMENTS)]
_ROTATED_IN_QUAD = [np.arange(ELEMENTS) // QUADS * QUADS + source % QUADS for source in _ROTATED]
LAST_QUAD = [ELEMENTS - QUADS + source % QUADS for source in _ROTATED]


@dataclass(frozen=True, slots=True)
class Result:
    """What an ALU delivers to all elements: value, carry and overflow, and by how much it has been rotated."""

    value: np.ndarray
    carry: np.ndarray
    overflow: np.ndarray
    rotation: int = 0

    def last_quad(self, rotation: int) -> "Result":
        """What the last quad leaves in the ALU, for all quads, under the rotation of another instruction."""
        source = LAST_QUAD[(rotation - self.rotation) % QUADS]
        return Result(self.value[..., source], self.carry[..., source], self.overflow[..., source])


_NO_ELEMENTS = np.zeros(ELEMENTS, bool)
_NO_RESULT = Result(np.zeros(ELEMENTS, np.uint32), _NO_ELEMENTS, _NO_ELEMENTS)


class Alus:
    """The add and the mul ALU, which keeps the last quad of its last result; a nop with a destination shows it."""

    def __init__(self) -> None:
        self._last_mul = _NO_RESULT

    def operate(self, todo: Plan, accumulators: list[np.ndarray], ports: list[np.ndarray]) -> tuple[Result, Result]:
        """Both ALUs; what a nop of the add ALU delivers goes nowhere."""
        rotation = same(accumulators[5]) & 15 if todo.rotation is None else todo.rotation
        operands = self._operands(todo, accumulators, ports)
        if todo.op_add is AddOp.NOP:
            add = _NO_RESULT
        else:
            first, second = (operands[mux.value] for mux in todo.muxes[:2])
            add = Result(*add_alu(todo.op_add, first, second))
        if todo.op_mul is MulOp.NOP:
            return add, self._last_mul.last_quad(rotation)
        first, second = (self._rotate_operand(mux, operands[mux.value], rotation) for mux in todo.muxes[2:])
        mul = self._last_mul = Result(*mul_alu(todo.op_mul, first, second), _NO_ELEMENTS, rotation)
        return add, mul

    @staticmethod
    def _operands(todo: Plan, accumulators: list[np.ndarray], ports: list[np.ndarray]) -> list[np.ndarray]:
        """What each `Mux` chooses."""
        values = [*accumulators, *ports]
        if todo.unpack is not Unpack.NONE:
            source = (Mux.R4 if todo.pm else Mux.A).value
            values[source] = unpack(values[source], todo.unpack, todo.unpack_float)
        return values

    @staticmethod
    def _rotate_operand(mux: Mux, value: np.ndarray, rotation: int) -> np.ndarray:
        """r0 to r3 come from any element, everything else only from the same quad."""
        if not rotation:
            return value
        return value[..., (_ROTATED if mux.value <= Mux.R3.value else _ROTATED_IN_QUAD)[rotation]]
