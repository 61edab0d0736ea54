"""What a step of a QPU has come to, as numbers and as words."""

from ..memory import MemoryFault
from ..qps.sync import MUTEX, describe
from ..tmu.fifos import NO_RESULT, NO_SLOT
from ..unbuilt import Unbuilt, Waiting

__all__ = [
    "FAULT_FETCH",
    "FAULT_STREAM",
    "FAULT_UNIFORM",
    "LACKS",
    "NO_VECTOR",
    "RETIRED",
    "UNKNOWN",
    "WAITS_MUTEX",
    "WAITS_RESULT",
    "WAITS_SEMAPHORE",
    "WAITS_SLOT",
    "WAITS_VECTOR",
    "reason",
]

#: An instruction was carried out; its word has to be decoded first.
RETIRED, UNKNOWN = range(2)
#: It waits; nothing has happened.
WAITS_VECTOR, WAITS_SLOT, WAITS_RESULT, WAITS_MUTEX, WAITS_SEMAPHORE = range(2, 7)
#: It cannot be carried out; nothing has happened.
LACKS, FAULT_FETCH, FAULT_UNIFORM, FAULT_STREAM = range(7, 11)

#: What an instruction waits for that only its own program could bring about.
NO_VECTOR = "vpm, and no read is set up"

_WAITS = {WAITS_VECTOR: NO_VECTOR, WAITS_SLOT: NO_SLOT, WAITS_RESULT: NO_RESULT, WAITS_MUTEX: MUTEX}
_FAULTS = {
    FAULT_FETCH: "instruction fetch",
    FAULT_UNIFORM: "uniform read",
    FAULT_STREAM: "uniform read after the end of its stream",
}


def reason(status: int, what: int, lacking: str = "") -> Exception:
    """Why a step has not retired: `Waiting`, `Unbuilt` or `MemoryFault`.

    what : the number that belongs to the status, see `Effects.about`
    """
    if status == LACKS:
        return Unbuilt(lacking)
    if status in _FAULTS:
        return MemoryFault(what, _FAULTS[status])
    return Waiting(describe(what) if status == WAITS_SEMAPHORE else _WAITS[status].format(what))
