"""Semaphores: what the immediate of their instruction says (guide, section 3, figure 6)."""

__all__ = ["SEMAPHORES", "SEMAPHORE_ACQUIRE", "SEMAPHORE_MAX"]

SEMAPHORES = 16
#: A semaphore counts up to this.
SEMAPHORE_MAX = 15
#: Bit of the immediate: acquire (count down), not release (count up); below it the number of the semaphore.
SEMAPHORE_ACQUIRE = 0x10
