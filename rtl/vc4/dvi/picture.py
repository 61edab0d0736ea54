"""What is said about a picture in the last bytes of memory, by who draws it and by who shows it."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

__all__ = ["PICTURE_BYTES", "SIGN", "Picture", "PictureFormat", "Shown"]

#: The picture is described in so many bytes at the end of memory: `Picture`, and after it `Shown`.
PICTURE_BYTES = 32
#: In front of a description; without it there is no picture.
SIGN = int.from_bytes(b"show", "little")


class PictureFormat(enum.Enum, shape=unsigned(1)):
    """How pixels are in memory."""

    RGBA8888 = 0  #: 32 bits, red in the lowest byte; alpha does not count
    BGR565 = 1  #: 16 bits, blue in the lowest


class Picture(data.Struct):
    """A picture in memory, which is shown in the upper left corner of the screen; what is larger is cut off."""

    sign: 32  #: `SIGN`
    pixels: PictureFormat
    unused: 31
    address: 32  #: of the first pixel of the row at the top, a multiple of 8
    pitch: 32  #: bytes from a row to the one below it, modulo 2**32, a multiple of 8
    width: 32  #: pixels of a row
    height: 32  #: rows


class Shown(data.Struct):
    """What the screen tells once a frame, since the last reset."""

    frames: 32  #: frames that have ended, modulo 2**32
    missed: 32  #: rows that memory did not bring in time, modulo 2**32; they are magenta
