"""Runs the reference model as if it were a simulator of the RTL: the same job, the same events, no clocks."""

from collections import Counter

from vc4.isa.registers import QUADS

from ..events import MemoryWrite, Retirement
from ..model.memory import MemoryFault
from ..model.qps.sync import place
from ..model.unbuilt import Unbuilt
from ..model.v3d import Deadlock, ModelV3D
from .base import Ending, Job, Outcome, Watcher

__all__ = ["run"]


def run(job: Job, watch: Watcher | None = None) -> Outcome:
    """Run `job`; `watch` is called with every event.

    The model has no clocks. It counts four for each instruction of a QPU, which is what the RTL needs at least: what the
    model gives up after `max_cycles`, the RTL does, too.
    """
    watch = watch or (lambda event: None)
    model = ModelV3D(job.config, job.image, job.base)
    model.memory.on_write = lambda address, data: watch(MemoryWrite(address, data))
    outcome = Outcome(Ending.DONE, b"")
    try:
        _run(model, job, outcome, watch)
    except Deadlock as reason:
        outcome.ending, outcome.why, outcome.pcs = Ending.STUCK, str(reason), model.pcs
    except (Unbuilt, MemoryFault) as reason:
        outcome.pcs = outcome.pcs or (model.current.sequencer.pc,)
        outcome.ending, outcome.why = Ending.STUCK, f"{place(model.current.number, *outcome.pcs)}: {reason}"
    outcome.memory = bytes(model.memory.data)
    outcome.interrupts = model.interrupts
    outcome.errors = model.errors
    return outcome


def _run(model: ModelV3D, job: Job, outcome: Outcome, watch: Watcher) -> None:
    retired = Counter()
    for event in model.run(job.launches, job.reserved):
        watch(event)
        if isinstance(event, Retirement):
            outcome.instructions += 1
            retired[event.qpu] += 1
        if model.vpm.fault:
            outcome.pcs = (event.pc,) if isinstance(event, Retirement) else ()
            raise model.vpm.fault
        # The clocks that the busiest QPU has needed at least; one that has ended has done so in time.
        if QUADS * max(retired.values(), default=0) > job.max_cycles and model.places:
            outcome.ending = Ending.TOO_LONG
            outcome.why = f"not ended after {job.max_cycles} cycles: {', '.join(model.places)}"
            outcome.pcs = model.pcs
            return
