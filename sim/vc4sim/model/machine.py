"""All that kernels know of the GPU, and what Python keeps beside it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .compiled import State
from .memory import Memory
from .qps.scheduler import SchedulerState
from .qps.sync import SyncState
from .qpu.fragment_state import FragmentState
from .qpu.instructions import Instructions, InstructionState
from .qpu.state import Effects, QpuState
from .tlb.tlb import TileState
from .tmu.fifos import TmuState
from .vpm.vpm import VpmState

__all__ = ["Machine", "Parts"]


class Machine(NamedTuple):
    """The state of each block, see there."""

    instructions: InstructionState
    qpus: QpuState
    effects: Effects
    uniforms: np.ndarray
    vpm: VpmState
    tmu: TmuState
    sync: SyncState
    scheduler: SchedulerState
    fragments: FragmentState
    tile: TileState


@dataclass(frozen=True, slots=True)
class Parts:
    """The machine, its memory, and the instructions that it has met."""

    machine: State[Machine]
    memory: Memory
    instructions: Instructions
