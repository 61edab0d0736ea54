"""What goes between the parts of the L2C."""

from amaranth.hdl import unsigned
from amaranth.lib import data
from amaranth.utils import exact_log2

__all__ = ["LINE_BYTES", "Command", "Geometry", "LineRequest"]

#: Bytes of a line (addendum, cache details).
LINE_BYTES = 64


class Geometry:
    """Sizes of a cache, and where a word is in it.

    size : bytes of all lines
    ways : lines of a set
    word_bytes : width of the bus in bytes
    line_bytes : bytes of a line
    tag_bits : width of a tag of a client
    """

    def __init__(self, *, size: int, ways: int, word_bytes: int, line_bytes: int, tag_bits: int):
        self.ways = ways
        self.word_bytes = word_bytes
        self.words = line_bytes // word_bytes
        self.sets = size // line_bytes // ways
        self.client_tag_bits = tag_bits
        self.word_bits = exact_log2(self.words)
        self.way_bits = exact_log2(ways)
        self.set_bits = exact_log2(self.sets)
        self.line_tag_bits = 32 - exact_log2(line_bytes) - self.set_bits


class LineRequest(data.StructLayout):
    """A request for words of a line: address from `word` to `line_tag`, and what else the client has said."""

    def __init__(self, geometry: Geometry):
        super().__init__(
            {
                "word": unsigned(geometry.word_bits),
                "set": unsigned(geometry.set_bits),
                "line_tag": unsigned(geometry.line_tag_bits),
                "beats": unsigned(geometry.word_bits),
                "tag": unsigned(geometry.client_tag_bits),
            }
        )


class Command(data.StructLayout):
    """What is to be done about a request: its words are read and sent, or its line is fetched for a slot."""

    def __init__(self, geometry: Geometry, slots: int):
        super().__init__(
            {
                "fetches": unsigned(1),
                "slot": unsigned(exact_log2(slots)),
                "way": unsigned(geometry.way_bits),
                "request": LineRequest(geometry),
            }
        )
