"""Pieces of a program, and where they lie once all are known."""

from dataclasses import dataclass, field

from vc4.isa.word import NOP_WORD, WORD_BYTES

__all__ = ["MAX_BYTES", "Layout", "Piece", "lay_out"]

#: No program is larger: it would be a mistake in the source.
MAX_BYTES = 1 << 22


@dataclass(frozen=True, slots=True)
class Piece:
    """What one line adds to the program.

    `serial` numbers the pieces in the order of the source. A piece starts at the next address that is `base` modulo
    `align`; what lies between belongs to a piece that is a `fill`, so that labels before it stand in front, else to the
    piece before. `origin` is the file and line of an instruction, `None` for data.
    """

    serial: int
    data: bytes = b""
    align: int = 1
    base: int = 0
    fill: bool = False
    origin: tuple[str, int] | None = None


@dataclass(frozen=True)
class Layout:
    """A program laid out: its bytes, the address of each piece by serial number, and the lines of its instructions."""

    code: bytes = b""
    addresses: dict[int, int] = field(default_factory=dict)
    lines: dict[int, tuple[str, int]] = field(default_factory=dict)


def _padding(start: int, end: int) -> bytes:
    """What stands from `start` to `end`: nops where they fit, else zeros."""
    aligned = min(-start % WORD_BYTES, end - start)
    words, rest = divmod(end - start - aligned, WORD_BYTES)
    return bytes(aligned) + NOP_WORD.to_bytes(WORD_BYTES, "little") * words + bytes(rest)


def lay_out(pieces: list[Piece]) -> Layout:
    """The layout of `pieces`, one after the other. An empty piece, a label, lies where the next one begins."""
    code = bytearray()
    layout = Layout()
    waiting: list[int] = []
    for piece in pieces:
        before = len(code)
        code += _padding(before, before + (piece.base - before) % piece.align)
        waiting.append(piece.serial)
        if piece.data or piece.fill:
            layout.addresses.update(dict.fromkeys(waiting, before if piece.fill else len(code)))
            waiting = []
        if piece.origin is not None:
            layout.lines[len(code)] = piece.origin
        code += piece.data
    return Layout(bytes(code), layout.addresses | dict.fromkeys(waiting, len(code)), layout.lines)
