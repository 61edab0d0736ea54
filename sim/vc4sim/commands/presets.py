"""Which of the named configurations serve a workload."""

from collections.abc import Iterable

from vc4.config import BUILT_UNITS, PRESETS, preset
from vc4.isa.word import WORD_BYTES

from ..backends.base import Ending, Outcome
from ..checker import Flow
from ..model.qpu.decoded import decoded
from ..problem import BadInput
from ..workload import Workload

__all__ = ["advice", "enough_qpus", "lacks_rows", "serving"]

#: What the units that a configuration may lack are called.
_UNIT_NAMES = {"tmu": "texture units"}
#: Bits of ERRSTAT: a program has read or written a row that the VPM does not have.
_LACKING_ROWS = frozenset({"VPMERR", "VPMEWR"})


def _units(workload: Workload) -> frozenset[str]:
    """The services that instructions of the program need, those that a run can come to."""
    start, code = workload.code.start - workload.base, workload.code
    words = [
        int.from_bytes(workload.image[start + offset : start + offset + WORD_BYTES], "little")
        for offset in range(0, len(code) // WORD_BYTES * WORD_BYTES, WORD_BYTES)
    ]
    entries = sorted({(launch.pc - code.start) // WORD_BYTES for launch in workload.launches if launch.pc in code})
    reached = Flow(words, code.start, entries).indices
    return BUILT_UNITS & {unit for index in reached for unit in decoded(words[index]).units}


def enough_qpus(name: str, qpus: int, config: str) -> None:
    """Raises `BadInput` if the preset `config` has fewer than the `qpus` that `name` needs."""
    if qpus <= preset(config).qpus:
        return
    enough = _options(other for other in PRESETS if preset(other).qpus >= qpus)
    most = max(PRESETS, key=lambda other: preset(other).qpus)
    advised = f"add {enough}" if enough else f"the most are the {preset(most).qpus} of --config {most}"
    raise BadInput(f"{name}: needs {qpus} QPUs at the same time, but {config} has {preset(config).qpus}: {advised}")


def serving(workload: Workload) -> list[str]:
    """The presets with enough QPUs and all units for `workload`, the smallest first; if there is none, the largest."""
    units = _units(workload)
    found = [name for name in PRESETS if preset(name).qpus >= workload.qpus and units <= preset(name).units]
    return found or [list(PRESETS)[-1]]


def _options(names: Iterable[str]) -> str:
    return " or ".join(f"--config {name}" for name in names)


def lacks_rows(outcome: Outcome) -> bool:
    """Whether the program has used rows that the VPM does not have."""
    return bool(outcome.errors & _LACKING_ROWS)


def advice(workload: Workload, outcome: Outcome, config: str) -> str:
    """Which presets have what `workload` missed in `config`, if it missed anything."""
    lacking = _units(workload) - preset(config).units
    if outcome.ending is Ending.STUCK and lacking:
        names = " and ".join(sorted(_UNIT_NAMES.get(unit, unit) for unit in lacking))
        enough = _options(other for other in PRESETS if lacking <= preset(other).units)
        return f"{config} has no {names}: add {enough}"
    rows = preset(config).vpm_rows
    larger = _options(other for other in PRESETS if preset(other).vpm_rows > rows)
    if lacks_rows(outcome):
        return f"the VPM of {config} has {rows} rows{': more has ' + larger if larger else ', and none has more'}"
    return ""
