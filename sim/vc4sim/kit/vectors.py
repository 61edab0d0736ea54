"""Questions about vectors of the VPM: reads that wait for others, reads ahead, narrow ones."""

from vc4.isa.registers import ELEMENTS
from vc4.records.vpm import VpmReadSetup, VpmSize, VpmWriteSetup

from .program import rows

__all__ = ["FILLED", "QUESTIONS", "filled", "row"]

_PAGE = "choices.md#vpm-and-dma"
_ELEMENTS = range(ELEMENTS)
_HIGHEST, _BYTE, _HALF = 0x8182_8384, 0xFF, 0xFFFF
#: Where results go, after all that is filled.
_RESULTS = 48
_FILLED_ROWS = 40


def row(number: int) -> list[int]:
    """What a row holds at first."""
    return [number * ELEMENTS + element for element in _ELEMENTS]


def filled(count: int) -> str:
    """Instructions that fill the first rows. They leave 16 in r3."""
    return f"mov r0, elem_num\nldi r3, {ELEMENTS}\n" + "add r0, r0, r3; mov vpm, r0\n" * count


FILLED = filled(_FILLED_ROWS)


def _write_to(first: int) -> str:
    setup = VpmWriteSetup.const({"address": first, "size": VpmSize.WORD, "horizontal": 1, "stride": 1})
    return f"ldi vw_setup, {setup.as_bits():#x}\n"


def _read(first: int, count: int, **others: object) -> str:
    """A set-up of reads of rows, of words."""
    fields = {"address": first, "size": VpmSize.WORD, "horizontal": 1, "stride": 1, "count": count % 16} | others
    return f"ldi vr_setup, {VpmReadSetup.const(fields).as_bits():#x}\n"


def _wait(instructions: int = 3) -> str:
    return "nop\n" * instructions


def _again(instruction: str, count: int) -> str:
    return f"{instruction}\n" * count


def _taken(count: int, first: int = 0) -> str:
    """Reads vectors into ra0 and so on."""
    return "".join(f"mov ra{number}, vpm\n" for number in range(first, first + count))


def _shown(count: int) -> str:
    """Writes them to the rows of the results."""
    return _write_to(_RESULTS) + "".join(f"mov vpm, ra{number}\n" for number in range(count))


def _numbered(*numbers: int) -> list[list[int]]:
    return [row(number) for number in numbers]


_SECOND = rows(
    "vpm_second_setup",
    "a set-up of two reads after another one of two, of which none was read,",
    _PAGE,
    f"{FILLED}{_read(0, 2)}{_read(8, 2)}{_wait()}{_taken(2)}{_read(32, 16)}{_wait()}{_taken(2, 2)}{_shown(4)}",
    {
        "waits": _numbered(0, 1, 8, 9),
        "is ignored": _numbered(0, 1, 32, 33),
        "takes the place of the first one": _numbered(8, 9, 32, 33),
        "takes the place of what is left after the first vector": _numbered(0, 8, 9, 32),
    },
    first=_RESULTS,
    breaks=["R33"],
)
_THIRD = rows(
    "vpm_third_setup",
    "a third set-up of two reads, when two wait of which none was read,",
    _PAGE,
    f"{FILLED}{_read(0, 2)}{_read(8, 2)}{_read(16, 2)}{_wait()}{_taken(4)}{_read(32, 16)}{_wait()}{_taken(2, 4)}{_shown(6)}",
    {
        "is ignored": _numbered(0, 1, 8, 9, 32, 33),
        "waits": _numbered(0, 1, 8, 9, 16, 17),
        "takes the place of the second one": _numbered(0, 1, 16, 17, 32, 33),
    },
    first=_RESULTS,
    breaks=["R33"],
)
_EARLY = rows(
    "vpm_early_read",
    "a read in the instruction after its set-up",
    _PAGE,
    f"{FILLED}{_read(4, 1)}{_wait()}{_taken(1)}{_read(8, 1)}{_taken(1, 1)}{_shown(2)}",
    {"waits": _numbered(4, 8), "gives the vector before": _numbered(4, 4), "gives 0": [row(4), [0] * ELEMENTS]},
    first=_RESULTS,
)
_NEW = [1000 + element for element in _ELEMENTS]


def _ahead(count: int) -> list[list[int]]:
    """Rows that were written between set-up and reads: so many had been read already."""
    return [row(number) if number < count else _NEW for number in range(16)]


_AHEAD = rows(
    "vpm_read_ahead",
    "of sixteen vectors that are set up to be read, before the program reads any, the VPM has read",
    _PAGE,
    f"{FILLED}ldi r1, {_NEW[0]}\nadd r1, r1, elem_num\n{_read(0, 16)}{_wait(40)}{_write_to(0)}{_again('mov vpm, r1', 16)}"
    f"{_wait(8)}{_taken(16)}{_shown(16)}",
    {f"{count}" if count else "none": _ahead(count) for count in (8, 0, 1, 2, 3, 4, 5, 6, 16)},
    first=_RESULTS,
)
_BOTH = rows(
    "vpm_read_and_write",
    "where an instruction reads a vector and writes one,",
    _PAGE,
    f"{FILLED}ldi r1, {_NEW[0]}\nadd r1, r1, elem_num\n{_read(4, 2)}{_write_to(_RESULTS)}{_wait()}"
    "mov r0, vpm; mov vpm, r1\nmov r2, vpm\nmov vpm, r0\nmov vpm, r2\n",
    {
        "both are done": [_NEW, row(4), row(5)],
        "the vector that is read is written, too": [row(4), row(4), row(5)],
        "the write is lost": [row(4), row(5), [0] * ELEMENTS],
        "the read takes a vector without giving it": [_NEW, row(5), row(5)],
    },
    first=_RESULTS,
)
_WORDS = [_HIGHEST + element for element in _ELEMENTS]


def _narrow(widened) -> list[list[int]]:
    """Halves and bytes of the row, packed and in lanes: of halves number 1, of bytes number 2."""
    halves = [word >> shift & _HALF for word in _WORDS for shift in (0, 16)]
    octets = [word >> shift & _BYTE for word in _WORDS for shift in (0, 8, 16, 24)]
    found = [(halves[16:], 16), ([word >> 16 & _HALF for word in _WORDS], 16)]
    found += [(octets[32:48], 8), ([word >> 16 & _BYTE for word in _WORDS], 8)]
    return [[widened(one, bits) for one in vector] for vector, bits in found]


def _with_sign(number: int, bits: int) -> int:
    return number - (number >> bits - 1 << bits)


def _repeated(number: int, bits: int) -> int:
    return number * (0x0101_0101 if bits == 8 else 0x1_0001)


_NARROW = rows(
    "vpm_narrow_reads",
    "above a half or byte that is read from the VPM",
    _PAGE,
    f"ldi r1, {_HIGHEST:#x}\nadd vpm, r1, elem_num\n"
    f"{_read(1, 1, size=VpmSize.HALF)}{_wait()}{_taken(1)}{_read(1, 1, size=VpmSize.HALF, laned=1)}{_wait()}{_taken(1, 1)}"
    f"{_read(2, 1, size=VpmSize.BYTE)}{_wait()}{_taken(1, 2)}{_read(2, 1, size=VpmSize.BYTE, laned=1)}{_wait()}{_taken(1, 3)}"
    f"{_shown(4)}",
    {
        "are zeros": _narrow(lambda number, bits: number),
        "is its sign": _narrow(_with_sign),
        "it is repeated": _narrow(_repeated),
    },
    first=_RESULTS,
)
QUESTIONS = (_SECOND, _THIRD, _EARLY, _AHEAD, _BOTH, _NARROW)
