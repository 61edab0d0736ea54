"""The interrupts of the pipeline."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Interrupts"]


class Interrupts(wiring.Component):
    """Keeps interrupts until the host clears them, and says which are enabled (guide, tables 75 to 77; pipeline facts,
    section 7.3).

    An interrupt is kept whether it is enabled or not. One that is raised in the clock in which it is cleared stays; so does
    one that is raised all the time.

    Parameters
    ----------
    causes : their number

    Interface attributes
    --------------------
    raised : causes that arrive now, one bit each
    clear, enable, disable : what the host writes now; whatever is both enabled and disabled is disabled
    flags : causes that have come
    enables : causes that interrupt the host
    irq : an enabled one has come
    """

    def __init__(self, causes: int):
        names = {name: In(causes) for name in ("raised", "clear", "enable", "disable")}
        super().__init__({**names, "flags": Out(causes), "enables": Out(causes), "irq": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.d.sync += [
            self.flags.eq((self.flags & ~self.clear) | self.raised),
            self.enables.eq((self.enables | self.enable) & ~self.disable),
        ]
        m.d.comb += self.irq.eq((self.flags & self.enables).any())
        return m
