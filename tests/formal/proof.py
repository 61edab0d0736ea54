"""A proof from the ports alone, to which invariants can be added."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In

__all__ = ["Proof"]


class Proof(wiring.Component):
    """What must hold of a part, whatever the inputs. Without a bound it sees registers as well, and has invariants.

    part : name of the part among the submodules
    inputs : by name, what the solver chooses
    """

    def __init__(self, part: str, inputs: dict[str, wiring.Member]):
        seen = self._sees()
        self.views = {name: f"{part}.{path}" for name, (path, _) in seen.items()}
        super().__init__({**inputs, **{name: In(shape) for name, (_, shape) in seen.items()}})

    def _sees(self):
        """Registers: by the name of the input that sees it, path in the part and shape."""
        return {}

    def _invariants(self, m, *facts):
        """Asserts what makes the proof unbounded; `facts` are what the proof knows besides."""
