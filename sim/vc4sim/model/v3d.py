"""The GPU of the model put together."""

from collections import deque
from collections.abc import Iterable, Iterator

from vc4.config import V3DConfig

from ..events import Retirement
from ..launch import Launch
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

    def run(self, launches: Iterable[Launch]) -> Iterator[Retirement]:
        """Run programs, an instruction an item; each begins as soon as there is a place. Raises what `Qpu.step` raises."""
        queue, sequencer = deque(launches), self.qpu.sequencer
        while True:
            if queue and sequencer.place(queue[0].threaded) is not None:
                launch = queue.popleft()
                self.qpu.start(launch.pc, launch.uniforms, launch.threaded)
            elif not sequencer.running:
                if not sequencer.waiting:
                    return
                sequencer.resume()
            yield self.qpu.step()
