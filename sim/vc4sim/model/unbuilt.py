"""What the hardware does not have yet."""

__all__ = ["Unbuilt"]


class Unbuilt(Exception):
    """A program needs `unit`, which is not built yet: the hardware waits for it for ever, and says so by this name."""

    def __init__(self, unit: str):
        super().__init__(f"waits for {unit}, which is not built yet")
        self.unit = unit
