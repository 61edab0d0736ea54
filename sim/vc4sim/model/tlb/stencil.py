"""The stencil test: what a shader sets up, and what the test does to eight bits (guide, tables 27 and 28; pipeline facts, 5.3)."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from vc4.records.state import DepthTest

from .compare import passes

__all__ = ["StencilFace", "StencilMode"]

_WRITE_MASKS = (0x01, 0x03, 0x0F, 0xFF)
_BYTE = 0xFF

#: Operations by their codes, on int64: the old value, and the reference value.
_OPERATIONS: tuple[Callable[[np.ndarray, int], np.ndarray], ...] = (
    lambda old, reference: np.zeros_like(old),
    lambda old, reference: old,
    lambda old, reference: np.full_like(old, reference),
    lambda old, reference: np.minimum(old + 1, _BYTE),
    lambda old, reference: np.maximum(old - 1, 0),
    lambda old, reference: old ^ _BYTE,
    lambda old, reference: old + 1 & _BYTE,
    lambda old, reference: old - 1 & _BYTE,
)


@dataclass(frozen=True, slots=True)
class StencilFace:
    """The test of one face.

    stencil_fail, z_fail, z_pass : codes of operations
    """

    enabled: bool = False
    function: DepthTest = DepthTest.ALWAYS
    reference: int = 0
    mask: int = 0
    write_mask: int = 0
    stencil_fail: int = 1
    z_fail: int = 1
    z_pass: int = 1

    def configured(self, word: int) -> "StencilFace":
        """Set up by a word of table 27."""
        return StencilFace(
            enabled=True,
            function=DepthTest(word >> 16 & 7),
            reference=word >> 8 & _BYTE,
            mask=word & _BYTE,
            write_mask=_WRITE_MASKS[word >> 28 & 3],
            stencil_fail=word >> 19 & 7,
            z_pass=word >> 22 & 7,
            z_fail=word >> 25 & 7,
        )

    def passes(self, old: np.ndarray) -> np.ndarray:
        """Where the stencil test passes: the reference value is compared with the stored one, both masked."""
        return passes(self.function, np.asarray(self.reference & self.mask), old & self.mask)

    def updated(self, old: np.ndarray, stencil: np.ndarray, z: np.ndarray) -> np.ndarray:
        """The stencil values behind both tests."""
        fail, z_fail, z_pass = (
            _OPERATIONS[code](old, self.reference) for code in (self.stencil_fail, self.z_fail, self.z_pass)
        )
        new = np.where(stencil, np.where(z, z_pass, z_fail), fail)
        return old & ~self.write_mask & _BYTE | new & self.write_mask


@dataclass
class StencilMode:
    """Both faces; a shader begins with none enabled."""

    front: StencilFace = field(default_factory=StencilFace)
    back: StencilFace = field(default_factory=StencilFace)

    def write(self, word: int) -> None:
        """A write of the set-up: configuration of one or both faces, or the write masks of both. Masks enable nothing."""
        select = word >> 30
        if not select:
            self.front = replace(self.front, write_mask=word & _BYTE)
            self.back = replace(self.back, write_mask=word >> 8 & _BYTE)
        if select & 1:
            self.front = self.front.configured(word)
        if select & 2:
            self.back = self.back.configured(word)
