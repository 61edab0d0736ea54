"""The GPU of the model put together."""

from collections.abc import Iterator

from vc4.config import V3DConfig

from ..events import Retirement
from .memory import Memory
from .qpu import Qpu
from .vpm import Vpm

__all__ = ["ModelV3D"]


class ModelV3D:
    """QPU, VPM and a memory that holds `image` from address `base` on."""

    def __init__(self, config: V3DConfig, image: bytes, base: int):
        self.memory = Memory(len(image), base, image)
        self.vpm = Vpm(config.vpm_rows, self.memory)
        self.qpu = Qpu(0, self.memory, self.vpm)

    def run(self, pc: int, uniforms: int) -> Iterator[Retirement]:
        """Run one program, an instruction an item. Raises what `Qpu.step` raises."""
        self.qpu.start(pc, uniforms)
        while self.qpu.running:
            yield self.qpu.step()
