"""Runs the reference model as if it were a simulator of the RTL: the same job, the same events, no clocks."""

from vc4.isa.registers import QUADS

from ..events import MemoryWrite
from ..model.memory import MemoryFault
from ..model.unbuilt import Unbuilt
from ..model.v3d import ModelV3D
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
    except (Unbuilt, MemoryFault) as reason:
        outcome.ending, outcome.why = Ending.STUCK, f"QPU 0 at {model.qpu.sequencer.pc:#010x}: {reason}"
    outcome.memory = bytes(model.memory.data)
    outcome.interrupts = model.qpu.interrupts
    return outcome


def _run(model: ModelV3D, job: Job, outcome: Outcome, watch: Watcher) -> None:
    limit = max(1, job.max_cycles // QUADS)
    for event in model.run(job.launches):
        watch(event)
        outcome.instructions += 1
        if model.vpm.fault:
            raise model.vpm.fault
        if outcome.instructions >= limit and model.qpu.sequencer.running:
            outcome.ending = Ending.TOO_LONG
            outcome.why = (
                f"the program has not ended after {limit} instructions; QPU 0 is at {model.qpu.sequencer.pc:#010x}"
            )
            return
