"""Which configurations serve a workload: the named ones, by their names, or one that somebody has made."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import NamedTuple

from vc4.config import BUILT_UNITS, PRESETS, V3DConfig, preset
from vc4.errata import Erratum, errata_of
from vc4.isa.word import WORD_BYTES

from ..backends.base import Ending, Outcome
from ..checker import Flow
from ..model.qpu.decoded import decoded
from ..problem import BadInput
from ..workload import Workload

__all__ = ["Choice", "advice", "choices", "lacks_rows", "named", "of_board", "on_board"]

#: What the units that a configuration may lack are called.
_UNIT_NAMES = {"tmu": "texture units"}
#: Bits of ERRSTAT: a program has read or written a row that the VPM does not have.
_LACKING_ROWS = frozenset({"VPMERR", "VPMEWR"})


class Choice(NamedTuple):
    """A configuration, and what it is called."""

    name: str
    config: V3DConfig


def choices(workload: Workload, config: str | V3DConfig | None, errata: str | Collection[Erratum] = ()) -> list[Choice]:
    """What to run `workload` on, the smallest first: as somebody has chosen, or the presets with enough QPUs and all units, and if
    there is none, the largest. They have the `errata`, too.

    Raises `BadInput` for names of presets or errata that do not exist, or if there are not enough QPUs.
    """
    found = [named(one, errata) for one in (_serving(workload) if config is None else [config])]
    _enough_qpus(workload, found[0])
    return found


def named(config: str | V3DConfig, errata: str | Collection[Erratum] = ()) -> Choice:
    """A configuration, or the preset of this name, with the `errata`, too. Raises `BadInput` for names that do not exist."""
    if isinstance(config, str) and config not in PRESETS:
        raise BadInput(f"no configuration is called {config!r}: there are {', '.join(PRESETS)}")
    name, chosen = (config, preset(config)) if isinstance(config, str) else ("the configuration", config)
    try:
        return Choice(name, replace(chosen, errata=chosen.faults | errata_of(errata)))
    except ValueError as error:
        raise BadInput(str(error)) from None


def of_board(has: V3DConfig, wanted: str | V3DConfig | None, errata: str | Collection[Erratum] = ()) -> Choice:
    """The configuration that a board `has`, by its name. Raises `BadInput` if another one is `wanted`."""
    name = next((name for name, one in PRESETS.items() if one == replace(has, errata=())), "another configuration")
    asked = named(has if wanted is None else wanted, errata)
    if replace(asked.config, errata=(), trace=False) != replace(has, errata=()):
        raise BadInput(f"the board has {name}, not {asked.name}")
    if errata and errata_of(errata) != has.faults:
        raise BadInput(f"the board has {', '.join(map(str, has.errata)) or 'no'} errata, not {errata}")
    return Choice(name, has)


def on_board(
    workload: Workload, has: V3DConfig, wanted: str | V3DConfig | None, errata: str | Collection[Erratum] = ()
) -> Choice:
    """The same, if it has what `workload` needs. Raises `BadInput` otherwise."""
    choice = of_board(has, wanted, errata)
    if workload.qpus > has.qpus:
        raise BadInput(f"{workload.name}: needs {workload.qpus} QPUs at the same time, and the board has {has.qpus}")
    lacking = _units(workload) - has.units
    if lacking:
        raise BadInput(f"{workload.name}: needs {_names_of(lacking)}, and the board has none")
    return choice


def _names_of(units: Iterable[str]) -> str:
    return " and ".join(sorted(_UNIT_NAMES.get(unit, unit) for unit in units))


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


def _enough_qpus(workload: Workload, choice: Choice) -> None:
    """Raises `BadInput` if it has fewer QPUs than `workload` needs."""
    qpus, (config, chosen) = workload.qpus, choice
    if qpus <= chosen.qpus:
        return
    enough = _options(other for other in PRESETS if preset(other).qpus >= qpus)
    most = max(PRESETS, key=lambda other: preset(other).qpus)
    advised = f"add {enough}" if enough else f"the most are the {preset(most).qpus} of --config {most}"
    raise BadInput(f"{workload.name}: needs {qpus} QPUs at the same time, but {config} has {chosen.qpus}: {advised}")


def _serving(workload: Workload) -> list[str]:
    """The presets with enough QPUs and all units for `workload`, the smallest first; if there is none, the largest."""
    units = _units(workload)
    found = [name for name in PRESETS if preset(name).qpus >= workload.qpus and units <= preset(name).units]
    return found or [list(PRESETS)[-1]]


def _options(names: Iterable[str]) -> str:
    return " or ".join(f"--config {name}" for name in names)


def lacks_rows(outcome: Outcome) -> bool:
    """Whether the program has used rows that the VPM does not have."""
    return bool(outcome.errors & _LACKING_ROWS)


def advice(workload: Workload, outcome: Outcome, choice: Choice) -> str:
    """Which presets have what `workload` missed, if it missed anything."""
    config, chosen = choice
    lacking = _units(workload) - chosen.units
    if outcome.ending is Ending.STUCK and lacking:
        enough = _options(other for other in PRESETS if lacking <= preset(other).units)
        return f"{config} has no {_names_of(lacking)}: add {enough}"
    rows = chosen.vpm_rows
    larger = _options(other for other in PRESETS if preset(other).vpm_rows > rows)
    if lacks_rows(outcome):
        return f"the VPM of {config} has {rows} rows{': more has ' + larger if larger else ', and none has more'}"
    return ""
