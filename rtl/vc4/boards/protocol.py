"""What a host and a board say to each other over a stream of bytes, as data: RTL, host and `docs/reference/uart.md` follow it."""

from typing import NamedTuple

from amaranth.lib import data, enum

from vc4.bus.port import BUS_BYTES

__all__ = [
    "ANSWER_START",
    "COMMANDS",
    "FACT_BITS",
    "MOST_WORDS",
    "PAGE_BITS",
    "PROTOCOL",
    "REQUEST_START",
    "WORD_BYTES",
    "Answer",
    "Command",
    "CommandForm",
    "Fact",
    "Request",
    "StateBit",
    "Status",
]

#: First bytes of frames.
REQUEST_START, ANSWER_START = 0xA6, 0x59
#: Bytes of a word of a frame: those of the memory's bus.
WORD_BYTES = BUS_BYTES
#: Words of a frame at the most.
MOST_WORDS = 128
#: Pages of 2**PAGE_BITS bytes are told to be written or not: no request of the GPU crosses one.
PAGE_BITS = 12
#: What the fact VERSION is: "VC4", the first letter lowest, and above it the version of the protocol.
PROTOCOL = int.from_bytes(b"VC4\x01", "little")
#: Bits of a fact at the most.
FACT_BITS = 40


class Request(data.Struct):
    """Header of a request, after the first byte."""

    sequence: 8  #: one more than that of the request before, modulo 256
    command: 8  #: what is asked for, see below
    words: 8  #: how many words follow, or are asked for; 128 at the most
    address: 32  #: what the command says


class Answer(data.Struct):
    """Header of an answer, after the first byte."""

    sequence: 8  #: that of the request
    status: 8  #: how it has ended, see below
    words: 8  #: how many words follow; none, unless it has ended well


class Command(enum.IntEnum, shape=8):
    """What a request asks for."""

    CONNECT = 1
    FACTS = 2
    RESET = 3
    REGISTER_READ = 4
    REGISTER_WRITE = 5
    MEMORY_READ = 6
    MEMORY_WRITE = 7
    MEMORY_CLEAR = 8
    PAGES = 9


class CommandForm(NamedTuple):
    """What the fields of a request mean.

    does : what the board does
    address : meaning of `address`; empty: it does not count
    carries : what the words of the request are; empty: it has none
    answers : what the words of the answer are; empty: it has none
    """

    does: str
    address: str = ""
    carries: str = ""
    answers: str = ""


_FACTS = "all facts, in their order"
COMMANDS = {
    Command.CONNECT: CommandForm("begins: the next request has the next sequence number", answers=_FACTS),
    Command.FACTS: CommandForm("tells the facts of the board", answers=_FACTS),
    Command.RESET: CommandForm(
        "waits until all requests of the GPU to memory are answered, resets it, and forgets which pages it has written"
    ),
    Command.REGISTER_READ: CommandForm(
        "reads a register of the GPU", "offset of the register", answers="one word, the register in its low half"
    ),
    Command.REGISTER_WRITE: CommandForm(
        "writes a register of the GPU", "offset of the register", "one word, the register in its low half"
    ),
    Command.MEMORY_READ: CommandForm(
        "reads so many words of memory", "of the first byte, a multiple of 8", answers="as many words as `words` says"
    ),
    Command.MEMORY_WRITE: CommandForm("writes words to memory", "of the first byte, a multiple of 8", "the words"),
    Command.MEMORY_CLEAR: CommandForm(
        "writes zeros to memory", "of the first byte, a multiple of 8", "one word: how many words are written"
    ),
    Command.PAGES: CommandForm(
        "tells which pages of 4 KiB the GPU has asked to write since the last reset",
        "number of a page, the memory's first one is 0, a multiple of 64",
        answers="one word: a bit for each of 64 pages, the lowest first",
    ),
}


class Status(enum.IntEnum, shape=8):
    """How a request has ended."""

    OK = 0  #: it is done
    BAD_REQUEST = 1  #: there is no such command, or not with such an address or number of words; nothing is done
    MEMORY_ERROR = 2  #: memory has answered with an error, as outside of it; what is inside is written


class Fact(enum.IntEnum):
    """What a board tells of itself, a word each."""

    VERSION = 0  #: `VC4`, the first letter lowest, and above it the version of the protocol, 1
    CONFIG = 1  #: sizes of the GPU, see below
    ERRATA = 2  #: faults of chips that it has, a bit each, see below
    MEMORY_BASE = 3  #: address of the first byte of memory
    MEMORY_BYTES = 4  #: how many it has
    CLOCK_HZ = 5  #: clocks of a second
    GAP_CLOCKS = 6  #: a pause within a request that is longer, in clocks, ends it
    STATE = 7  #: what goes on now, see below
    BUSY_CLOCKS = 8  #: clocks since the last reset in which the GPU was busy, modulo 2**40


class StateBit(enum.IntEnum):
    """Bits of the fact STATE."""

    IRQ = 0  #: the interrupt line of the GPU is high
    IDLE = 1  #: no program runs, nothing is binned or drawn, and every store is in memory
    MEMORY_READY = 2  #: memory takes requests
