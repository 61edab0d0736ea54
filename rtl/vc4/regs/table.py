"""The map of all registers."""

from vc4.config import V3DConfig

from .counters import COUNTERS
from .debug import DEBUG
from .diagnostics import DIAGNOSTICS
from .extension import EXTENSION
from .identity import CACHES, IDENTITY, INTERRUPTS
from .lists import BINNER, LISTS
from .register import Register
from .scheduler import SCHEDULER, VPM

__all__ = ["GROUPS", "OFFSET_BITS", "REGISTERS", "register", "registers_of"]

#: Bits of an offset: the registers fill 4 KiB.
OFFSET_BITS = 12

#: What belongs together, by the order of the offsets.
GROUPS = {
    "Identification": IDENTITY,
    "Caches": CACHES,
    "Interrupts of the pipeline": INTERRUPTS,
    "Control lists": LISTS,
    "Binner": BINNER,
    "QPU scheduler": SCHEDULER,
    "VPM": VPM,
    "Performance counters": COUNTERS,
    "Debugging and interrupts of QPUs": DEBUG,
    "Errors and diagnostics": DIAGNOSTICS,
    "Extension": EXTENSION,
}

#: All registers, by their offset.
REGISTERS = tuple(sorted((one for group in GROUPS.values() for one in group), key=lambda one: one.offset))

_BY_NAME = {one.name: one for one in REGISTERS}


def registers_of(config: V3DConfig) -> tuple[Register, ...]:
    """The registers that a configuration has."""
    return tuple(one for one in REGISTERS if one.exists(config))


def register(name: str) -> Register:
    """The register `name`; `KeyError` if there is none."""
    return _BY_NAME[name]
