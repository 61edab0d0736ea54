"""Errors of the blocks, as the host sees them."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.regs.diagnostics import live_fields
from vc4.regs.table import register

__all__ = ["STATES", "ErrorStatus"]

#: Fields of ERRSTAT that are no errors.
STATES = ("VCDI",)
_FIELDS = live_fields(register("ERRSTAT"))
_LAYOUT = data.StructLayout({field.name: field.width for field in _FIELDS})


class ErrorStatus(wiring.Component):
    """Keeps errors of the blocks, by the names of the fields of ERRSTAT, until a reset: the host can only read them (guide,
    table 87).

    Interface attributes
    --------------------
    come : errors of this clock, and states
    status : errors since the reset, and states of the clock before
    """

    come: In(_LAYOUT)
    status: Out(_LAYOUT)

    def elaborate(self, platform):
        m = Module()
        for field in _FIELDS:
            kept = Signal(name=field.name.lower())
            come = self.come[field.name]
            m.d.sync += kept.eq(come if field.name in STATES else come | kept)
            m.d.comb += self.status[field.name].eq(kept)
        return m
