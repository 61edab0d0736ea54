"""What a run has come to, as text and as exit status."""

import argparse

from vc4.config import PRESETS

from ..backends.base import Ending, Outcome
from ..checker import Strict
from ..lockstep import Lockstep
from ..problem import BadInput, ExitStatus
from ..workload import Workload
from .engines import ENGINES
from .presets import advice
from .show import buffer_lines, error_lines, statistics_lines

__all__ = ["report"]


def report(
    workload: Workload,
    outcome: Outcome,
    config: str,
    options: argparse.Namespace,
    lockstep: Lockstep | None,
    strict: Strict | None,
) -> ExitStatus:
    """Say how the run on the preset `config` went, for which the `options` of `vc4 run` asked.

    Raises `BadInput` if it did not end.
    """
    if options.dump:
        options.dump.write_bytes(outcome.memory)
    engine = ENGINES[options.on]
    missed = advice(workload, outcome, config)
    if workload.description:
        print(f"{workload.name}: {workload.description}")
    if options.stats:
        print("\n".join(statistics_lines(outcome, engine.is_rtl)))
    if outcome.ending is not Ending.DONE:
        raise BadInput(f"{workload.name}: {outcome.why}{'; ' * bool(missed)}{missed}{_places(workload, outcome)}")
    cycles = f" in {outcome.cycles} cycles" if engine.is_rtl else ""
    grown = f", --config {config}" if config not in (options.config, next(iter(PRESETS))) else ""
    print(f"{outcome.instructions} instructions{cycles} on {engine.doc}{grown}")
    for line in [*error_lines(outcome.errors), *([missed] if missed else [])]:
        print(line)
    for buffer in workload.buffers:
        print("\n".join(buffer_lines(buffer, workload.bytes_of(buffer, outcome.memory))))
    if lockstep:
        print(f"lockstep: {lockstep.retired} instructions, no difference")
    if strict:
        print(f"strict: {strict.retired} instructions, no rule broken")
    return _verdict(workload, outcome.memory)


def _places(workload: Workload, outcome: Outcome) -> str:
    """Where the QPUs of an outcome stand in the source, if there is one."""
    source = workload.source
    offsets = dict.fromkeys(pc - workload.base for pc in outcome.pcs) if source else ()
    places = [f"{source.place(offset)}: {source.line(offset)}" for offset in offsets if source and source.place(offset)]
    return f" ({'; '.join(places)})" if places else ""


def _verdict(workload: Workload, memory: bytes) -> ExitStatus:
    """Compare memory with what is expected, if something is."""
    differences = workload.differences(memory)
    for difference in differences:
        first, *words = difference.lines()
        print("\n".join([f"FAIL {workload.name}: {first}", *words]))
    if differences:
        return ExitStatus.DIFFERS
    if workload.checks:
        size, count = sum(len(check.expected) for check in workload.checks), len(workload.checks)
        origin = f": {workload.origin}" if workload.origin else ""
        print(f"PASS {workload.name} ({size} bytes in {count} region{'s' * (count != 1)}){origin}")
    return ExitStatus.PASS
