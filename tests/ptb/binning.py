"""A binning list on the RTL, and what the model makes of it."""

import re

import numpy as np

from vc4.records.shaders import TILE_STATE_BYTES
from vc4sim.frames.binned import binned
from vc4sim.frames.front import run_front

__all__ = ["compare"]

#: Where the list stands does not count if it has not come to its end: the hardware reads ahead.
_AT_THE_END = ("CT0CS", "CT0CA", "CT0LC")
_REGISTERS = ("BPCA", "BPCS", "BPOA", "BPOS", "INTCTL", "BFC")
_CUT = re.compile("binner to a state at (0x[0-9a-f]+) is outside of memory")
_COUNTS = ("PTB_PRIMITIVES_OUTSIDE", "PTB_PRIMITIVES_CLIPPED")


def compare(job, on="native", waves=None, model=None, *, counts=True):
    """Memory, registers, counters; returns the run of the RTL, and the model behind the list.

    counts : nothing has been counted before

    If nothing has been flushed, or a state is not in memory as a whole, all that counts in memory is that nobody else's bytes have
    changed: words of lists, and states of tiles, may be on their way.
    """
    model, _, written = model or binned(job)
    error = str(model.binner.error or "")
    cut = _CUT.search(error)
    if cut:  # The hardware has stored what is in memory of it.
        first = int(cut[1], 16)
        written[first : first + TILE_STATE_BYTES] = True
    run = run_front(job, on, waves=waves, read=(*_REGISTERS, *_AT_THE_END))
    assert run.rests, f"no end after {run.cycles} clocks"
    wanted, before = (np.frombuffer(image, np.uint8) for image in (bytes(model.memory.data), job.image))
    found = np.frombuffer(run.memory[: len(wanted)], np.uint8)
    is_flushed = model.read("BFC") > 0 and not cut
    different = np.flatnonzero(found != wanted if is_flushed else (found != before) & ~written)
    where = f"{len(different)} bytes differ, from {different[0]:#x} on" if len(different) else ""
    assert not where, f"{where}; the model: {error or 'no error'}"
    if not counts:
        return run, model
    for name in (*_REGISTERS, *(_AT_THE_END if is_flushed else ())):
        assert run.read[name] == model.read(name), f"{name} is {run.read[name]:#x}, not {model.read(name):#x}"
    if is_flushed:
        assert {name: run.counts[name] for name in _COUNTS} == {name: model.events[name] for name in _COUNTS}
    return run, model
