"""What all QPUs share to wait for each other: sixteen semaphores and a mutex (guide, section 3; QPU facts, 8.1)."""

from typing import NamedTuple

import numpy as np

from vc4.isa.sync import SEMAPHORE_ACQUIRE, SEMAPHORE_MAX, SEMAPHORES

from ..compiled import kernel

__all__ = ["MUTEX", "SyncState", "count", "describe", "free", "is_blocked", "lock", "new_sync", "place"]

#: What a QPU waits for that wants the mutex.
MUTEX = "the mutex"


def describe(immediate: int) -> str:
    """What the operation that `immediate` asks for waits for, if it waits."""
    return f"semaphore {immediate % SEMAPHORES}, which is {'0' if immediate & SEMAPHORE_ACQUIRE else 'full'}"


def place(number: int, pc: int, wait: str = "") -> str:
    """Where QPU `number` is, and what it waits for, if it waits."""
    return f"QPU {number} at {pc:#010x}{f' waits for {wait}' if wait else ''}"


class SyncState(NamedTuple):
    """semaphores : count from 0 to 15
    mutex : whether it is locked; any write frees it, whoever has it
    """

    semaphores: np.ndarray
    mutex: np.ndarray


def new_sync() -> SyncState:
    """All semaphores 0, the mutex free."""
    return SyncState(np.zeros(SEMAPHORES, np.int64), np.zeros(1, np.int64))


@kernel
def lock(sync: SyncState) -> None:
    """Take the mutex."""
    sync.mutex[0] = 1


@kernel
def free(sync: SyncState) -> None:
    """The mutex is there for the next one."""
    sync.mutex[0] = 0


@kernel
def is_blocked(sync: SyncState, immediate: int) -> bool:
    """Whether the operation that `immediate` asks for has to wait."""
    return sync.semaphores[immediate % SEMAPHORES] == (0 if immediate & SEMAPHORE_ACQUIRE else SEMAPHORE_MAX)


@kernel
def count(sync: SyncState, immediate: int) -> None:
    """Carry out the operation that `immediate` asks for."""
    sync.semaphores[immediate % SEMAPHORES] += -1 if immediate & SEMAPHORE_ACQUIRE else 1
