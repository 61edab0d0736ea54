"""What a QPU is asked to run."""

from dataclasses import dataclass

__all__ = ["Launch"]


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to start.

    pc, uniforms : byte addresses of its first instruction and its first uniform
    threaded : it may share the QPU with another one
    """

    pc: int
    uniforms: int
    threaded: bool = False
