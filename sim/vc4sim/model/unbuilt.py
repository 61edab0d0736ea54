"""Why an instruction cannot be carried out."""

from collections.abc import Iterable

from vc4.config import BUILT_UNITS

__all__ = ["FRAGMENT_UNITS", "Unbuilt", "Waiting", "lacking"]

#: What fragment shaders may use: the guide keeps them from the VPM and its DMA.
FRAGMENT_UNITS = frozenset(
    {"uniforms", "sfu", "tmu", "mutex", "semaphore", "threads", "varyings", "fragment", "tile_buffer"}
)


def lacking(units: Iterable[str]) -> str:
    """What is told of a program that waits for `units`, which its GPU does not have."""
    units = tuple(units)
    names = " and ".join(units)
    if BUILT_UNITS.issuperset(units):
        return f"waits for {names}, which this configuration does not have"
    return f"waits for {names}: only fragment shaders have that (vc4 render)"


class Unbuilt(Exception):
    """A program needs `unit`, which its GPU does not have: the hardware waits for it for ever, and says so by this name."""

    def __init__(self, unit: str):
        super().__init__(lacking([unit]))
        self.unit = unit


class Waiting(Exception):
    """An instruction waits until another QPU has done something, or for what nobody will do; the text says for what."""
