"""What a bad line does to bytes."""

import random
from dataclasses import dataclass

__all__ = ["Faults"]


@dataclass
class Faults:
    """What the line does: the chance, for each byte, that it is damaged, lost, or that one comes before it; and for each frame,
    that it comes twice. `alive` at False, nothing comes.
    """

    damages: float = 0.0
    loses: float = 0.0
    adds: float = 0.0
    doubles: float = 0.0
    seed: int = 1
    alive: bool = True

    def __post_init__(self):
        self._rng = random.Random(self.seed)

    def of(self, data: bytes) -> bytes:
        """What comes out."""
        rng, out = self._rng, bytearray()
        if not self.alive:
            return b""
        for byte in data:
            if rng.random() < self.adds:
                out.append(rng.randrange(256))
            if rng.random() >= self.loses:
                out.append(byte ^ (1 << rng.randrange(8) if rng.random() < self.damages else 0))
        return bytes(out) * (1 + (rng.random() < self.doubles))
