"""Why an instruction cannot be carried out."""

__all__ = ["FRAGMENT_UNITS", "Unbuilt", "Waiting"]

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
