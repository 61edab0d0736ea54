"""Listings of whole programs."""

from vc4.isa.decode import decode
from vc4.isa.word import WORD_BYTES

from .disassembler import disassemble
from .forms import branch_target, branches

__all__ = ["disassemble_program"]

#: Column of the comments.
_COMMENT = 56


def disassemble_program(code: bytes, base: int = 0) -> str:
    """A listing of `code`, which assembles to the same bytes.

    Targets of relative branches inside get labels, `L1` and so on. At the end of each line stand the address, counted
    from `base`, and the word.
    """
    whole = len(code) // WORD_BYTES * WORD_BYTES
    words = [int.from_bytes(code[start : start + WORD_BYTES], "little") for start in range(0, whole, WORD_BYTES)]
    labels = _labels(words)
    lines = []
    for index, word in enumerate(words):
        offset = index * WORD_BYTES
        if offset in labels:
            lines.append(f"{labels[offset]}:")
        lines.append(f"    {_statement(word, offset, labels):{_COMMENT}} # {base + offset:08x}: {word:016x}")
    if whole < len(code):
        lines.append(f"    .byte {', '.join(str(byte) for byte in code[whole:])}")
    return "".join(f"{line}\n" for line in lines)


def _goal(word: int, offset: int) -> int | None:
    """Where the relative branch `word` at `offset` goes to; `None` if it is none or the language cannot say it."""
    return None if disassemble(word).startswith(".") else branch_target(decode(word), offset)


def _labels(words: list[int]) -> dict[int, str]:
    """Names of the offsets to which relative branches go, if an instruction begins there."""
    starts = range(0, len(words) * WORD_BYTES, WORD_BYTES)
    goals = {_goal(word, offset) for offset, word in zip(starts, words, strict=True)}
    return {offset: f"L{number}" for number, offset in enumerate((start for start in starts if start in goals), 1)}


def _statement(word: int, offset: int, labels: dict[int, str]) -> str:
    """The statement, with a label as target if there is one."""
    plain = disassemble(word)
    goal = _goal(word, offset)
    if goal not in labels:
        return plain
    instruction = decode(word)
    texts = zip(branches(instruction), branches(instruction, f"r:{labels[goal]}"), strict=True)
    return next(labelled for text, labelled in texts if text == plain)
