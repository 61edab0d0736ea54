"""A binning list on the RTL, and what the model makes of it."""

import re

import numpy as np

from vc4.records.shaders import TILE_STATE_BYTES

from ..backends.base import Waves
from ..frames.binned import Binned, binned
from ..frames.front import FrontRun, run_front
from ..frames.job import FrontJob
from ..model.v3d import V3D

__all__ = ["compare_binning"]

#: Where the list stands does not count if it has not come to its end: the hardware reads ahead.
_AT_THE_END = ("CT0CS", "CT0CA", "CT0LC")
_REGISTERS = ("BPCA", "BPCS", "BPOA", "BPOS", "INTCTL", "BFC")
_CUT = re.compile("binner to a state at (0x[0-9a-f]+) is outside of memory")
_COUNTS = ("PTB_PRIMITIVES_OUTSIDE", "PTB_PRIMITIVES_CLIPPED")


def compare_binning(
    job: FrontJob, on: str = "native", waves: Waves | None = None, model: Binned | None = None, *, counts: bool = True
) -> tuple[FrontRun, V3D]:
    """Memory, registers, counters; returns the run of the RTL, and the model after the list.

    model : the model after the list, if it is known
    counts : nothing has been counted before

    If nothing has been flushed, or a state is not in memory as a whole, all that counts in memory is that nobody else's bytes have
    changed: words of lists, and states of tiles, may be on their way. Raises `AssertionError` for any difference.
    """
    gpu, _, written = model or binned(job)
    error = str(gpu.binner.error or "")
    cut = _CUT.search(error)
    if cut:  # The hardware has stored what is in memory of it.
        first = int(cut[1], 16)
        written[first : first + TILE_STATE_BYTES] = True
    run = run_front(job, on, waves=waves, read=(*_REGISTERS, *_AT_THE_END))
    assert run.rests, f"no end after {run.cycles} clocks"
    wanted, before = (np.frombuffer(image, np.uint8) for image in (bytes(gpu.memory.data), job.image))
    found = np.frombuffer(run.memory[: len(wanted)], np.uint8)
    is_flushed = gpu.read("BFC") > 0 and not cut
    different = np.flatnonzero(found != wanted if is_flushed else (found != before) & ~written)
    where = f"{len(different)} bytes differ, from {different[0]:#x} on" if len(different) else ""
    assert not where, f"{where}; the model: {error or 'no error'}"
    if not counts:
        return run, gpu
    for name in (*_REGISTERS, *(_AT_THE_END if is_flushed else ())):
        assert run.read[name] == gpu.read(name), f"{name} is {run.read[name]:#x}, not {gpu.read(name):#x}"
    if is_flushed:
        assert {name: run.counts[name] for name in _COUNTS} == {name: gpu.events[name] for name in _COUNTS}
    return run, gpu
