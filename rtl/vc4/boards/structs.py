"""What the parts of the bridge share."""

from amaranth.lib.crc import Parameters
from amaranth.lib.crc.catalog import CRC32_ISO_HDLC
from amaranth.utils import exact_log2

from .protocol import MOST_WORDS

__all__ = ["CHECK_BYTES", "CRC", "INDEX_BITS"]

#: The check of frames, a byte at a time: that of Ethernet, and of `zlib.crc32`.
CRC: Parameters = CRC32_ISO_HDLC(data_width=8)
#: Bytes of a check, the lowest first.
CHECK_BYTES = 4
#: Width of the number of a word of a frame.
INDEX_BITS = exact_log2(MOST_WORDS)
