"""The order that `LeastRecent` keeps, as proofs see it."""

from amaranth.hdl import Assert
from amaranth.lib.wiring import In

__all__ = ["Order"]


class Order:
    """Inputs of a proof that see the order of a `LeastRecent` of `count`, each called `name` with a pair of numbers."""

    def __init__(self, count: int, name: str = "before"):
        self._count = count
        self._name = name
        self._pairs = [(first, second) for first in range(count) for second in range(first)]

    @property
    def members(self):
        return {f"{self._name}_{first}_{second}": In(1) for first, second in self._pairs}

    def views(self, path: str):
        """Where they are, in the `LeastRecent` of this path."""
        return {f"{self._name}_{first}_{second}": f"{path}.before_{first}_{second}" for first, second in self._pairs}

    def before(self, proof, first: int, second: int):
        """The first one comes before the second one."""
        if first > second:
            return getattr(proof, f"{self._name}_{first}_{second}")
        return ~getattr(proof, f"{self._name}_{second}_{first}")

    def invariants(self, proof):
        """It is an order: of any three, one comes first."""
        numbers = range(self._count)
        return [
            Assert(
                ~(self.before(proof, one, two) & self.before(proof, two, three) & self.before(proof, three, one)),
                "the order goes in a circle",
            )
            for one in numbers
            for two in range(one)
            for three in range(one)
            if two != three
        ]
