"""Registers of the VPM: what programs of users get of it, and its errors (guide, tables 70 and 87)."""

from collections.abc import Callable, Mapping

from ..vcm.allocation import RowAllocation
from .vpm import BASE_ERROR, Vpm, VpmState, reserve, set_error

__all__ = ["VpmControl"]


class VpmControl:
    """VPMBASE, VPACNTL and ERRSTAT; `is_busy` tells whether a program of a user runs or waits, `allocation` gets what is for
    vertices.
    """

    registers = ("VPMBASE", "VPACNTL", "ERRSTAT")

    def __init__(self, vpm: VpmState, allocation: RowAllocation, is_busy: Callable[[], bool]):
        self._vpm, self._allocation, self._is_busy = vpm, allocation, is_busy
        self._blocks = 0

    def live(self, name: str) -> dict[str, int]:
        """ERRSTAT, by its fields. Loads are done when the instruction is that asks for them."""
        return {"VCDI": 1, **dict.fromkeys(Vpm(self._vpm).errors, 1)}

    def written(self, name: str, fields: Mapping[str, int]) -> None:
        """VPMBASE should not change while programs run."""
        if name == "VPACNTL":
            self._allocation.limit(fields)
            return
        (blocks,) = fields.values()
        if blocks != self._blocks and self._is_busy():
            set_error(self._vpm, BASE_ERROR)
        self._blocks = blocks
        self._allocation.user_blocks = blocks
        reserve(self._vpm, blocks)
