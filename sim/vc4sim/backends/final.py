"""What a simulation of the RTL has come to, in plain numbers, and what that means: the same words for every simulator."""

from dataclasses import dataclass

from vc4.bus.port import BUS_BYTES
from vc4.qpu.stall import STALL_REASONS, UNBUILT
from vc4.vpm.port import VpmUnbuilt

from ..events import MemoryWrite
from .base import Ending, Job, Outcome

__all__ = ["FinalState", "conclude", "memory_writes"]


@dataclass(frozen=True, slots=True)
class FinalState:
    """The signals of `GpuBench` at the end of a run; `stall` is that of the trace port, `stalls` are its counters."""

    done: int
    stuck: int
    cycles: int
    instructions: int
    interrupts: int
    vpm_unbuilt: int
    vpm_error: int
    stall: int
    sp_pc: int
    stalls: tuple[int, ...]


def memory_writes(address: int, strobes: int, word: bytes) -> list[MemoryWrite]:
    """The runs of bytes that a word wrote."""
    runs, start = [], None
    for byte in range(BUS_BYTES + 1):
        if byte < BUS_BYTES and strobes >> byte & 1:
            start = byte if start is None else start
        elif start is not None:
            runs.append(MemoryWrite(address + start, word[start:byte]))
            start = None
    return runs


def conclude(job: Job, state: FinalState, memory: bytes) -> Outcome:
    """The outcome of a run that ended in `state`."""
    if state.done:
        ending, why = Ending.DONE, ""
    elif state.stuck:
        ending, why = Ending.STUCK, _why_stuck(state)
    else:
        ending = Ending.TOO_LONG
        why = f"the program has not ended after {job.max_cycles} cycles; QPU 0 is at {state.sp_pc:#010x}"
    return Outcome(
        ending,
        memory[: len(job.image)],
        cycles=state.cycles,
        instructions=state.instructions,
        stalls=dict(zip(STALL_REASONS, state.stalls, strict=True)),
        interrupts=state.interrupts,
        why=why,
    )


def _why_stuck(state: FinalState) -> str:
    unbuilt = VpmUnbuilt(state.vpm_unbuilt)
    if unbuilt is not VpmUnbuilt.NONE:
        return f"the VPM waits for ever: {unbuilt.name.lower().replace('_', ' ')} is not built yet"
    if state.vpm_error:
        return "a DMA store went outside of memory"
    reasons = [name for bit, name in enumerate(STALL_REASONS) if state.stall >> bit & 1]
    place = f"QPU 0 at {state.sp_pc:#010x}"
    if "fetch_fault" in reasons:
        return f"{place}: the instruction lies outside of memory"
    if "uniform_fault" in reasons:
        return f"{place}: its next uniform lies outside of memory"
    return f"{place} waits for {' and '.join(name for name in reasons if name in UNBUILT)}, which is not built yet"
