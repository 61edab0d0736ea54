"""Primitive set-up."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.queue import Queue

from .coefficients import Coefficients
from .divider import Divider
from .primitive_set_up import PrimitiveSetUp
from .set_up_results import SetUpResults
from .structs import CoefficientWeights, PlaneCoefficients, PlaneWords, SetUpPiece, SetUpPrimitive, SetUpRequest

__all__ = ["Pse"]


class Pse(wiring.Component):
    """Makes of shaded vertices what rasteriser and interpolation take (docs/reference/rendering.md, set-up).

    Behaviour: primitives leave in their order. One is divided while the next one is prepared, and the planes of one go through
    the floats while others are set up: triangles follow each other in 23 clocks with up to one varying, and in 12 and six for each
    varying with more. What limits is that two of them are under way at a time, and each takes 22 clocks until its first quotient
    begins, and 22 more until its last one is there.

    Interface attributes
    --------------------
    i : stream of primitives
    piece, piece_stb : what becomes of them, in their order: strobes in clocks before the first of its words is taken, and before it leaves
    words : stream of the planes of each primitive that leaves and is drawn: 1/W of its three vertices, then the varyings. A point has its
        vertex three times, a line its last one twice, an RHT its first one three times, and all that for each of its pieces
    o : stream of primitives for the rasteriser: of each one that came one at least, up to the one that is `last`
    planes : stream of their A, B and C
    dropped : strobe: nothing of a primitive is drawn (counter 12)
    """

    i: In(stream.Signature(SetUpRequest))
    words: In(stream.Signature(PlaneWords))
    o: Out(stream.Signature(SetUpPrimitive))
    planes: Out(stream.Signature(PlaneCoefficients))
    piece: Out(SetUpPiece)
    piece_stb: Out(1)
    dropped: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.primitive_set_up = set_up = PrimitiveSetUp()
        m.submodules.divider = divider = Divider()
        m.submodules.set_up_results = results = SetUpResults()
        m.submodules.weights = weights = Queue(CoefficientWeights, 2)
        m.submodules.coefficients = coefficients = Coefficients()
        connect(m, flipped(self.i), set_up.i)
        connect(m, set_up.divisors, divider.divisors)
        connect(m, set_up.items, divider.i)
        connect(m, set_up.o, results.i)
        connect(m, divider.o, results.quotients)
        connect(m, results.o, flipped(self.o))
        connect(m, results.weights, weights.i)
        connect(m, weights.o, coefficients.weights)
        connect(m, flipped(self.words), coefficients.i)
        connect(m, coefficients.o, flipped(self.planes))
        m.d.comb += [
            self.dropped.eq(set_up.dropped),
            *(self.piece.eq(set_up.piece), self.piece_stb.eq(set_up.piece_stb)),
        ]
        return m
