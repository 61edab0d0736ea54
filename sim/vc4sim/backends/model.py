"""Runs the reference model as if it were a simulator of the RTL: the same job, the same events, no clocks."""

from vc4.isa.registers import QUADS

from ..events import MemoryWrite, Retirement
from ..model.memory import MemoryFault
from ..model.sync import place
from ..model.unbuilt import Unbuilt
from ..model.v3d import Deadlock, ModelV3D
from .base import Ending, Job, Outcome, Watcher

__all__ = ["run"]


def run(job: Job, watch: Watcher | None = None) -> Outcome:
    """Run `job`; `watch` is called with every event.

    The model has no clocks: it is given up after a quarter of `max_cycles` instructions, which is what fits in.
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
    limit = max(1, job.max_cycles // QUADS * len(model.qpus))
    for event in model.run(job.launches, job.reserved):
        watch(event)
        outcome.instructions += isinstance(event, Retirement)
        if model.vpm.fault:
            outcome.pcs = (event.pc,) if isinstance(event, Retirement) else ()
            raise model.vpm.fault
        if outcome.instructions >= limit and any(qpu.sequencer.running for qpu in model.qpus):
            outcome.ending = Ending.TOO_LONG
            outcome.why = f"not ended after {limit} instructions: {', '.join(model.places)}"
            outcome.pcs = model.pcs
            return
