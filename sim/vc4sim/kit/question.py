"""A question to a chip, and what could be the answer."""

import zlib
from dataclasses import dataclass
from functools import cached_property

from .image import Image

__all__ = ["Answer", "Candidate", "Question"]

#: Words, or `None`: the program does not end.
Answer = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rule that the chip may have.

    rule : in words, to follow the name of its question
    answer : what a chip with this rule answers
    """

    rule: str
    answer: Answer


@dataclass(frozen=True, kw_only=True, eq=False)
class Question:
    """Something that no source settles, and that can be asked of a chip.

    name : of the question
    asks : what it is about, to go before a rule and a colon
    page : where the choice is documented: a page of `docs/reference` and its heading
    image : what is in memory
    source : the program, in assembly, or the list in words
    candidates : rules that fit what is known; the first one is what is done here
    breaks : numbers of programming restrictions that the program breaks, as what then happens is the question
    """

    name: str
    asks: str
    page: str
    image: Image
    source: str
    candidates: tuple[Candidate, ...]
    breaks: frozenset[str] = frozenset()

    @property
    def chosen(self) -> Candidate:
        """What is done here."""
        return self.candidates[0]

    def fitting(self, answer: Answer) -> Candidate | None:
        """The candidate that gives an answer, if one does."""
        return next((one for one in self.candidates if one.answer == answer), None)

    @cached_property
    def fingerprint(self) -> str:
        """Eight hexadecimal digits of all that the chip gets: other questions of the same name have others."""
        image = self.image
        about = f"{image.size} {image.addresses} {image.start.value} {image.first} {image.second} {image.answer}"
        return f"{zlib.crc32(image.data + about.encode()):08x}"
