"""Errors of the bus, which the chip does not have."""

from collections.abc import Mapping

import numpy as np

from ..tmu.fifos import LOOKUP_ERROR, NO_FAULT

__all__ = ["BusErrors"]


class BusErrors:
    """Lookups outside of memory, which `faults` has, see `TmuState`. Other answers of memory are for the system around to tell."""

    registers = ("XBUSERR", "XBUSENA")

    def __init__(self, faults: np.ndarray):
        self._faults = faults
        self._enabled = 0

    @property
    def irq(self) -> bool:
        """There is one that is enabled."""
        return bool(self._enabled and self._is_set)

    @property
    def _is_set(self) -> bool:
        return bool((self._faults != NO_FAULT).any())

    def live(self, name: str) -> dict[str, int]:
        """XBUSERR, by its fields."""
        return {LOOKUP_ERROR: int(self._is_set)}

    def written(self, name: str, fields: Mapping[str, int]) -> None:
        """A write of one of the registers."""
        if name == "XBUSENA":
            self._enabled = fields["EI_LOOKUP"]
        elif fields[LOOKUP_ERROR]:
            self._faults[:] = NO_FAULT
