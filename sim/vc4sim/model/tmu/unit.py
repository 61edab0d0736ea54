"""A texture unit by itself, without QPUs, for whoever wants to know what a lookup returns."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from vc4.errata import Erratum
from vc4.isa.registers import ELEMENTS
from vc4.records.tmu import TmuParameterName

from ..compiled import Buffers, Entry, State
from ..memory import Memory, MemoryFault
from .fifos import NO_FAULT, has_unread_words, new_tmu, tmu_load, tmu_write
from .parameters import PARAMETERS

__all__ = ["TextureUnit"]

_write, _load = Entry(tmu_write), Entry(tmu_load)
#: QPU, thread and unit.
_PATH = 0, 0, 0
_ACCESS = "texture read"


class TextureUnit:
    """A texture unit that reads `memory`, for one QPU that waits for every result; it may have errata."""

    def __init__(self, memory: Memory, errata: Collection[Erratum] = ()):
        self._memory = memory
        self._tmu = State(new_tmu(1, errata))
        self._vector = Buffers(np.zeros(ELEMENTS, np.int64))

    @property
    def fault(self) -> MemoryFault | None:
        """The first read outside of memory."""
        address = int(self._tmu.arrays.faults[0])
        return None if address == NO_FAULT else MemoryFault(address, _ACCESS)

    def look_up(self, parameters: Mapping[str, np.ndarray], uniforms: Sequence[int] = ()) -> list[np.ndarray]:
        """The words (uint32) that come back, each of sixteen elements.

        parameters : vectors by their letters, in the order in which they are written, s last
        uniforms : that they take; none for s alone, a lookup of memory
        """
        for (letter, vector), uniform in zip(parameters.items(), uniforms or (-1,), strict=True):
            self._vector.arrays[:] = vector
            code = TmuParameterName[letter.upper()].value
            _write(self._tmu, self._memory.state, *_PATH, code, self._vector, uniform)
        found = []
        while has_unread_words(self._tmu.arrays):
            _load(self._tmu, *_PATH, self._vector)
            found.append(self._vector.arrays.astype(np.uint32))
        return found

    def sample(
        self, uniforms: Sequence[int], s: np.ndarray, t: np.ndarray, r: np.ndarray | int = 0, b: np.ndarray | int = 0
    ) -> list[np.ndarray]:
        """The words of a texture, which 2 to 4 uniforms describe, at coordinates."""
        vectors = {letter: np.broadcast_to(v, ELEMENTS) for letter, v in zip("trbs", (t, r, b, s), strict=True)}
        # Parameters that are no more than 0 say nothing.
        return self.look_up(vectors, [*uniforms, *[0] * (PARAMETERS - len(uniforms))])
