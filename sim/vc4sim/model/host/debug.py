"""Halt, run and step of QPUs, and their interrupts (guide, tables 73 and 74; addendum, section 10)."""

from collections.abc import Mapping

import numpy as np

from ..qpu.state import DEBUGS, HALTED, HAS_INTERRUPTED, INTERRUPTS, STEPS

__all__ = ["Debug"]


def _bits(word: int, count: int) -> np.ndarray:
    """The lowest bits of a word."""
    return word >> np.arange(count) & 1


class Debug:
    """What the host asks of QPUs, and what they tell it: `state` is `QpuState.debug` of those that there are."""

    registers = ("DBCFG", "DBQRUN", "DBQHLT", "DBQSTP", "DBQITE", "DBQITC")

    def __init__(self, state: np.ndarray):
        self._state = state
        self._enabled = self._interrupts = 0

    @property
    def irq(self) -> bool:
        """A program has raised an interrupt that is enabled."""
        return bool(self._state[:, HAS_INTERRUPTED].any())

    def live(self, name: str) -> dict[str, int]:
        """What the fields of a register read."""
        match name:
            case "DBQRUN":
                return {"RUN_QPU": self._word(1 - self._state[:, HALTED])}
            case "DBQHLT":
                return {"HLT_QPU": self._word(self._state[:, HALTED])}
            case "DBQITC":
                return {"IC_QPU": self._word(self._state[:, HAS_INTERRUPTED])}
        return {}

    @staticmethod
    def _word(bits: np.ndarray) -> int:
        return int((bits << np.arange(len(bits))).sum())

    def written(self, name: str, fields: Mapping[str, int]) -> None:
        """A write of one of the registers. Without debugging nothing is halted, and no interrupt comes."""
        (word,) = fields.values()
        state, chosen = self._state, _bits(word, len(self._state))
        match name:
            case "DBCFG":
                self._enabled = word
            case "DBQITE":
                self._interrupts = word
            case "DBQRUN":
                state[:, HALTED] &= 1 - chosen
            case "DBQHLT":
                state[:, HALTED] |= chosen & self._enabled
            case "DBQSTP":
                state[:, STEPS] |= chosen & state[:, HALTED]
            case "DBQITC":
                state[:, HAS_INTERRUPTED] &= 1 - chosen
        state[:, DEBUGS] = self._enabled
        state[:, HALTED] &= self._enabled
        state[:, STEPS] &= state[:, HALTED]
        state[:, INTERRUPTS] = _bits(self._interrupts * self._enabled, len(state))
