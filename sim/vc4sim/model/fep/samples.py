"""The samples of a pixel as kernels take them, see `vc4.records.samples`."""

from vc4.records.samples import SAMPLES
from vc4.records.state import Oversample

__all__ = ["COUNTS", "FIRSTS", "SAMPLE_X", "SAMPLE_Y"]

_MODES = tuple(SAMPLES[mode] for mode in Oversample)
#: Samples of all modes, in the order of their codes; where each mode has its first one, and how many it has.
SAMPLE_X = tuple(x for places in _MODES for x, _ in places)
SAMPLE_Y = tuple(y for places in _MODES for _, y in places)
COUNTS = tuple(map(len, _MODES))
FIRSTS = tuple(sum(COUNTS[:number]) for number in range(len(COUNTS)))
