"""Memory after the binner of the model."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from vc4.config import V3DConfig

from ..model.cle.cle import Rest
from ..model.memory import Memory
from ..model.v3d import V3D
from ..render.host import OUT_OF_MEMORY

__all__ = ["Binned", "advance", "binned"]


class _Job(Protocol):
    """What of a job counts."""

    image: bytes
    config: V3DConfig
    overspill: tuple[tuple[int, int], ...]

    @property
    def frames(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """Registers that start its lists, of one frame after the other."""
        ...


class Binned(NamedTuple):
    """The model after a binning list.

    gpu : the GPU, with its memory; it may wait for more memory for tile lists
    rest : how it rests
    written : bytes of memory that the binner has written, a flag each
    """

    gpu: V3D
    rest: Rest
    written: np.ndarray


def advance(gpu: V3D, blocks: Iterator[tuple[int, int]], steps: int) -> Rest:
    """Go on, with the next of some blocks of memory whenever the binner asks for more, as long as there are some."""
    rest = gpu.advance(steps)
    while gpu.binner.out_of_memory and (block := next(blocks, None)):
        for name, value in zip(("BPOA", "BPOS", "INTCTL"), (*block, OUT_OF_MEMORY), strict=True):
            gpu.write(name, value)
        rest = gpu.advance(steps)
    return rest


def binned(job: _Job, gpu: V3D | None = None, *, steps: int = 1 << 40, instructions: int | None = None) -> Binned:
    """Carries out the binning lists of a job, with what the host gives when it asks for memory.

    gpu : instead of a new one with the image of the job in memory
    steps : of the list, in front of each piece of memory, at the most
    instructions : of a program at the most
    """
    gpu = gpu or V3D(job.config, Memory(len(job.image), 0, job.image))
    written = np.zeros(len(job.image), bool)

    def note(address: int, data: bytes) -> None:
        written[address : address + len(data)] = True

    gpu.memory.on_write = note
    if instructions is not None:
        gpu.binner.shading.limit = instructions
    blocks, rest = iter(job.overspill), Rest.STOPPED
    for registers in job.frames:
        for name, value in registers:
            if not name.startswith("CT1"):
                gpu.write(name, value)
        rest = advance(gpu, blocks, steps)
    gpu.memory.on_write = None
    return Binned(gpu, rest, written)
