"""The uniforms of the QPUs: where each thread reads its next one (guide, section 3)."""

import numpy as np

from vc4.config import MAX_QPUS
from vc4.regs.scheduler import UNLIMITED_UNIFORMS

from ..compiled import kernel

__all__ = ["begin_uniforms", "is_at_end", "move_uniforms", "new_uniforms", "next_address", "pass_uniform"]

_WORD_BYTES = 4
_ADDRESS_MASK = 0xFFFF_FFFC
_NEXT, _END = range(2)


def new_uniforms() -> np.ndarray:
    """Of each QPU and thread, the address of the next one, and of the end of the stream, or -1."""
    return np.zeros((MAX_QPUS, 2, 2), np.int64)


@kernel
def begin_uniforms(uniforms: np.ndarray, qpu: int, thread: int, address: int, length: int) -> None:
    """A program begins. A length of 0, or one that is too large, is no limit; at address 0 there are no uniforms."""
    first = address & _ADDRESS_MASK
    uniforms[qpu, thread, _NEXT] = first
    limited = 0 < length < UNLIMITED_UNIFORMS
    end = first + _WORD_BYTES * length & _ADDRESS_MASK if limited else -1
    uniforms[qpu, thread, _END] = end if first else 0


@kernel
def move_uniforms(uniforms: np.ndarray, qpu: int, thread: int, address: int, relative: int) -> None:
    """A write of the address of the uniforms: what a length was given for is left behind.

    A relative one counts uniforms, from the next one on; -1 shows the last one again.
    """
    if relative:
        address = uniforms[qpu, thread, _NEXT] + _WORD_BYTES * address
    uniforms[qpu, thread, _NEXT] = address & _ADDRESS_MASK
    uniforms[qpu, thread, _END] = -1


@kernel
def next_address(uniforms: np.ndarray, qpu: int, thread: int) -> int:
    """Where the next one lies."""
    return uniforms[qpu, thread, _NEXT]


@kernel
def is_at_end(uniforms: np.ndarray, qpu: int, thread: int) -> bool:
    """Whether the stream has ended."""
    return uniforms[qpu, thread, _NEXT] == uniforms[qpu, thread, _END]


@kernel
def pass_uniform(uniforms: np.ndarray, qpu: int, thread: int) -> None:
    """One is read."""
    uniforms[qpu, thread, _NEXT] = uniforms[qpu, thread, _NEXT] + _WORD_BYTES & _ADDRESS_MASK
