"""The way of one QPU to the texture units of its slice (guide, sections 3 and 4; QPU facts, 8.3)."""

from collections import deque
from functools import cached_property

import numpy as np

from vc4.isa.registers import ELEMENTS
from vc4.records.tmu import REQUEST_SLOTS, RESULT_SLOTS, TMU_NAMES

from ..memory import Memory, MemoryFault
from ..qpu.vectors import same
from ..unbuilt import Waiting
from .formats import FORMATS
from .parameters import texture
from .reader import Reader
from .sampler import Coordinates, sample

__all__ = ["LOOKUP_ERROR", "NO_RESULT", "NO_SLOT", "Fifos", "TmuPort"]

#: What an instruction waits for that only this QPU could bring about; the number is that of the unit.
NO_SLOT, NO_RESULT = "a slot of tmu{}, and takes no result", "tmu{}, and no lookup is under way"

#: The bit of XBUSERR that a lookup outside of memory sets.
LOOKUP_ERROR = "ERR_LOOKUP"
_WORD_BYTES = 4
_NOTHING = np.zeros(ELEMENTS, np.uint32)
#: The QPUs of a slice whose units change places.
_SWAPPED = (2, 3)


class _Request:
    """A lookup, or what has been written of one: each register's last value, and the uniforms in their order."""

    def __init__(self) -> None:
        self.slots = 0
        self.values: dict[str, np.ndarray] = {}
        self.uniforms: list[int] = []

    @cached_property
    def words(self) -> int:
        """How many words it returns."""
        return FORMATS[texture(self.uniforms).type].reads if self.uniforms else 1

    def results(self, read: Reader) -> list[np.ndarray]:
        """Its words. With s alone it is a general lookup."""
        s, t, r, b = (self.values.get(letter, _NOTHING) for letter in "strb")
        if not self.uniforms:
            return [read(s.astype(np.int64) & ~(_WORD_BYTES - 1), _WORD_BYTES).astype(np.uint32)]
        shown = texture(self.uniforms)
        if not shown.cube:
            same(r)  # the border colour: vectors that run as one need the same
        flat = [value.reshape(-1) for value in np.broadcast_arrays(s, t, r, b)]
        shape = np.broadcast_shapes(s.shape, t.shape, r.shape, b.shape)
        return [word.reshape(shape) for word in sample(shown, Coordinates(*flat), read)]


class Fifos:
    """What a unit keeps for one QPU: parameters that were written (TFREQ), words that came back (TFRCV).

    A lookup leaves its slots for the parameters when it begins, and begins when there is room for all it returns. It reads
    memory when its s is written.
    """

    def __init__(self, read: Reader):
        self._read = read
        self._written = _Request()
        self._requests: deque[tuple[_Request, list[np.ndarray]]] = deque()
        self._results: deque[np.ndarray] = deque()

    @property
    def pending(self) -> bool:
        """Parameters wait for their s, so that one is of a texture."""
        return self._written.slots > 0

    @property
    def full(self) -> bool:
        """Every slot for a parameter is taken."""
        return self._written.slots + sum(request.slots for request, _ in self._requests) >= REQUEST_SLOTS

    @property
    def empty(self) -> bool:
        """There is no result, and none will come."""
        return not self._results

    def write(self, letter: str, value: np.ndarray, uniform: int | None) -> None:
        """A parameter, with the uniform that it took, if it did. There must be a slot for it."""
        written = self._written
        written.slots += 1
        written.values[letter] = value
        if uniform is not None:
            written.uniforms.append(uniform)
        if letter == "s":
            self._requests.append((written, written.results(self._read)))
            self._written = _Request()
            self._begin()

    def _begin(self) -> None:
        """Lookups begin, in their order, as long as there is room."""
        while self._requests and len(self._results) + self._requests[0][0].words <= RESULT_SLOTS:
            self._results += self._requests.popleft()[1]

    def load(self) -> np.ndarray:
        """The next word of each element, which must be there."""
        word = self._results.popleft()
        self._begin()
        return word


class TmuPort:
    """What QPU `position` of a slice says to its `units` texture units: 0 to 2 of them.

    Both names of units have FIFOs of their own, threads share them. A slice with one unit has it do the work of both, which
    no program can see.

    lookups : how many there were
    """

    def __init__(self, memory: Memory, units: int = 0, position: int = 0):
        self.lookups = 0
        self._reader = Reader(memory)
        self._fifos = [Fifos(self._reader) for _ in range(TMU_NAMES if units else 0)]
        self._swaps = position in _SWAPPED
        self._swap_disabled = [False, False]

    @property
    def fault(self) -> MemoryFault | None:
        """The first read outside of memory."""
        return self._reader.fault

    @property
    def empty(self) -> bool:
        """There are no lookups whose results nobody has taken."""
        return all(fifos.empty for fifos in self._fifos)

    def _unit(self, thread: int, unit: int) -> Fifos:
        swapped = self._swaps and not self._swap_disabled[thread]
        return self._fifos[unit ^ swapped]

    def start(self, thread: int) -> None:
        """A program begins, with the swap enabled; what others have left stays."""
        self._swap_disabled[thread] = False

    def disable_swap(self, thread: int, word: int) -> None:
        """A write of `tmu_noswap`: element 0."""
        self._swap_disabled[thread] = word != 0

    def wait_to_write(self, thread: int, unit: int) -> None:
        """Raises `Waiting` if no slot is free: only this QPU could free one."""
        if self._unit(thread, unit).full:
            raise Waiting(NO_SLOT.format(unit))

    def wait_to_load(self, thread: int, unit: int) -> None:
        """Raises `Waiting` if there is nothing to load: only this QPU could ask for it."""
        if self._unit(thread, unit).empty:
            raise Waiting(NO_RESULT.format(unit))

    def takes_uniform(self, thread: int, unit: int, letter: str) -> bool:
        """Whether a parameter takes a uniform: all but s alone."""
        return letter != "s" or self._unit(thread, unit).pending

    def write(self, thread: int, unit: int, letter: str, value: np.ndarray, uniform: int | None) -> None:
        """A parameter."""
        self._unit(thread, unit).write(letter, value, uniform)
        self.lookups += letter == "s"

    def load(self, thread: int, unit: int) -> np.ndarray:
        """What a load brings to r4."""
        return self._unit(thread, unit).load()
