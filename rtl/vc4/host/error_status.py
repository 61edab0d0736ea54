"""Errors of the blocks, as the host sees them."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.config import V3DConfig
from vc4.regs.table import register

from .structs import fields_layout

__all__ = ["STATES", "ErrorStatus"]

#: Fields of ERRSTAT that are no errors.
STATES = ("VCDI",)


class ErrorStatus(wiring.Component):
    """Keeps errors of the blocks, by the names of the fields of ERRSTAT, until a reset: the host can only read them (guide,
    table 87).

    Parameters
    ----------
    config : sizes, see `V3DConfig`

    Interface attributes
    --------------------
    come : errors of this clock, and states
    status : errors since the reset, and states of the clock before
    """

    def __init__(self, config: V3DConfig):
        layout = fields_layout(register("ERRSTAT"), config)
        super().__init__({"come": In(layout), "status": Out(layout)})

    def elaborate(self, platform):
        m = Module()
        for field in register("ERRSTAT").fields:
            kept = Signal(name=field.name.lower())
            come = self.come[field.name]
            m.d.sync += kept.eq(come if field.name in STATES else come | kept)
            m.d.comb += self.status[field.name].eq(kept)
        return m
