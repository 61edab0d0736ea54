"""The way of a vertex or coordinate shader into the VPM (guide, sections 7 and 8; pipeline facts, 3.2)."""

import numpy as np

from ..memory import Memory
from ..unbuilt import Unbuilt
from .port import VpmPort
from .vpm import Vpm

__all__ = ["ROWS", "ShaderPort"]

#: Rows that a set-up can name.
ROWS = 64


class ShaderPort(VpmPort):
    """Reads and writes have base addresses of their own: row 0 is the first attribute to one, the first result to the other.

    There is no DMA: where it would lie in the VPM nobody knows, and memory is not for these programs to write.

    attributes, results : where they lie
    """

    def __init__(self, memory: Memory):
        self.attributes = Vpm(ROWS, memory)
        self.results = Vpm(ROWS, memory)
        super().__init__(self.attributes)
        self._writer = VpmPort(self.results)

    def begin(self) -> None:
        """Another batch: nothing is there yet, no set-up either."""
        for vpm in (self.attributes, self.results):
            vpm.words[:] = 0
        self.cancel()
        self._writer.write_setup(0)

    def write_setup(self, word: int) -> None:
        """Where results go."""
        self._writer.write_setup(word)

    def write(self, vector: np.ndarray) -> None:
        """The next row of results."""
        self._writer.write(vector)

    def load(self, address: int) -> None:
        """Raises `Unbuilt`."""
        raise Unbuilt("vdr")

    def store(self, address: int) -> None:
        """Raises `Unbuilt`."""
        raise Unbuilt("vdw")
