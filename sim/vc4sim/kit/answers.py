"""The file of answers, and what it decides."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..problem import BadInput
from .question import Answer, Candidate, Question

__all__ = ["FORMAT", "Verdict", "judged", "report", "text_of"]

#: What a file begins with, in front of three words that say what the chip is.
FORMAT = "vc4-kit-answers-1"
_HEAD = re.compile(rf"{FORMAT}( [0-9a-f]{{8}}){{3}}")
_LINE = re.compile(r"(?P<name>\w+) (?P<fingerprint>[0-9a-f]{8})(?P<answer>( [0-9a-f]{8})+| does not end)")
_SHOWN_WORDS = 32


@dataclass(frozen=True)
class Verdict:
    """What an answer says.

    question : that was asked
    answer : of the chip
    """

    question: Question
    answer: Answer

    @property
    def candidate(self) -> Candidate | None:
        """The rule that gives this answer, if one does."""
        return self.question.fitting(self.answer)

    @property
    def agrees(self) -> bool:
        """The chip does what is done here."""
        return self.candidate is self.question.chosen

    def lines(self) -> Iterator[str]:
        """In words."""
        question, found = self.question, self.candidate
        if found is None:
            yield f"{question.name}: fits no candidate"
            yield f"  {question.asks} ...: here {question.chosen.rule} ({question.page})"
            yield from _words(self.answer)
            return
        yield f"{question.name}: {'as here' if self.agrees else 'wrong here'}"
        yield f"  {question.asks} {found.rule}"
        if not self.agrees:
            yield f"  here: {question.chosen.rule} ({question.page})"


def _words(answer: Answer) -> Iterator[str]:
    if answer is None:
        yield "  it does not end"
        return
    for first in range(0, min(len(answer), _SHOWN_WORDS), 8):
        yield "  " + " ".join(f"{word:08x}" for word in answer[first : first + 8])
    if len(answer) > _SHOWN_WORDS:
        yield f"  and {len(answer) - _SHOWN_WORDS} words more"


def text_of(identity: Sequence[int], answers: Mapping[Question, Answer]) -> str:
    """The file of some answers, as the program in C prints it; `identity` is what IDENT0 to IDENT2 read."""
    lines = [f"{FORMAT} {' '.join(f'{word:08x}' for word in identity)}"]
    for question, answer in answers.items():
        words = "does not end" if answer is None else " ".join(f"{word:08x}" for word in answer)
        lines.append(f"{question.name} {question.fingerprint} {words}")
    return "\n".join(lines) + "\n"


def judged(text: str, name: str, questions: Sequence[Question]) -> list[Verdict]:
    """What a file says, in its order. `name` is that of the file, for errors.

    Raises `BadInput` for what is no file of answers, or answers other questions than these.
    """
    first, *lines = text.splitlines() or [""]
    if not _HEAD.fullmatch(first):
        raise BadInput(f"{name}:1: not a file of answers: it begins with {FORMAT} and three words")
    known, found = {question.name: question for question in questions}, {}
    for number, line in enumerate(lines, 2):
        place, match = f"{name}:{number}", _LINE.fullmatch(line)
        if match is None:
            raise BadInput(f"{place}: must be a name, a fingerprint, and words of eight digits, or `does not end`")
        question = known.get(match["name"])
        if question is None:
            raise BadInput(f"{place}: there is no question {match['name']!r}")
        if match["fingerprint"] != question.fingerprint:
            raise BadInput(f"{place}: {question.name} was asked in another way: write the kit again, and ask again")
        if question.name in found:
            raise BadInput(f"{place}: {question.name} has an answer already")
        answer = None if "end" in match["answer"] else tuple(int(word, 16) for word in match["answer"].split())
        if answer is not None and len(answer) != question.image.words:
            raise BadInput(f"{place}: {question.name} has {question.image.words} words, not {len(answer)}")
        found[question.name] = Verdict(question, answer)
    return [*found.values()]


def report(verdicts: Sequence[Verdict], questions: Sequence[Question]) -> Iterator[str]:
    """What a chip has decided, in words: what is wrong here first, and how many of each kind."""
    wrong = [one for one in verdicts if one.candidate and not one.agrees]
    unknown = [one for one in verdicts if one.candidate is None]
    right = [one for one in verdicts if one.agrees]
    for one in (*wrong, *unknown, *right):
        yield from one.lines()
    missing = len(questions) - len(verdicts)
    yield (
        f"{len(verdicts)} answers: {len(right)} as here, {len(wrong)} wrong here, {len(unknown)} fit no candidate"
        + (f"; {missing} not asked" if missing else "")
    )
