"""Why an instruction cannot be carried out."""

__all__ = ["Unbuilt", "Waiting"]


class Unbuilt(Exception):
    """A program needs `unit`, which is not built yet: the hardware waits for it for ever, and says so by this name."""

    def __init__(self, unit: str):
        super().__init__(f"waits for {unit}, which is not built yet")
        self.unit = unit


class Waiting(Exception):
    """An instruction waits until another QPU has done something; the text says for what."""
