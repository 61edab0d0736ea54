"""What the front end tells the slices."""

from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from vc4.fep.structs import PLANE_SLOTS, FragmentQuad, PlaneSlot, PlaneWrite

__all__ = ["FragmentBus"]


class FragmentBus(wiring.Signature):
    """Fragments and coefficients on their way to slices, each taken at once.

    Parameters
    ----------
    qpus : that may get fragments

    Interface attributes
    --------------------
    quad, quad_stb : a quad of a vector, a strobe for each QPU
    plane_write, plane_write_stb : a plane of a varying
    slot, slot_write, slot_write_stb : the number of a primitive, and what it is
    """

    def __init__(self, qpus: int):
        self.qpus = qpus
        super().__init__(
            {
                "quad": Out(FragmentQuad),
                "quad_stb": Out(qpus),
                "plane_write": Out(PlaneWrite),
                "plane_write_stb": Out(1),
                "slot": Out(range(PLANE_SLOTS)),
                "slot_write": Out(PlaneSlot),
                "slot_write_stb": Out(1),
            }
        )
