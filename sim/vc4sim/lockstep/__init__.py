"""The RTL leads, the model follows: whenever the RTL retires an instruction the model steps, and both must have done the same."""

from .difference import Difference
from .lockstep import Lockstep

__all__ = ["Difference", "Lockstep"]
