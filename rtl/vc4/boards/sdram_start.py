"""What an SDRAM must hear before it can be used."""

from collections.abc import Sequence

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from .sdram_core import StartStep

__all__ = ["SdramStart"]


class SdramStart(wiring.Component):
    """Gives an SDRAM the commands of its start after a reset, each in one clock.

    Parameters
    ----------
    steps : the commands, in their order; there is at least one, and each waits for at least one clock
    address_bits, bank_bits : pins of the chip

    Interface attributes
    --------------------
    active : commands are those of the start, and nobody else's; low for good after the last wait
    select, ras, cas, we, address, bank : the command in this clock; all are high if they are true
    """

    def __init__(self, steps: Sequence[StartStep], *, address_bits: int, bank_bits: int):
        if not steps or any(step.clocks < 1 for step in steps):
            raise ValueError("a start has a step, and each of them takes a clock or more")
        self._steps = steps
        super().__init__(
            {
                "active": Out(1, init=1),
                **{name: Out(1) for name in ("select", "ras", "cas", "we")},
                "address": Out(address_bits),
                "bank": Out(bank_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        number = Signal(range(len(self._steps) + 1))  # of the step that comes next
        wait = Signal(range(max(step.clocks for step in self._steps) + 1))
        m.d.sync += [self.select.eq(0), wait.eq(wait - 1)]
        with m.If(self.active & (wait == 0)):
            m.d.sync += number.eq(number + 1)
            with m.Switch(number):
                for place, step in enumerate(self._steps):
                    with m.Case(place):
                        m.d.sync += [
                            self.select.eq(step.is_command),
                            *(getattr(self, name).eq(getattr(step, name)) for name in ("ras", "cas", "we")),
                            self.address.eq(step.address),
                            self.bank.eq(step.bank),
                            wait.eq(step.clocks - 1),
                        ]
                with m.Default():
                    m.d.sync += [self.active.eq(0), wait.eq(0), number.eq(number)]
        return m
