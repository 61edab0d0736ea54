"""The profile of the shaders of a frame."""

from vc4.config import V3DConfig

from ..backends.base import Ending, Outcome
from ..clist import Capture
from ..frames.host import DrawHost
from ..timeline import Names
from .counts import Counts
from .limits import limits_of
from .profile import Profile

__all__ = ["profile_frame"]

#: What is counted for the limits.
_COUNTED = ("L2C_HITS", "L2C_MISSES")


def profile_frame(capture: Capture, config: V3DConfig, on: str, **options) -> Profile:
    """That of all jobs of a capture together, on the simulator `on`, see `DrawHost`. Raises `BadInput` if one does not come to its
    end.

    options : of each `DrawJob`
    """
    counts, outcome = Counts(), Outcome(Ending.DONE, b"")
    host = DrawHost(capture, config, on, counted=_COUNTED, **options)
    for job in capture.jobs:
        run, _ = host.run(job, timed=counts)
        counts.close()
        outcome.cycles += run.cycles
        outcome.instructions += run.instructions
        for name in _COUNTED:
            outcome.counts[name] = outcome.counts.get(name, 0) + run.counts[name]
    limits = limits_of(counts, config, config.qpus, outcome.cycles, outcome.counts)
    return Profile(outcome, counts, limits, Names(), config.qpus)
