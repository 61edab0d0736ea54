"""What passes between the parts that write tile lists."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

from vc4.bus.port import BUS_BYTES
from vc4.cle.structs import PAYLOAD_BITS

__all__ = [
    "ADDRESS_BITS",
    "CHUNK_BYTES",
    "PIECE_BITS",
    "WORD_ADDRESS_BITS",
    "ListChunk",
    "ListTask",
    "ListWord",
    "Piece",
    "RecordChunk",
]

#: Bytes of a list that move in a clock.
CHUNK_BYTES = 4
WORD_ADDRESS_BITS = 32 - (BUS_BYTES - 1).bit_length()
#: Of an address with a carry in front.
ADDRESS_BITS = 33
#: Of the length of something that is written at once: a piece of a list, or vertices that clipping has made.
PIECE_BITS = 7
assert PAYLOAD_BITS // 8 < 1 << PIECE_BITS


class ListChunk(data.Struct):
    """Bytes that follow each other.

    address : of the first one
    data : the first one in the low bits
    count : how many there are, at least one
    """

    address: unsigned(32)
    data: unsigned(8 * CHUNK_BYTES)
    count: range(CHUNK_BYTES + 1)


class ListWord(data.Struct):
    """A word of the bus, or words that are asked for.

    address : of the word
    data, strobes : what is written
    reads : nothing is written, the words are read
    first : a request begins with it, of so many words more as `beats` says
    last : and ends with it
    state : it is of the state of a tile
    """

    address: unsigned(WORD_ADDRESS_BITS)
    data: unsigned(8 * BUS_BYTES)
    strobes: unsigned(BUS_BYTES)
    reads: unsigned(1)
    first: unsigned(1)
    last: unsigned(1)
    beats: range(3)
    state: unsigned(1)


class RecordChunk(data.Struct):
    """Bytes of a record of state.

    data, count : as in `ListChunk`
    first, last : of a record
    length : bytes of all of it
    """

    data: unsigned(8 * CHUNK_BYTES)
    count: range(CHUNK_BYTES + 1)
    first: unsigned(1)
    last: unsigned(1)
    length: unsigned(PIECE_BITS)


class Piece(enum.Enum, shape=unsigned(4)):
    """What is written at once."""

    END = 0  # of a compressed list
    RETURN = 1  # from the sub-list
    FORMAT = 2
    STATE = 3  # a record of state
    CODED = 4  # a primitive, after the one before
    WHOLE = 5  # the record in front of a compressed list, and its first primitive
    BRANCH = 6  # a record
    SHORT_BRANCH = 7  # in a compressed list
    VERTICES = 8  # that clipping has made


class ListTask(enum.Enum, shape=unsigned(2)):
    """What the writer does."""

    ADD = 0  # a primitive to the list of a tile
    CLOSE = 1  # the list of a tile
    CLOSE_ALL = 2  # with all state in front
    KEEP = 3  # the vertices that clipping has made of a primitive
