"""What passes between the parts of the varyings interpolator."""

from amaranth.hdl import signed, unsigned
from amaranth.lib import data

from vc4.fep.structs import PLANES
from vc4.isa.registers import QUADS

__all__ = ["DISTANCE_BITS", "HELD", "QuadPlane", "VaryingPlace", "varying_step"]

#: From a reference vertex to a pixel, in sixteenths.
DISTANCE_BITS = 18
#: Varyings of a thread that are computed ahead.
HELD = 2


class QuadPlane(data.Struct):
    """What a quad of a vector needs for its varyings.

    base : number of the plane of the first one
    dx, dy : from the reference vertex to the centre of its first pixel
    """

    base: unsigned((PLANES - 1).bit_length())
    dx: signed(DISTANCE_BITS)
    dy: signed(DISTANCE_BITS)


class VaryingPlace(data.Struct):
    """Where a quad of a varying is kept, for one QPU."""

    quad: range(QUADS)
    held: range(HELD)
    thread: unsigned(1)


def varying_step(threads: int, steps: int) -> data.StructLayout:
    """A clock of the work on a quad.

    thread : one of so many of a slice
    held, quad : where its result is kept
    step : one of so many of the quad
    last : of the varying
    """
    return data.StructLayout(
        {
            "valid": 1,
            "thread": range(threads),
            "held": range(HELD),
            "quad": range(QUADS),
            "step": range(steps),
            "last": 1,
        }
    )
