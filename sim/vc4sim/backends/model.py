"""Runs the reference model as if it were a simulator of the RTL: the same job, the same events, no clocks."""

from vc4.isa.registers import QUADS

from ..events import MemoryWrite
from ..model.memory import Memory, MemoryFault
from ..model.qps.sync import place
from ..model.qps.user_programs import Deadlock
from ..model.unbuilt import Unbuilt
from ..model.v3d import V3D
from .base import Ending, Job, Outcome, Watcher

__all__ = ["run"]


def run(job: Job, watch: Watcher | None = None) -> Outcome:
    """Run `job`; `watch` is called with every event.

    The model has no clocks. It counts four for each instruction of a QPU, which is what the RTL needs at least: what the
    model gives up after `max_cycles`, the RTL does, too.
    """
    model = V3D(job.config, Memory(len(job.image), job.base, job.image))
    programs, outcome = model.programs, Outcome(Ending.DONE, b"")
    limit = job.max_cycles // QUADS
    for offset, word in job.setup:
        model.write(offset, word)
    try:
        if watch:
            _watch(model, job, watch, limit)
        else:
            model.finish(job.launches, limit)
        if programs.places:
            outcome.ending = Ending.TOO_LONG
            outcome.why = f"not ended after {job.max_cycles} cycles: {', '.join(programs.places)}"
            outcome.pcs = programs.pcs
    except Deadlock as reason:
        outcome.ending, outcome.why, outcome.pcs = Ending.STUCK, str(reason), programs.pcs
    except (Unbuilt, MemoryFault) as reason:
        outcome.pcs = (programs.stopped_at,)
        outcome.ending, outcome.why = Ending.STUCK, f"{place(programs.current, programs.stopped_at)}: {reason}"
    outcome.memory = bytes(model.memory.data)
    outcome.instructions = model.instructions
    outcome.interrupts = model.interrupts
    outcome.errors = model.errors
    outcome.registers = {name: model.read(name) for name in job.reads}
    return outcome


def _watch(model: V3D, job: Job, watch: Watcher, limit: int) -> None:
    """Tell every event, those of memory after the instruction that has written."""
    model.memory.on_write = lambda address, data: watch(MemoryWrite(address, data))
    for event in model.run(job.launches, limit):
        watch(event)
