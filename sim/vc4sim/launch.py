"""What a QPU is asked to run."""

from dataclasses import dataclass

__all__ = ["Launch"]


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to start.

    pc, uniforms : byte addresses of its first instruction and its first uniform
    threaded : it may share the QPU with another one
    length : how many uniforms it has; 0: no limit
    """

    pc: int
    uniforms: int
    threaded: bool = False
    length: int = 0

    def __str__(self) -> str:
        limit = f" length {self.length}" if self.length else ""
        return f"{self.pc:08x} uniforms {self.uniforms:08x}{limit}{' threaded' * self.threaded}"
