"""The ECPIX-5 with the larger ECP5 (docs.lambdaconcept.com): an oscillator of 100 MHz, four lights of three colours, USB with a
serial line.
"""

from amaranth.build import Platform

from .board import Board, Pin
from .ecp5_clock import Ecp5Clock

__all__ = ["ECPIX5_85F"]


def _platform() -> Platform:
    from amaranth_boards.ecpix5 import ECPIX585Platform

    return ECPIX585Platform()


ECPIX5_85F = Board(
    doc="ECPIX-5 with LFE5UM5G-85F",
    platform=_platform,
    clock="clk100",
    clocking=Ecp5Clock,
    clock_hz=60_000_000,
    baud=115_200,
    memory_bytes=128 << 10,
    leds={
        "heartbeat": Pin("rgb_led", 0, "g"),
        "busy": Pin("rgb_led", 1, "b"),
        "error": Pin("rgb_led", 2, "r"),
    },
)
