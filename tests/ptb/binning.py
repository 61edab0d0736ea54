"""A binning list on the RTL, and what the model makes of it."""

import numpy as np

from vc4sim.frames.binned import binned
from vc4sim.frames.front import run_front

__all__ = ["compare"]

#: Where the list stands does not count if it has not come to its end: the hardware reads ahead.
_AT_THE_END = ("CT0CS", "CT0CA", "CT0LC")
_REGISTERS = ("BPCA", "BPCS", "BPOA", "BPOS", "INTCTL", "BFC")
_COUNTS = ("PTB_PRIMITIVES_OUTSIDE", "PTB_PRIMITIVES_CLIPPED")


def compare(job, on="native", waves=None, model=None, *, counts=True):
    """Memory, registers, counters; returns the run of the RTL, and the model behind the list.

    counts : nothing has been counted before

    If nothing has been flushed, all that counts in memory is that nobody else's bytes have changed: words of lists, and states of tiles,
    may be on their way.
    """
    model, _, written = model or binned(job)
    run = run_front(job, on, waves=waves, read=(*_REGISTERS, *_AT_THE_END))
    assert run.rests, f"no end after {run.cycles} clocks"
    wanted, before = (np.frombuffer(image, np.uint8) for image in (bytes(model.memory.data), job.image))
    found = np.frombuffer(run.memory[: len(wanted)], np.uint8)
    is_flushed = model.read("BFC") > 0
    different = np.flatnonzero(found != wanted if is_flushed else (found != before) & ~written)
    where = f"{len(different)} bytes differ, from {different[0]:#x} on" if len(different) else ""
    assert not where, f"{where}; the model: {model.binner.error or 'no error'}"
    if not counts:
        return run, model
    for name in (*_REGISTERS, *(_AT_THE_END if is_flushed else ())):
        assert run.read[name] == model.read(name), f"{name} is {run.read[name]:#x}, not {model.read(name):#x}"
    if is_flushed:
        assert {name: run.counts[name] for name in _COUNTS} == {name: model.events[name] for name in _COUNTS}
    return run, model
