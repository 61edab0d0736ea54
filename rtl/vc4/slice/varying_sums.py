"""Partial results of the pixels of a quad."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.add_alu import AddAlu
from vc4.arith.convert import integer_to_float
from vc4.arith.mul_alu import MulAlu
from vc4.isa.ops import AddOp, MulOp
from vc4.records.quads import QUAD_PIXELS
from vc4.records.samples import PIXEL

from .varying_structs import DISTANCE_BITS

__all__ = ["VaryingSums"]

_COLUMNS = 2
#: Of an operation of an ALU.
_LATENCY = 3


class VaryingSums(wiring.Component):
    """A dx + B dy at each pixel of a quad, with the QPU's multiplier and adder (docs/reference/rendering.md, set-up).

    The pixels of a quad have two dx and two dy, so it has four products, as many as it has sums: one multiplier and one adder a
    lane are enough.

    Behaviour: a quad takes its steps in clocks that follow each other, while its operands stay. In each step every lane begins a
    product, and `latency` clocks later gives the sum of a pixel::

        lanes  products of each step                 pixels of each step
        4      A dx0  A dx1  B dy0  B dy1            0 1 2 3
        2      A dx0  A dx1 | B dy0  B dy1           0 1 | 2 3
        1      A dx0 | A dx1 | B dy0 | B dy1         0 | 1 | 2 | 3

    Parameters
    ----------
    lanes : 1, 2 or 4

    Interface attributes
    --------------------
    latency : clocks from a step to its results
    dx, dy : from the reference vertex to pixel 0, in sixteenths of a pixel
    step : of the quad
    a, b : of the plane, a clock later
    o : results, through logic
    """

    def __init__(self, lanes: int):
        if lanes not in (1, 2, QUAD_PIXELS):
            raise ValueError(f"lanes must be 1, 2 or {QUAD_PIXELS}, not {lanes!r}")
        self._lanes = lanes
        self._steps = QUAD_PIXELS // lanes
        #: Clocks in which sums wait for the first product along y.
        self._wait = self._steps // 2
        self.latency = 2 + 2 * _LATENCY + self._wait
        super().__init__(
            {
                "a": In(32),
                "b": In(32),
                "dx": In(signed(DISTANCE_BITS)),
                "dy": In(signed(DISTANCE_BITS)),
                "step": In(range(self._steps)),
                "o": Out(data.ArrayLayout(32, lanes)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        products = [self._product(m, lane) for lane in range(self._lanes)]
        # Those of the last clocks, the ones of now first.
        ages = [products]
        for age in range(1, self._steps + 1 if self._wait else 1):
            kept = [Signal(32, name=f"product_{lane}_{age}", reset_less=True) for lane in range(self._lanes)]
            m.d.sync += [after.eq(before) for after, before in zip(kept, ages[-1], strict=True)]
            ages.append(kept)
        step = self.step
        for clock in range(2 + _LATENCY + self._wait):
            before, step = step, Signal.like(self.step, name=f"step_{clock}", reset_less=True)
            m.d.sync += step.eq(before)
        for lane in range(self._lanes):
            m.submodules[f"sum_{lane}"] = total = AddAlu()
            m.d.comb += [total.rr_op.eq(AddOp.FADD), self.o[lane].eq(total.a2_result)]
            with m.Switch(step):
                for number in range(self._steps):
                    pixel = number * self._lanes + lane
                    with m.Case(number):
                        m.d.comb += [
                            total.rr_a.eq(self._kept(ages, number, pixel % _COLUMNS)),
                            total.rr_b.eq(self._kept(ages, number, _COLUMNS + pixel // _COLUMNS)),
                        ]
        return m

    def _kept(self, ages, step, product):
        """A product when sums of a step begin: those of step n are there in the clock of step n, less the wait."""
        begun, lane = divmod(product, self._lanes)
        return ages[step + self._wait - begun][lane]

    def _product(self, m, lane):
        """Of a lane: its distance is chosen, then it becomes a float, then it is multiplied."""
        m.submodules[f"product_{lane}"] = product = MulAlu()
        factor = Signal(32, name=f"factor_{lane}")
        distance = Signal(signed(DISTANCE_BITS), name=f"distance_{lane}", reset_less=True)
        given = Signal(32, name=f"given_{lane}", reset_less=True)
        number = Signal(32, name=f"number_{lane}", reset_less=True)
        is_second = Signal(name=f"is_second_{lane}", reset_less=True)
        numbers = [step * self._lanes + lane for step in range(self._steps)]
        along_y = Signal(name=f"along_y_{lane}")
        further = Signal(name=f"further_{lane}")
        with m.Switch(self.step):
            for step, place in enumerate(numbers):
                with m.Case(step):
                    m.d.comb += [along_y.eq(place // _COLUMNS), further.eq(place % _COLUMNS)]
        m.d.sync += [
            distance.eq(Mux(along_y, self.dy, self.dx) + Mux(further, PIXEL, 0)),
            *(is_second.eq(along_y), given.eq(factor)),
            number.eq(integer_to_float(m, distance, f"distance_{lane}")),
        ]
        m.d.comb += factor.eq(Mux(is_second, self.b, self.a))
        m.d.comb += [product.rr_op.eq(MulOp.FMUL), product.rr_a.eq(given), product.rr_b.eq(number)]
        return product.a2_result
