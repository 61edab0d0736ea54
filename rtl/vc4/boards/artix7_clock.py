"""The clock of a GPU on a device of the Xilinx 7 series."""

from amaranth import *
from amaranth.lib.cdc import ResetSynchronizer

__all__ = ["Artix7Clock"]

#: What the PLL allows (DS181, PLL Switching Characteristics; UG953, PLLE2_BASE): frequencies of its oscillator, its multipliers,
#: and the dividers of its input and of an output.
_OSCILLATOR = range(800_000_000, 1_600_000_001)
_MULTIPLIERS, _REFERENCES, _OUTPUTS = range(2, 65), range(1, 57), range(1, 129)


def _dividers(source_hz: int, clock_hz: int) -> tuple[int, int, int]:
    """Of the input, the multiplier, and of the output; the least division of the input, as it is the least noisy."""
    for reference in _REFERENCES:
        for output in _OUTPUTS:
            multiplier, rest = divmod(clock_hz * output * reference, source_hz)
            if not rest and multiplier in _MULTIPLIERS and clock_hz * output in _OSCILLATOR:
                return reference, multiplier, output
    raise ValueError(f"a PLL of the 7 series does not make {clock_hz} Hz of {source_hz} Hz")


class Artix7Clock(Elaboratable):
    """Drives the domain `sync`, which is defined above it, with a PLL, and resets it until that has locked.

    Parameters
    ----------
    source : the oscillator of the board
    source_hz, clock_hz : frequencies of the oscillator and of `sync`, in Hz

    Attributes
    ----------
    dividers : what the PLL makes of the oscillator; raises `ValueError` if it cannot
    """

    dividers = staticmethod(_dividers)

    def __init__(self, source: Value, source_hz: int, clock_hz: int):
        self._source, self._source_hz = source, source_hz
        self._dividers = self.dividers(source_hz, clock_hz)

    def elaborate(self, platform):
        m = Module()
        feedback = Signal()
        clock = Signal()
        locked = Signal()
        reference, multiplier, output = self._dividers
        m.submodules.pll = Instance(
            "PLLE2_BASE",
            p_CLKIN1_PERIOD=1e9 / self._source_hz,
            p_DIVCLK_DIVIDE=reference,
            p_CLKFBOUT_MULT=multiplier,
            p_CLKOUT0_DIVIDE=output,
            i_CLKIN1=self._source,
            i_CLKFBIN=feedback,
            i_RST=Const(0),
            i_PWRDWN=Const(0),
            o_CLKFBOUT=feedback,
            o_CLKOUT0=clock,
            o_LOCKED=locked,
        )
        m.submodules.buffer = Instance("BUFG", i_I=clock, o_O=ClockSignal("sync"))
        m.submodules.reset = ResetSynchronizer(~locked, domain="sync")
        return m
