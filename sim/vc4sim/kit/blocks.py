"""Questions about blocks that DMA moves: pitches of narrow loads, units longer than a row, lanes."""

from collections.abc import Mapping, Sequence

from vc4.isa.registers import ELEMENTS
from vc4.records.vpm import DmaMode, VdrBasicSetup, VdrExtendedSetup, VdwBasicSetup, VdwStrideSetup

from .image import ANSWER, Address, program_image
from .program import END, begun, rows
from .question import Candidate, Question
from .vectors import filled, row

__all__ = ["QUESTIONS"]

_PAGE = "choices.md#vpm-and-dma"
_WORD_BYTES = 4
_ROWS = 24


def _load(**fields: object) -> str:
    """A load of a block to the VPM, from where the next uniform says, until it is done."""
    return f"ldi vr_setup, {VdrBasicSetup.const(fields | {'id': 1}).as_bits():#x}\nmov vr_addr, unif\nread vr_wait\n"


def _pitch(count: int) -> str:
    word = VdrExtendedSetup.const({"pitch": count, "id": 9}).as_bits()
    return f"ldi vr_setup, {word:#x}\n"


def _put(start: int, content: Sequence[int], width: int, into: list[bytearray]) -> None:
    """Elements into rows, from a byte counted from row 0 on where each word of a column counts four: down to the row, then along."""
    line, byte = divmod(start, _WORD_BYTES)
    for number, element in enumerate(content):
        place = byte + number * width
        into[line + place // 64][place % 64 : place % 64 + width] = element.to_bytes(width, "little")


def _words(lines: Sequence[bytearray]) -> list[list[int]]:
    return [[int.from_bytes(line[place : place + 4], "little") for place in range(0, 64, 4)] for line in lines]


def _narrow(name: str, asks: str, mode: DmaMode, width: int, pitch: int, rules: Mapping[str, object]) -> Question:
    """A load of three rows of four narrow elements, the first to row 7, from its highest half or byte on."""
    first = 7 * _WORD_BYTES + (_WORD_BYTES - width)
    memory = [[0x11 * (4 * line + number + 1) % 256 for number in range(4)] for line in range(3)]
    answers = {}
    for rule, start in rules.items():
        lines = [bytearray(64) for _ in range(_ROWS)]
        for number, content in enumerate(memory):
            _put(start(first, number), content, width, lines)
        answers[rule] = _words(lines)
    data = b"".join(b"".join(element.to_bytes(width, "little") for element in line).ljust(16, b"\0") for line in memory)
    setup = {"mode": mode, "row_length": 4, "rows": 3, "row_pitch": pitch, "row": 7, "memory_pitch": 1}
    body = "mov vpm, 0\n" * _ROWS + "nop\n" * 3 + _load(**setup)
    return rows(name, asks, _PAGE, body, answers, uniforms=[Address("loaded")], buffers={"loaded": data})


def _wrapped(distance: int, size: int):
    """Within the lowest four bits of rows and parts of a word."""
    return lambda first, number: first - first % size + (first + number * distance) % size


_HALVES = _narrow(
    "vpitch_of_halves",
    "VPITCH of a load of halves counts",
    DmaMode.HALF_1,
    2,
    3,
    {
        "halves, and carries into the row": lambda first, number: first + number * 3 * 2,
        "halves, within the lowest three bits of the row": _wrapped(3 * 2, 8 * _WORD_BYTES),
        "rows": lambda first, number: first + number * 3 * _WORD_BYTES,
    },
)
_BYTES = _narrow(
    "vpitch_of_bytes",
    "VPITCH of a load of bytes counts",
    DmaMode.BYTE_3,
    1,
    5,
    {
        "bytes, and carries into the row": lambda first, number: first + number * 5,
        "bytes, within the lowest two bits of the row": _wrapped(5, 4 * _WORD_BYTES),
        "rows": lambda first, number: first + number * 5 * _WORD_BYTES,
    },
)
_LOADED = [0x100 + number for number in range(2 * ELEMENTS)]
_NO_PITCH = rows(
    "mpitch_zero",
    "a load of two rows with MPITCH 0 and MPITCHB 0 reads",
    _PAGE,
    "mov vpm, 0\nmov vpm, 0\nnop\nnop\nnop\n"
    + _pitch(0)
    + _load(mode=DmaMode.WORD, row_length=0, rows=2, row_pitch=1, row=0, memory_pitch=0),
    {
        "the same row twice": [_LOADED[:ELEMENTS]] * 2,
        "the row that follows it": [_LOADED[:ELEMENTS], _LOADED[ELEMENTS:]],
    },
    uniforms=[Address("loaded")],
    buffers={"loaded": b"".join(word.to_bytes(4, "little") for word in _LOADED)},
)


def _store(
    name: str, asks: str, setup: Mapping[str, object], answers: Mapping[str, Sequence[int]], block_mode: int = 0
) -> Question:
    """A question whose answer is what a store leaves of rows that were filled."""
    basic = VdwBasicSetup.const({"mode": DmaMode.WORD, "horizontal": 1, "id": 2, **setup}).as_bits()
    pitch = VdwStrideSetup.const({"id": 3, "block_mode": block_mode}).as_bits()
    source = (
        f"{begun()}{filled(_ROWS)}nop\nnop\nnop\nldi vw_setup, {pitch:#x}\nldi vw_setup, {basic:#x}\nmov vw_addr, unif\n"
        f"read vw_wait\n{END}"
    )
    count = len(next(iter(answers.values())))
    image = program_image(source, [ANSWER], count)
    candidates = tuple(Candidate(rule, tuple(answer)) for rule, answer in answers.items())
    return Question(name=name, asks=asks, page=_PAGE, image=image, source=source, candidates=candidates)


def _halves(low: Sequence[int], high: Sequence[int]) -> list[int]:
    return [first | second << 16 for first, second in zip(low, high, strict=True)]


_LONG_UNIT = _store(
    "vdw_long_unit",
    "a store of a unit of twenty words along a row goes on",
    {"depth": 20, "units": 1},
    {"in the next row": [*row(0), *row(1)[:4]], "at the begin of the row": [*row(0), *row(0)[:4]]},
)
_LONG_COLUMN = _store(
    "vdw_long_column",
    "a store of a unit of twenty words down a column goes on",
    {"depth": 20, "units": 1, "horizontal": 0, "column": 3},
    {
        "below": [row(number)[3] for number in range(20)],
        "at the top of the sixteen rows": [row(number % 16)[3] for number in range(20)],
        "at the top of the next column": [row(number % 16)[3 + number // 16] for number in range(20)],
    },
)
_LANES = _store(
    "vdw_laned",
    "a store of halves with LANED takes",
    {"depth": 16, "units": 1, "mode": DmaMode.HALF_0, "laned": 1},
    {
        "the low half of each word": _halves(row(0)[::2], row(0)[1::2]),
        "both halves of each word: LANED does nothing": row(0)[:8],
    },
)
_PACKED = _store(
    "vdw_block_mode",
    "in block mode, the second of two units of eight words begins",
    {"depth": 8, "units": 2},
    {"where the first one ends": row(0), "in the next row": [*row(0)[:8], *row(1)[:8]]},
    block_mode=1,
)
_SINGLE = _store(
    "vdw_block_mode_of_words",
    "in block mode, the second of two units of one word lies",
    {"depth": 1, "units": 2},
    {"in the next row": [row(0)[0], row(1)[0]], "after the first one": row(0)[:2]},
    block_mode=1,
)
QUESTIONS = (_HALVES, _BYTES, _NO_PITCH, _LONG_UNIT, _LONG_COLUMN, _LANES, _PACKED, _SINGLE)
