"""The Arty A7 with the larger Artix-7 (digilent.com, Arty A7 Reference Manual): an oscillator of 100 MHz, four lights, USB with
a serial line.
"""

from amaranth.build import Platform

from .artix7_clock import Artix7Clock
from .board import Board, Pin

__all__ = ["ARTY_A7_100"]


def _platform() -> Platform:
    from amaranth_boards.arty_a7 import ArtyA7_100Platform

    class ArtyA7(ArtyA7_100Platform):
        """With the device that is on the board: that of amaranth-boards is a slower one for a lower voltage."""

        device, speed = "xc7a100t", "1"

    return ArtyA7()


ARTY_A7_100 = Board(
    doc="Arty A7-100T with XC7A100T-1CSG324C",
    platform=_platform,
    clock="clk100",
    clocking=Artix7Clock,
    clock_hz=60_000_000,
    baud=115_200,
    memory_bytes=128 << 10,
    leds={"heartbeat": Pin("led", 0), "busy": Pin("led", 1), "error": Pin("led", 2)},
)
