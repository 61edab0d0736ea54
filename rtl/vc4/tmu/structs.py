"""What goes between the parts of the texture unit."""

from amaranth.hdl import unsigned
from amaranth.lib import data

from vc4.records.tmu import LINE_BYTES

__all__ = [
    "LINE_TAG_BITS",
    "READS",
    "SETS",
    "SIDES",
    "TURN_BITS",
    "WAYS",
    "CachePlace",
    "CacheRead",
    "CacheRequest",
    "CacheWords",
    "LineFetch",
    "LineWord",
]

#: Addresses of one request: the four elements of a quad, or the four texels of a blend.
READS = 4
#: The cache: 4 KiB (addendum, cache details).
SETS, WAYS = 16, 4
#: Clocks for which an answer stays, after its first one.
TURN_BITS = 2
#: Each way has room for the line that is found, and for the one before or after it.
SIDES = 2
LINE_TAG_BITS = 32 - 6 - 4


class CachePlace(data.Struct):
    """Where a line is."""

    set: range(SETS)
    way: range(WAYS)
    side: range(SIDES)


class CacheRequest(data.StructLayout):
    """Up to four addresses, for how many clocks after its first one the answer stays, and what comes back with it.

    Parameters
    ----------
    note : shape of what comes back
    """

    def __init__(self, note):
        super().__init__({"addresses": data.ArrayLayout(32, READS), "wanted": READS, "turns": TURN_BITS, "note": note})


class CacheRead(data.StructLayout):
    """A request of which each line is in the cache, or will be when as many more have come as `lines` says.

    Parameters
    ----------
    note : shape of what comes back
    """

    def __init__(self, note):
        super().__init__(
            {
                "places": data.ArrayLayout(CachePlace, READS),
                "bytes": data.ArrayLayout(range(LINE_BYTES), READS),
                "lines": range(READS + 1),
                "turns": TURN_BITS,
                "note": note,
            }
        )


class CacheWords(data.StructLayout):
    """The words of 64 bits that hold the addresses, the low bits of these, how often they stay, and the note.

    Parameters
    ----------
    note : shape of what comes back
    """

    def __init__(self, note):
        super().__init__(
            {
                "words": data.ArrayLayout(64, READS),
                "bytes": data.ArrayLayout(3, READS),
                "turns": TURN_BITS,  # of the request
                "turn": TURN_BITS,  # for so many clocks more
                "note": note,
            }
        )


class LineFetch(data.Struct):
    """A line to be fetched, and its place."""

    tag: LINE_TAG_BITS
    place: CachePlace


class LineWord(data.Struct):
    """A word of a line on its way to its place."""

    place: CachePlace
    word: range(LINE_BYTES // 8)
    data: unsigned(64)
