"""The ULX3S with the largest ECP5 (github.com/emard/ulx3s): an oscillator of 25 MHz, eight lights, USB with a serial line,
32 MiB of SDRAM or more, and GPDI, a plug of the shape of HDMI.
"""

from amaranth.build import Platform

from .board import Board, Pin
from .ecp5_clock import Ecp5Clock
from .sdram_core import SdramChips

__all__ = ["ULX3S_85F"]


def _platform() -> Platform:
    from amaranth_boards.ulx3s import ULX3S_85F_Platform

    return ULX3S_85F_Platform()


ULX3S_85F = Board(
    doc="ULX3S with LFE5U-85F",
    platform=_platform,
    clock="clk25",
    clocking=Ecp5Clock,
    clock_hz=50_000_000,
    baud=115_200,
    memory_bytes=128 << 10,
    leds={"heartbeat": Pin("led", 0), "busy": Pin("led", 1), "error": Pin("led", 2)},
    # As long as it is low, software of the other processor on the board may load another bitstream.
    high=(Pin("esp32", 0, "gpio0"),),
    # Which of them it is depends on when the board was made.
    sdram=SdramChips("sdram", ("MT48LC16M16", "IS42S16160", "AS4C16M16", "AS4C32M16")),
    screen="hdmi",
)
