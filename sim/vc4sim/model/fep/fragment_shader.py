"""QPUs that shade fragments."""

from typing import Any

import numpy as np

from ...launch import Launch
from ..compiled import Buffers, Entry, kernel
from ..machine import Machine
from ..memory import MemoryState
from ..qps.scheduler import FRAGMENT
from ..qps.shaders import ENDED, QPU, HangingProgram, Shaders, run_program
from ..qpu.instructions import units_mask
from ..qpu.status import RETIRED
from ..tlb.tlb import TileBuffer
from ..unbuilt import FRAGMENT_UNITS
from .fragments import VECTORS, FragmentProgram, HangingShader, QueueState, fill

__all__ = ["FragmentShader", "give"]

#: Instructions of a program that count as one that does not end.
_LIMIT = 1 << 16
#: Vectors until shading comes back to Python, which may compile it.
_CHUNK = 64
# What is known of a queue that is shaded: the next vector, whether its program runs; varyings, and the modes of all of them.
_VECTOR, _RUNS, _VARYINGS, _DEPTH, _Z_UPDATES, _CLEARS, _AS_MASK = range(7)


@kernel
def give(
    machine: Machine,
    queue: QueueState,
    q: int,
    t: int,
    vector: int,
    varyings: int,
    depth: int,
    z_updates: int,
    clears: int,
    as_mask: int,
) -> None:
    """A vector of a queue for a thread of a QPU, see `fill`."""
    fill(machine.fragments, queue, q, t, vector, varyings, depth, z_updates, clears, as_mask)


@kernel
def _shade(machine: Machine, memory: MemoryState, about: np.ndarray, queue: QueueState, vectors: np.ndarray) -> int:
    """A program for each vector of a queue; comes back as `run_program` does, `ENDED` after the last one."""
    for _ in range(_CHUNK):
        if not vectors[_RUNS]:
            modes = vectors[_DEPTH], vectors[_Z_UPDATES], vectors[_CLEARS], vectors[_AS_MASK]
            give(machine, queue, about[QPU], 0, vectors[_VECTOR], vectors[_VARYINGS], *modes)
            vectors[_RUNS] = 1
        status = run_program(machine, memory, about)
        if status == ENDED:
            vectors[_RUNS] = 0
            vectors[_VECTOR] += 1
            if vectors[_VECTOR] == queue.counts[VECTORS]:
                return ENDED
        elif status != RETIRED:
            return status
    return RETIRED


_shade_vectors = Entry(_shade)


class FragmentShader:
    """Runs fragment shaders.

    tile : where they draw
    shaders : what runs the programs
    units : what they may use, see `units_mask`
    limit : instructions after which a program counts as one that does not end
    """

    def __init__(self, shaders: Shaders, tile: TileBuffer, has_tmus: bool):
        self.tile, self.shaders = tile, shaders
        self.limit = _LIMIT
        self.units = units_mask(FRAGMENT_UNITS if has_tmus else FRAGMENT_UNITS - {"tmu"})

    @property
    def lacks(self) -> str:
        """What fragments wait for, if no QPU can shade now."""
        return self.shaders.lacks(FRAGMENT)

    def shade(self, queue: Buffers[QueueState], program: FragmentProgram, varyings: int) -> None:
        """Run a program for each vector of a queue that has some. Raises `HangingShader`."""
        launch = Launch(program.code, program.uniforms, program.threaded)
        vectors = Buffers(np.array([0, 0, varyings, *program.modes.codes], np.int64))

        def shade(*arguments: Any) -> int:
            return _shade_vectors(*arguments, queue, vectors)

        try:
            self.shaders.run(FRAGMENT, launch, self.units, self.limit, go_on=shade)
        except HangingProgram as hanging:
            raise HangingShader(f"fragment shader at {hanging.at:#010x}: {hanging}") from None
