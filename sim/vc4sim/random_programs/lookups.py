"""Random programs that look up memory."""

from collections.abc import Callable

from vc4.isa.registers import write_address

from .program import UNIFORM_BYTES, Program
from .values import random_value

__all__ = ["LookupProgram"]

_SWAP = write_address("tmu_noswap")
#: Lookups of a program that are under way at once, at the most: two threads have room for so many each.
_MOST_LOOKUPS = 6


class LookupProgram(Program):
    """A random program on a QPU with texture units, of which it asks for words of memory. It loads all that it asks for."""

    def _kinds(self) -> list[tuple[Callable[[], None], int]]:
        return [*super()._kinds(), (self._look_up, 4)]

    def _look_up(self) -> None:
        """A few lookups and loads of what they bring, in a unit or in both; before them the swap may change."""
        random_ = self._random
        self._settle()
        if random_.random() < 0.3:
            self._fixed(self._make.constant(_SWAP, 0, random_.choice((0, 1, random_value(random_)))))
        under_way: list[int] = []
        left = random_.randrange(1, _MOST_LOOKUPS)
        while left or under_way:
            if left and (not under_way or random_.random() < 0.6):
                under_way.append(random_.randrange(2))
                left -= 1
                self._fixed(self._ask(under_way[-1]))
            else:
                self._fixed(self._make.load_lookup(under_way.pop(0)))
            while random_.random() < 0.3:
                self._plain()

    def _ask(self, unit: int) -> int:
        """A lookup of one address in the uniforms, or of whatever addresses."""
        if self._random.random() < 0.5:
            address = self._place.uniforms + self._random.randrange(UNIFORM_BYTES)
            return self._make.constant(write_address(f"t{unit}s"), 0, address)
        return self._make.look_up(unit)
