"""A binning list on the RTL, and what the model makes of it."""

import numpy as np

from vc4sim.frames.binned import binned
from vc4sim.frames.front import run_front

__all__ = ["compare"]

_REGISTERS = ("BPCA", "BPCS", "BPOA", "BPOS", "INTCTL", "CT0CS", "CT0CA", "CT0LC", "BFC", "PCS")
_COUNTS = ("PTB_PRIMITIVES_OUTSIDE", "PTB_PRIMITIVES_CLIPPED")


def compare(job, on="native", waves=None, model=None):
    """All memory, registers, counters; returns the run of the RTL, and the model behind the list."""
    model = model or binned(job).gpu
    run = run_front(job, on, waves=waves, read=_REGISTERS)
    assert run.rests, f"no end after {run.cycles} clocks"
    wanted = model.memory.read(0, len(job.image))
    different = np.flatnonzero(np.frombuffer(wanted, np.uint8) != np.frombuffer(run.memory[: len(wanted)], np.uint8))
    where = f"{len(different)} bytes differ, from {different[0]:#x} on" if len(different) else ""
    assert not where, f"{where}; the model: {model.binner.error or 'no error'}"
    assert run.read == {name: model.read(name) for name in _REGISTERS}
    assert {name: run.counts[name] for name in _COUNTS} == {name: model.events[name] for name in _COUNTS}
    return run, model
