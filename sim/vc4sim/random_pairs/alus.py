"""Both ALUs of a lane, as benches that give an operation and a pair of operands every clock."""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.add_alu import AddAlu
from vc4.arith.mul_alu import MulAlu
from vc4.isa.ops import ADD_OPERANDS, MUL_OPERANDS, AddOp, MulOp

from ..bench.vectors import Compiled
from ..cache import cache_folder
from ..model.arith.alu import add_alu, mul_alu
from ..model.arith.pack import colour
from ..model.compiled import Buffers, Entry, kernel

__all__ = ["ALUS", "Alu", "ColouredMulAlu", "FlaggedAddAlu", "compiled_alu"]

#: Clocks from operands to results, of both.
_LATENCY = 3


class FlaggedAddAlu(wiring.Component):
    """The add ALU with its carry completed from the flags of the result, and a check of its flag Z."""

    op: In(AddOp)
    a: In(32)
    b: In(32)
    result: Out(32)
    wrong_zero: Out(1)
    carry: Out(1)
    overflow: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.add_alu = alu = AddAlu()
        positive = ~alu.a2_result[31] & ~alu.a2_zero
        m.d.comb += [
            *(alu.rr_op.eq(self.op), alu.rr_a.eq(self.a), alu.rr_b.eq(self.b)),
            self.result.eq(alu.a2_result),
            self.wrong_zero.eq(alu.a2_zero ^ ~alu.a2_result.any()),
            self.carry.eq(alu.a2_carry | (alu.a2_carry_if_positive & positive)),
            self.overflow.eq(alu.a2_overflow),
        ]
        return m


class ColouredMulAlu(wiring.Component):
    """Two mul ALUs that do the same, of which one makes a colour of the result, turn by turn; with a check of the flags of both and
    of a colour's four bytes.
    """

    op: In(MulOp)
    a: In(32)
    b: In(32)
    result: Out(32)
    carry: Out(1)
    colour: Out(8)
    wrong: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.first = first = MulAlu()
        m.submodules.second = second = MulAlu()
        # Bit 0 is what the first one does now, the last bit what it has done to the result that comes out.
        colours = Signal(_LATENCY + 1)
        m.d.sync += colours.eq(Cat(~colours[0], colours))
        for alu, makes in ((first, colours[0]), (second, ~colours[0])):
            m.d.comb += [alu.rr_op.eq(self.op), alu.rr_a.eq(self.a), alu.rr_b.eq(self.b), alu.rr_colours.eq(makes)]
        coloured = Mux(colours[-1], first.a2_result, second.a2_result)
        m.d.comb += [
            self.result.eq(Mux(colours[-1], second.a2_result, first.a2_result)),
            *(self.carry.eq(first.a2_carry), self.colour.eq(coloured)),
            self.wrong.eq(
                (coloured != self.colour.replicate(4))
                | (second.a2_carry != self.carry)
                | Cat(alu.a2_zero != ~self.result.any() for alu in (first, second)).any()
                | Cat(alu.a2_negative != self.result[31] for alu in (first, second)).any()
            ),
        ]
        return m


class _Rows(NamedTuple):
    """Of each pair operation and operands, and the results."""

    pairs: np.ndarray
    results: np.ndarray


@kernel
def _add_rows(rows: _Rows, count: int) -> int:
    """The results of so many rows."""
    pairs, results = rows.pairs, rows.results
    for row in range(count):
        result, carry, overflow = add_alu(pairs[row, 0], pairs[row, 1], pairs[row, 2])
        results[row, 0] = result
        results[row, 1] = carry
        results[row, 2] = overflow
        results[row, 3] = 0
    return 0


@kernel
def _mul_rows(rows: _Rows, count: int) -> int:
    """The results of so many rows."""
    pairs, results = rows.pairs, rows.results
    for row in range(count):
        result, carry = mul_alu(pairs[row, 0], pairs[row, 1], pairs[row, 2])
        results[row, 0] = result
        results[row, 1] = carry
        results[row, 2] = colour(result)
        results[row, 3] = 0
    return 0


@dataclass(frozen=True)
class Alu:
    """An ALU, and what the model makes of rows of pairs.

    name : add or mul
    operations : all that compute something
    device : the component
    inputs, outputs : of its ports: operation and operands, results
    latency : clocks from the first to the last
    """

    name: str
    operations: tuple[AddOp | MulOp, ...]
    device: type
    inputs: tuple[str, str, str]
    outputs: tuple[str, ...]
    rows: Entry
    latency: int = _LATENCY

    def expected(self, operations: np.ndarray, a: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
        """The outputs that the model has."""
        pairs = np.stack(np.broadcast_arrays(operations, a, b), axis=1).astype(np.int64)
        rows = Buffers(_Rows(pairs, np.zeros((len(pairs), len(self.outputs)), np.int64)))
        self.rows(rows, len(pairs))
        return {name: rows.arrays.results[:, column].astype(np.uint32) for column, name in enumerate(self.outputs)}

    def stimuli(self, operations: np.ndarray, a: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
        """The inputs."""
        return dict(zip(self.inputs, (operations, a, b), strict=True))


def _some(operands: dict) -> tuple:
    return tuple(op for op, count in operands.items() if count)


#: By their names.
ALUS = {
    alu.name: alu
    for alu in (
        Alu(
            "add",
            _some(ADD_OPERANDS),
            FlaggedAddAlu,
            ("op", "a", "b"),
            ("result", "carry", "overflow", "wrong_zero"),
            Entry(_add_rows),
        ),
        Alu(
            "mul",
            _some(MUL_OPERANDS),
            ColouredMulAlu,
            ("op", "a", "b"),
            ("result", "carry", "colour", "wrong"),
            Entry(_mul_rows),
        ),
    )
}


@cache
def compiled_alu(name: str) -> Compiled:
    """The bench of an ALU, compiled once and kept. Raises `NoCompiler` without a C++ compiler."""
    alu = ALUS[name]
    return Compiled(alu.device(), alu.inputs, alu.outputs, latency=alu.latency, folder=cache_folder())
