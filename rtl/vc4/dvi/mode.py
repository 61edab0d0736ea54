"""What a screen expects."""

from dataclasses import dataclass

__all__ = ["BITS_OF_A_PIXEL", "SHIFT_CLOCKS", "VGA", "Axis", "VideoMode"]

#: Bits of a pixel on each pair of wires.
BITS_OF_A_PIXEL = 10
#: Clocks of the serialisers in one of pixels: each sends two bits.
SHIFT_CLOCKS = BITS_OF_A_PIXEL // 2


@dataclass(frozen=True)
class Axis:
    """Pixels of a line, or lines of a frame: those that show, then a pause, the pulse of synchronisation, a pause."""

    shown: int
    front: int
    pulse: int
    back: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.shown + self.front + self.pulse + self.back


@dataclass(frozen=True)
class VideoMode:
    """A picture size and its timing.

    columns, rows : of a frame
    pulse_level : of both signals of synchronisation while there is a pulse
    pixel_hz : pixels of a second
    """

    columns: Axis
    rows: Axis
    pulse_level: int
    pixel_hz: int


#: 640 by 480 at 60 Hz, as VESA's DMT has it, but for the clock: that has 25.175 MHz, and screens take half a per cent less.
VGA = VideoMode(Axis(640, 16, 96, 48), Axis(480, 10, 2, 33), pulse_level=0, pixel_hz=25_000_000)
