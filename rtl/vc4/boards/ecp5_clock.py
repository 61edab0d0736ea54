"""The clock of a GPU on an ECP5."""

from math import gcd

from amaranth import *
from amaranth.lib.cdc import ResetSynchronizer

__all__ = ["Ecp5Clock"]

_MHZ = 1_000_000
#: What the PLL allows (FPGA-DS-02012, sysCLOCK PLL Timing): frequency at which the inputs are compared, at the least; that of its
#: oscillator, at the least, and the middle, which is aimed at; and dividers.
_LEAST_COMPARED, _LEAST_OSCILLATOR, _OSCILLATOR, _MOST_DIVIDED = 10 * _MHZ, 400 * _MHZ, 600 * _MHZ, 128


def _dividers(source_hz: int, clock_hz: int, multiple: int = 1) -> tuple[int, int, int]:
    """Of the input, of the output where both are compared, and of the oscillator, a multiple of `multiple`."""
    compared = gcd(source_hz, clock_hz)
    found = source_hz // compared, clock_hz // compared, _OSCILLATOR // (clock_hz * multiple) * multiple
    is_made = compared >= _LEAST_COMPARED and found[2] * clock_hz >= _LEAST_OSCILLATOR
    if not is_made or not all(1 <= divider <= _MOST_DIVIDED for divider in found):
        times = f", and {multiple} times that," if multiple != 1 else ""
        raise ValueError(f"a PLL of ECP5 does not make {clock_hz} Hz{times} of {source_hz} Hz")
    return found


class Ecp5Clock(Elaboratable):
    """Drives the domain `domain`, which is defined above it, with a PLL, and resets it until that has locked; and a second
    one, whose clock is a multiple of the first one and rises with it, and which has no reset.

    Parameters
    ----------
    source : the oscillator of the board
    source_hz, clock_hz : frequencies of the oscillator and of `domain`, in Hz
    domain : the first domain
    fast : the second one, if there is one, and the multiple

    Attributes
    ----------
    dividers : what the PLL makes of the oscillator; raises `ValueError` if it cannot
    """

    dividers = staticmethod(_dividers)

    def __init__(
        self, source: Value, source_hz: int, clock_hz: int, domain: str = "sync", fast: tuple[str, int] | None = None
    ):
        self._source, self._source_hz, self._clock_hz = source, source_hz, clock_hz
        self._domain, self._fast = domain, fast
        self._dividers = self.dividers(source_hz, clock_hz, fast[1] if fast else 1)

    def elaborate(self, platform):
        m = Module()
        clock = Signal()
        locked = Signal()
        reference, feedback, output = self._dividers
        unused = ("RST", "STDBY", "PHASESEL0", "PHASESEL1", "PHASEDIR", "PHASESTEP", "PHASELOADREG", "PLLWAKESYNC")
        # The output is compared with the input, each divided.
        m.submodules.pll = Instance(
            "EHXPLLL",
            a_FREQUENCY_PIN_CLKI=f"{self._source_hz / _MHZ:g}",
            a_FREQUENCY_PIN_CLKOP=f"{self._clock_hz / _MHZ:g}",
            a_ICP_CURRENT="12",
            a_LPF_RESISTOR="8",
            a_MFG_ENABLE_FILTEROPAMP="1",
            a_MFG_GMCREF_SEL="2",
            p_CLKI_DIV=reference,
            p_CLKFB_DIV=feedback,
            p_FEEDBK_PATH="CLKOP",
            p_OUTDIVIDER_MUXA="DIVA",
            p_CLKOP_ENABLE="ENABLED",
            p_CLKOP_DIV=output,
            p_CLKOP_CPHASE=output - 1,
            p_CLKOP_FPHASE=0,
            i_CLKI=self._source,
            i_CLKFB=clock,
            i_ENCLKOP=Const(0),
            **{f"i_{name}": Const(0) for name in unused},
            o_CLKOP=clock,
            o_LOCK=locked,
            **self._second(m, output),
        )
        m.d.comb += ClockSignal(self._domain).eq(clock)
        m.submodules.reset = ResetSynchronizer(~locked, domain=self._domain)
        return m

    def _second(self, m, output):
        """What the PLL has to know of the second clock, and where it goes."""
        if not self._fast:
            return {}
        domain, multiple = self._fast
        clock = Signal()
        m.d.comb += ClockSignal(domain).eq(clock)
        return {
            "a_FREQUENCY_PIN_CLKOS": f"{self._clock_hz * multiple / _MHZ:g}",
            "p_CLKOS_ENABLE": "ENABLED",
            "p_CLKOS_DIV": output // multiple,
            "p_CLKOS_CPHASE": output // multiple - 1,
            "p_CLKOS_FPHASE": 0,
            "o_CLKOS": clock,
        }
