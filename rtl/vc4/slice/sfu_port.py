"""What a QPU and the special function unit say to each other."""

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.registers import QUADS
from vc4.isa.sfu_tables import SfuFunction
from vc4.qpu.structs import LaneWords

__all__ = ["SfuPort", "SfuRequest", "SfuResult"]


class SfuRequest(data.Struct):
    """A quarter of a vector of operands."""

    function: SfuFunction  # the same for all quads of a vector
    quad: range(QUADS)
    data: LaneWords


class SfuResult(data.Struct):
    """A quarter of a vector of results."""

    quad: range(QUADS)
    data: LaneWords


class SfuPort(wiring.Signature):
    """The side of the QPU of its port to the special function unit.

    Every request is a vector of four quads, with `quad` 0 to 3 in this order.

    Interface attributes
    --------------------
    requests : stream of `SfuRequest`
    result, result_stb : a quad of results, to be taken at once; they come in the order of the requests
    busy : a vector that has begun will come later than an instruction that is issued now would read it, see `Sfu`
    """

    def __init__(self):
        super().__init__(
            {
                "requests": Out(stream.Signature(SfuRequest)),
                "result": In(SfuResult),
                "result_stb": In(1),
                "busy": In(1),
            }
        )

    def __eq__(self, other):
        return isinstance(other, SfuPort)

    def __repr__(self):
        return "SfuPort()"
