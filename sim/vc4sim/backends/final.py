"""What a simulation of the RTL has come to, in plain numbers, and what that means: the same words for every simulator."""

from collections.abc import Sequence
from dataclasses import dataclass

from vc4.isa.word import WORD_BYTES
from vc4.qpu.stall import STALL_REASONS, UNBUILT

from ..bench.driver import COUNTED, ERROR_FIELDS, READ_OFFSETS
from ..bench.gpu import HOPELESS_STALLS
from ..model.qps.sync import MUTEX, describe, place
from ..model.qpu.decoded import decoded
from ..model.qpu.status import NO_VECTOR
from ..model.tmu.fifos import NO_RESULT, NO_SLOT
from ..model.unbuilt import lacking
from .base import Ending, Job, Outcome

__all__ = ["FinalState", "QpuState", "conclude", "errors_of"]


@dataclass(frozen=True, slots=True)
class QpuState:
    """The trace port of a QPU at the end of a run, and its counters of stalls."""

    running: int
    stall: int
    sp_pc: int
    stalls: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FinalState:
    """The signals of `GpuBench` at the end of a run."""

    done: int
    stuck: int
    cycles: int
    instructions: int
    interrupts: int
    vpm_error: int
    qpus: tuple[QpuState, ...]


def conclude(job: Job, state: FinalState, words: Sequence[int], memory: bytes) -> Outcome:
    """The outcome of a run that ended in `state`, when the registers at `Job.read_offsets` hold `words`."""
    counts, errors = words[: len(COUNTED)], words[len(COUNTED) : len(READ_OFFSETS)]
    if state.done:
        ending, why, stuck = Ending.DONE, "", []
    elif state.stuck:
        stuck = [] if state.vpm_error else _stuck(state)
        ending, why = Ending.STUCK, _why_stuck(job, stuck, memory)
    else:
        ending, stuck = Ending.TOO_LONG, _running(state)
        places = [_stands(job, number, qpu, memory) for number, qpu in stuck]
        why = f"not ended after {job.max_cycles} cycles: {', '.join(places) or 'no program runs'}"
    return Outcome(
        ending,
        memory[: len(job.image)],
        cycles=state.cycles,
        instructions=state.instructions,
        stalls={name: sum(qpu.stalls[bit] for qpu in state.qpus) for bit, name in enumerate(STALL_REASONS)},
        counts={source.name: count for source, count in zip(COUNTED, counts, strict=True)},
        interrupts=state.interrupts,
        pcs=tuple(qpu.sp_pc for _, qpu in stuck),
        errors=errors_of(errors),
        why=why,
        registers=dict(zip(job.reads, words[len(READ_OFFSETS) :], strict=True)),
    )


def errors_of(words: Sequence[int]) -> frozenset[str]:
    """Names of the errors that the last of `READ_OFFSETS` tell."""
    return frozenset(
        field.name for fields, word in zip(ERROR_FIELDS, words, strict=True) for field in fields if word & field.mask
    )


def _reasons(qpu: QpuState) -> list[str]:
    return [name for bit, name in enumerate(STALL_REASONS) if qpu.stall >> bit & 1]


def _word(job: Job, qpu: QpuState, memory: bytes) -> int:
    """The instruction in SP; 0 outside of memory."""
    return int.from_bytes(memory[max(qpu.sp_pc - job.base, 0) :][:WORD_BYTES], "little")


def _stands(job: Job, number: int, qpu: QpuState, memory: bytes) -> str:
    """Where a QPU is, and which of what all share it waits for, if it waits."""
    reasons = _reasons(qpu)
    word = _word(job, qpu, memory) & 0xFFFF_FFFF
    waits = MUTEX if "mutex" in reasons else describe(word) if "semaphore" in reasons else ""
    return place(number, qpu.sp_pc, waits)


def _running(state: FinalState) -> list[tuple[int, QpuState]]:
    """The QPUs that run programs, with their numbers."""
    return [(number, qpu) for number, qpu in enumerate(state.qpus) if qpu.running]


def _stuck(state: FinalState) -> list[tuple[int, QpuState]]:
    """Those of them that wait for what never comes; all, if they wait for each other."""
    running = _running(state)
    return [one for one in running if one[1].stall & HOPELESS_STALLS] or running


def _why_stuck(job: Job, stuck: list[tuple[int, QpuState]], memory: bytes) -> str:
    """Nobody is stuck that does not know of it: else a block of the GPU is."""
    if not stuck:
        return "a DMA store or load went outside of memory"
    return "; ".join(
        f"{place(number, qpu.sp_pc)}{_hopeless(qpu, _word(job, qpu, memory))}"
        if qpu.stall & HOPELESS_STALLS
        else _stands(job, number, qpu, memory)
        for number, qpu in stuck
    )


def _hopeless(qpu: QpuState, word: int) -> str:
    """What a QPU waits for that never comes, whatever the others do."""
    reasons = _reasons(qpu)
    if "fetch_fault" in reasons:
        return ": the instruction lies outside of memory"
    if "uniform_fault" in reasons:
        return ": its next uniform lies outside of memory"
    if "no_vector" in reasons:
        return f" waits for {NO_VECTOR}"
    for name, text, unit in (
        ("no_slot", NO_SLOT, decoded(word).tmu_write),
        ("no_result", NO_RESULT, decoded(word).tmu_load),
    ):
        if name in reasons:
            return f" waits for {text.format(unit[0] if isinstance(unit, tuple) else unit)}"
    return f" {lacking(name for name in reasons if name in UNBUILT)}"
