"""Cases for the driver in C, ``draw.c``."""

from pathlib import Path

from vc4sim.clist import load_capture
from vc4sim.model.memory import Memory

__all__ = ["MEMORY", "arguments_of"]

MEMORY = "memory.bin"


def arguments_of(case: Path, folder: Path) -> list[str]:
    """For the one job of a case, whose memory is a file in `folder` then."""
    capture = load_capture(case)
    (job,) = capture.jobs
    memory = Memory(capture.memory_size)
    job.load(memory)
    (folder / MEMORY).write_bytes(memory.data)
    bounds = [str(job.registers.get(f"CT{number}{end}", 0)) for number in (0, 1) for end in ("CA", "EA")]
    block = [str(job.details.object("overflow").integer(name, 0, 1 << 32)) for name in ("BPOA", "BPOS")]
    return [str(folder / MEMORY), *bounds, *block]
