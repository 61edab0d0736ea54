"""Flags and the conditions over them (guide, tables 2 and 11; QPU facts, section 2)."""

import numpy as np

from vc4.isa.ops import BranchCondition, Condition
from vc4.isa.registers import ELEMENTS

from .vectors import same

__all__ = ["Flags", "bits"]

_ALWAYS = np.ones(ELEMENTS, bool)
_NEVER = np.zeros(ELEMENTS, bool)


def bits(mask: np.ndarray) -> int:
    """Sixteen bools as a number, element 0 lowest."""
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")


class Flags:
    """N, Z and C of each element, arrays of sixteen bools, or of several vectors."""

    def __init__(self) -> None:
        self.n, self.z, self.c = _NEVER, _NEVER, _NEVER

    def passing(self, condition: Condition) -> np.ndarray:
        """The elements in which `condition` holds."""
        if condition in (Condition.NEVER, Condition.ALWAYS):
            return _ALWAYS if condition is Condition.ALWAYS else _NEVER
        flag = (self.z, self.n, self.c)[condition.value // 2 - 1]
        return ~flag if condition.value & 1 else flag

    def taken(self, condition: BranchCondition) -> bool:
        """Whether a branch is taken; the reserved conditions never hold. Raises `Divergence`."""
        if condition.value >= BranchCondition.RESERVED_12.value:
            return condition is BranchCondition.ALWAYS
        flag = (self.z, self.n, self.c)[condition.value // 4]
        flag = ~flag if condition.value & 1 else flag
        holds = flag.any(axis=-1) if condition.value & 2 else flag.all(axis=-1)
        return bool(same(holds[..., None]))

    def updated(self, mask: np.ndarray, result: np.ndarray, carry: np.ndarray) -> "Flags":
        """These flags with those of a result in the elements of `mask`."""
        flags = Flags()
        flags.n = np.where(mask, result >> np.uint32(31) != 0, self.n)
        flags.z = np.where(mask, result == 0, self.z)
        flags.c = np.where(mask, carry, self.c)
        return flags

    def as_bits(self) -> tuple[int, int, int]:
        """N, Z and C, one bit an element."""
        return bits(self.n), bits(self.z), bits(self.c)
