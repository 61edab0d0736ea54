"""Programs that keep to the rules: what breaks one is taken out."""

from collections.abc import Sequence, Set

from vc4.isa.word import NOP_WORD, WORD_BYTES

from ..checker import check

__all__ = ["lawful"]

#: What is taken out may bring others together.
_ROUNDS = 3


def lawful(words: Sequence[int], base: int, entries: Sequence[int], frame: Set[int]) -> list[int]:
    """`words` with nops instead of instructions that break a rule.

    Only errors count, as warnings are about rules that no single instruction breaks. Instructions of `frame` stay, so a
    rule that only they break stays broken.

    base : address of the first word
    entries : indices of the instructions with which programs begin
    """
    kept = list(words)
    for _ in range(_ROUNDS):
        found = [one for one in check(kept, base, entries=entries) if one.is_error]
        places = [(one.offset // WORD_BYTES, one.trigger // WORD_BYTES) for one in found]
        wrong = [index for pair in places for index in [index for index in pair if index not in frame][:1]]
        if not wrong:
            break
        for index in wrong:
            kept[index] = NOP_WORD
    return kept
