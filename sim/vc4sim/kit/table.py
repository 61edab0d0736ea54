"""All questions, in the order in which they are asked."""

from . import blocks, flags, floats, instructions, lookups, registers, services, tiles, vectors
from .question import Question

__all__ = ["GROUPS", "QUESTIONS"]

#: By what they are about; what a chip is more likely to survive comes first.
GROUPS: dict[str, tuple[Question, ...]] = {
    "Floats": floats.QUESTIONS,
    "Flags": flags.QUESTIONS,
    "Registers: read too early, and shown again": registers.QUESTIONS,
    "Special functions, conditions, and what services read": services.QUESTIONS,
    "Vectors of the VPM": vectors.QUESTIONS,
    "DMA": blocks.QUESTIONS,
    "Texture lookups": lookups.QUESTIONS,
    "Reserved codes, and both ALUs at once": instructions.QUESTIONS,
    "The tile buffer": tiles.QUESTIONS,
}
QUESTIONS: tuple[Question, ...] = tuple(question for group in GROUPS.values() for question in group)
