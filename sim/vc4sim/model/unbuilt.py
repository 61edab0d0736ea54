"""Why an instruction cannot be carried out."""

from vc4.config import BUILT_UNITS

__all__ = ["FRAGMENT_UNITS", "MODEL_UNITS", "Unbuilt", "Waiting"]

#: Services of `vc4.isa.registers` that the model has, of which the hardware may lack some.
MODEL_UNITS = BUILT_UNITS


#: What fragment shaders may use: the guide keeps them from the VPM and its DMA.
FRAGMENT_UNITS = frozenset(
    {"uniforms", "sfu", "tmu", "mutex", "semaphore", "threads", "varyings", "fragment", "tile_buffer"}
)


class Unbuilt(Exception):
    """A program needs `unit`, which is not built yet: the hardware waits for it for ever, and says so by this name."""

    def __init__(self, unit: str):
        super().__init__(f"waits for {unit}, which is not built yet")
        self.unit = unit


class Waiting(Exception):
    """An instruction waits until another QPU has done something, or for what nobody will do; the text says for what."""
