"""What a host does to draw the jobs of a captured frame, as the kernel's driver would."""

from collections.abc import Callable, Iterator

from vc4.config import V3DConfig

from ..clist import Capture, CaptureJob
from ..model.cle.cle import BINNING, RENDERING, Rest
from ..model.memory import Memory
from ..model.v3d import V3D
from ..problem import BadInput

__all__ = ["BEGINNING", "FLUSH_DONE", "FRAME_DONE", "OUT_OF_MEMORY", "Host", "overspill_of"]

#: Bits of the interrupt registers.
FRAME_DONE, FLUSH_DONE, OUT_OF_MEMORY = 1, 2, 4
_INTERRUPTS = FRAME_DONE | FLUSH_DONE | OUT_OF_MEMORY
#: Names and values of the registers that are written before a frame: interrupts and caches.
BEGINNING = (("INTCTL", _INTERRUPTS), ("INTENA", _INTERRUPTS), ("L2CACTL", 4), ("SLCACTL", 0x0F0F_0F0F))
#: Steps of the threads from one look at them to the next one, and at the most for one list.
_STEPS, _MOST_STEPS = 200, 5_000_000
_ADDRESSES = (1 << 32) - 1


def overspill_of(job: CaptureJob) -> tuple[tuple[int, int], ...]:
    """Addresses and sizes of what there is for a binner that asks for more memory: one block, or several."""
    if "overflows" in job.details:
        blocks = list(job.details.objects("overflows"))
    else:
        blocks = [job.details.object("overflow")] if "overflow" in job.details else []
    return tuple((block.integer("BPOA", 0, _ADDRESSES), block.integer("BPOS", 0, _ADDRESSES)) for block in blocks)


class Host:
    """Draws a capture on the model.

    gpu : the GPU
    memory : of the capture
    """

    def __init__(self, capture: Capture, config: V3DConfig):
        self.memory = Memory(capture.memory_size)
        self.gpu = V3D(config, self.memory)
        self._capture = capture

    def run(self, job: CaptureJob, *, binned: Callable[[], None] = lambda: None) -> Iterator[int]:
        """Draw a job; an item is the number of tiles that were begun. Raises `BadInput` if it does not come to its end.

        binned : called between binning and rendering
        """
        yield from self._run(job, BINNING)
        if BINNING in job.threads:
            binned()
        yield from self._run(job, RENDERING)

    def bin(self, job: CaptureJob) -> None:
        """Only so far that the tile lists of a job are in memory. Raises `BadInput` if it does not come to that."""
        for _ in self._run(job, BINNING):
            pass

    def _run(self, job: CaptureJob, number: int) -> Iterator[int]:
        """One thread of a job; the first one begins it."""
        if number == BINNING:
            job.load(self.memory)
            for name, value in BEGINNING:
                self.gpu.write(name, value)
        if number in job.threads:
            self.gpu.write(f"CT{number}CA", job.registers[f"CT{number}CA"])
            self.gpu.write(f"CT{number}EA", job.registers[f"CT{number}EA"])
            yield from self._finish(job, number)

    def _finish(self, job: CaptureJob, number: int) -> Iterator[int]:
        """Go on until a thread's list is done."""
        place = f"{self._capture.name}: {job.name}, thread {number}"
        thread, blocks = self.gpu.cle.threads[number], iter(overspill_of(job))
        for _ in range(0, _MOST_STEPS, _STEPS):
            rest = self.gpu.advance(_STEPS)
            yield len(self.gpu.renderer.tiles)
            if self.gpu.read("INTCTL") & OUT_OF_MEMORY:
                if (block := next(blocks, None)) is None:
                    raise BadInput(f"{place}: asks for more memory than the case has")
                self._give(*block)
            elif thread.error:
                raise BadInput(f"{place}: {thread.error}")
            elif rest is not Rest.LIMIT:
                if thread.waits:
                    raise BadInput(f"{place}: waits for ever: {thread.waits}")
                done = {BINNING: FLUSH_DONE, RENDERING: FRAME_DONE}[number]
                if not self.gpu.read("INTCTL") & done:
                    raise BadInput(f"{place}: its list ends before the frame does")
                return
        raise BadInput(f"{place}: its list does not end within {_MOST_STEPS} steps")

    def _give(self, address: int, size: int) -> None:
        """More memory for tile lists."""
        self.gpu.write("BPOA", address)
        self.gpu.write("BPOS", size)
        self.gpu.write("INTCTL", OUT_OF_MEMORY)
