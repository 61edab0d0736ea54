"""What goes in and out of a QPU, and between its parts."""

from amaranth.hdl import unsigned
from amaranth.lib import data

from vc4.isa.word import WORD_BITS

__all__ = ["LANES", "FetchedWord", "LaneWords", "ProgramStart", "Redirect", "Uniform", "UniformMove"]

#: Elements that move in one clock: one quad.
LANES = 4
#: A quad of 32-bit values.
LaneWords = data.ArrayLayout(unsigned(32), LANES)


class ProgramStart(data.Struct):
    """A program for a QPU."""

    pc: unsigned(32)  # byte address of its first instruction
    uniforms: unsigned(32)  # byte address of its first uniform


class FetchedWord(data.Struct):
    """An instruction word on its way to a QPU."""

    pc: unsigned(32)
    word: unsigned(WORD_BITS)
    error: unsigned(1)  # memory does not have it


class Redirect(data.Struct):
    """Where the instruction stream goes on."""

    restart: unsigned(1)  # 1: drop everything and go on at `target`; 0: go there after the word before `boundary`
    boundary: unsigned(32)
    target: unsigned(32)


class Uniform(data.Struct):
    """A uniform on its way to a QPU."""

    value: unsigned(32)
    error: unsigned(1)  # memory does not have it


class UniformMove(data.Struct):
    """Where the uniform stream goes on."""

    relative: unsigned(1)  # 1: `address` is added to that of the next uniform
    address: unsigned(32)
