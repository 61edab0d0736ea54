"""What the top of a board has to know of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from amaranth.build import Platform

from vc4.dvi.mode import VGA

from .artix7_clock import Artix7Clock
from .ecp5_clock import Ecp5Clock
from .sdram_core import SdramChips
from .system import bit_clocks

__all__ = ["Board", "Pin"]

#: Of a screen, with two bytes a pixel.
_PICTURE_BYTES = 2 * VGA.columns.shown * VGA.rows.shown


class Pin(NamedTuple):
    """An output: a resource of the platform, its number, and the part of it, if it has several."""

    resource: str
    number: int
    part: str = ""


@dataclass(frozen=True, kw_only=True)
class Board:
    """A board on which the GPU is built.

    doc : its name in full
    platform : makes the platform, which knows the device and its pins; it has a resource `uart`
    clock : resource of the oscillator
    clocking : what drives the domain `sync`
    clock_hz : of the GPU
    baud : of the serial line
    memory_bytes : memory in block RAMs, from address 0 on
    leds : lights that show an output of `BoardSystem`, by its name
    high : what must be high all the time
    sdram : its SDRAM, if there is one for which a controller is made
    screen : a plug for a screen, if there is one: a resource with differential pairs `d`, blue, green, red, and `clk`
    """

    doc: str
    platform: Callable[[], Platform]
    clock: str
    clocking: type[Artix7Clock | Ecp5Clock]
    clock_hz: int
    baud: int
    memory_bytes: int
    leds: Mapping[str, Pin]
    high: tuple[Pin, ...] = ()
    sdram: SdramChips | None = None
    screen: str | None = None

    def source_hz(self, platform: Platform) -> int:
        """Frequency of the oscillator."""
        return round(platform.lookup(self.clock).clock.frequency)

    def check(self) -> None:
        """Raises `ValueError` if the clock or the serial line cannot be made."""
        self.clocking.dividers(self.source_hz(self.platform()), self.clock_hz)
        bit_clocks(self.clock_hz, self.baud)

    def check_screen(self, memory_bytes: int) -> None:
        """Raises `ValueError` if it has no screen, or so much memory has no room for the picture of one."""
        if not self.screen:
            raise ValueError("the board has no screen")
        if memory_bytes < _PICTURE_BYTES:
            raise ValueError(f"a picture has {_PICTURE_BYTES:,} bytes, and memory {memory_bytes:,}")
