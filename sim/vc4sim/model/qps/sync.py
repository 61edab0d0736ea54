"""What all QPUs share to wait for each other: sixteen semaphores and a mutex (guide, section 3; QPU facts, 8.1)."""

from vc4.isa.sync import SEMAPHORE_ACQUIRE, SEMAPHORE_MAX, SEMAPHORES

from ..unbuilt import Waiting

__all__ = ["MUTEX", "Sync", "describe", "place"]

#: What a QPU waits for that wants the mutex.
MUTEX = "the mutex"


def describe(immediate: int) -> str:
    """What the operation that `immediate` asks for waits for, if it waits."""
    return f"semaphore {immediate % SEMAPHORES}, which is {'0' if immediate & SEMAPHORE_ACQUIRE else 'full'}"


def place(number: int, pc: int, wait: str = "") -> str:
    """Where QPU `number` stands, and what it waits for, if it waits."""
    return f"QPU {number} at {pc:#010x}{f' waits for {wait}' if wait else ''}"


class Sync:
    """Semaphores, which count from 0 to 15, and the mutex; any write frees it, whoever has it.

    Raises `Waiting` where a QPU has to wait, unless it is known to be `granted`; then nothing has happened.
    """

    def __init__(self):
        self.semaphores = [0] * SEMAPHORES
        self.locked = False

    def lock(self, *, granted: bool) -> None:
        """Take the mutex."""
        if self.locked and not granted:
            raise Waiting(MUTEX)
        self.locked = True

    def free(self) -> None:
        """The mutex is there for the next one."""
        self.locked = False

    def count(self, immediate: int, *, granted: bool) -> None:
        """Carry out the operation that `immediate` asks for."""
        acquires, number = immediate & SEMAPHORE_ACQUIRE, immediate % SEMAPHORES
        if self.semaphores[number] == (0 if acquires else SEMAPHORE_MAX) and not granted:
            raise Waiting(describe(immediate))
        self.semaphores[number] += -1 if acquires else 1
