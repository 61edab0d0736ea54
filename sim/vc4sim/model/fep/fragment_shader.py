"""QPUs that shade fragments."""

from typing import Any

import numpy as np

from ...launch import Launch
from ..compiled import Buffers, Entry, kernel
from ..machine import Machine
from ..memory import MemoryState
from ..qps.scheduler import FRAGMENT
from ..qps.shaders import ABOUT, CHUNK, ENDED, QPU, HangingProgram, Shaders, run_program
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
# What is known of a queue that is shaded, after what is known of its programs: the next vector, whether it is given to a QPU;
# varyings, and the modes of all of them.
_VECTOR, _IS_GIVEN, _VARYINGS, _DEPTH, _Z_UPDATES, _CLEARS, _AS_MASK = range(ABOUT, ABOUT + 7)


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
def _shade(machine: Machine, memory: MemoryState, about: np.ndarray, queue: QueueState) -> int:
    """A program for each vector of a queue; comes back as `run_program` does, `ENDED` after the last one."""
    for _ in range(_CHUNK):
        if not about[_IS_GIVEN]:
            modes = about[_DEPTH], about[_Z_UPDATES], about[_CLEARS], about[_AS_MASK]
            give(machine, queue, about[QPU], 0, about[_VECTOR], about[_VARYINGS], *modes)
            about[_IS_GIVEN] = 1
        status = run_program(machine, memory, about)
        if status == ENDED:
            about[_IS_GIVEN] = 0
            about[_VECTOR] += 1
            if about[_VECTOR] == queue.counts[VECTORS]:
                return ENDED
        elif status != RETIRED:
            return status
        if about[CHUNK] <= 1:  # somebody looks at every instruction
            return RETIRED
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

        def shade(*arguments: Any) -> int:
            return _shade_vectors(*arguments, queue)

        try:
            self.shaders.run(
                FRAGMENT, launch, self.units, self.limit, go_on=shade, more=(0, 0, varyings, *program.modes.codes)
            )
        except HangingProgram as hanging:
            raise HangingShader(f"fragment shader at {hanging.at:#010x}: {hanging}") from None
