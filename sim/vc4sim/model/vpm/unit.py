"""The vertex pipe memory by itself, without QPUs, for whoever wants to know what set-ups, vectors and blocks do."""

from collections.abc import Sequence

import numpy as np

from vc4.config import MAX_QPUS
from vc4.isa.registers import ELEMENTS

from ..compiled import State
from ..memory import Memory, MemoryFault
from ..qpu.status import NO_VECTOR
from ..unbuilt import Waiting
from . import port
from .vpm import Vpm, dma_fault, new_vpm, reserve

__all__ = ["VpmPort", "VpmUnit"]


class VpmPort:
    """What one QPU says to it.

    vpm : the whole
    """

    def __init__(self, unit: "VpmUnit", qpu: int):
        self.vpm, self._qpu = unit, qpu
        self._way = unit.state.views, qpu
        self._vector = memoryview(np.zeros(ELEMENTS, np.int64))

    def write_setup(self, word: int) -> None:
        """A write of `vw_setup`."""
        port.write_setup(*self._way, int(word))

    def read_setup(self, word: int) -> None:
        """A write of `vr_setup`."""
        port.read_setup(*self._way, int(word))

    def wait(self) -> None:
        """Raises `Waiting` if there is no vector to read."""
        if port.no_vector(*self._way):
            raise Waiting(NO_VECTOR)

    def read(self) -> np.ndarray:
        """A read of `vpm`, sixteen words; there must be a vector."""
        port.next_vector(*self._way, self._vector)
        return np.array(self._vector, np.uint32)

    def write(self, vector: Sequence[int]) -> None:
        """A write of `vpm`, sixteen words."""
        for element, word in enumerate(vector):
            self._vector[element] = int(word)
        port.write_vector(*self._way, self._vector)

    def cancel(self) -> None:
        """The end of a program."""
        port.forget_reads(*self._way)

    def load(self, address: int) -> None:
        """A write of `vr_addr`."""
        port.load(self.vpm.state.views, self.vpm.memory.state.views, self._qpu, int(address))

    def store(self, address: int) -> None:
        """A write of `vw_addr`."""
        port.store(self.vpm.state.views, self.vpm.memory.state.views, self._qpu, int(address))
        self.vpm.memory.tell()


class VpmUnit(Vpm):
    """`rows` rows in front of `memory`, and the ways of all QPUs into it."""

    def __init__(self, rows: int, memory: Memory):
        self.memory = memory
        self.state = State(new_vpm(rows))
        super().__init__(self.state.arrays)
        self.ports = [VpmPort(self, qpu) for qpu in range(MAX_QPUS)]

    @property
    def fault(self) -> MemoryFault | None:
        """The first access of DMA outside of memory."""
        return dma_fault(self.state.arrays)

    def reserve(self, blocks: int) -> None:
        """A write of VPMBASE."""
        reserve(self.state.arrays, blocks)
