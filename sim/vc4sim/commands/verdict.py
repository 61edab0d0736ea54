"""What a run has come to, as text and as exit status."""

import argparse

from vc4.config import PRESETS

from ..backends.engines import ENGINES
from ..library.result import Result
from ..problem import ExitStatus
from ..workload import Workload
from .buffers import keep_buffers
from .show import buffer_lines, error_lines

__all__ = ["report", "report_statistics"]


def report_statistics(workload: Workload, result: Result, options: argparse.Namespace) -> None:
    """What the `options` of `vc4 run` want to know of a run whether or not it has ended."""
    if options.dump:
        options.dump.write_bytes(result.memory)
    if workload.description:
        print(f"{workload.name}: {workload.description}")
    if options.stats:
        print(result)


def report(workload: Workload, result: Result, options: argparse.Namespace) -> ExitStatus:
    """Say how a run went that has ended."""
    report_statistics(workload, result, options)
    cycles = "" if result.cycles is None else f" in {result.cycles} cycles"
    engine = ENGINES[options.on]
    is_usual = engine.is_board or result.config in (options.config, next(iter(PRESETS)))
    grown = "" if is_usual else f", --config {result.config}"
    print(f"{result.instructions} instructions{cycles} on {engine.doc}{grown}")
    for line in [*error_lines(result.errors), *([result.missed] if result.missed else [])]:
        print(line)
    for buffer in workload.buffers:
        print("\n".join(buffer_lines(buffer, workload.bytes_of(buffer, result.memory))))
    keep_buffers(workload, result.memory, options)
    if result.compared is not None:
        print(f"lockstep: {result.compared} instructions, no difference")
    if result.checked is not None:
        print(f"strict: {result.checked} instructions, no rule broken")
    return _verdict(workload, result.memory)


def _verdict(workload: Workload, memory: bytes) -> ExitStatus:
    """Compare memory with what is expected, if something is."""
    differences = workload.differences(memory)
    for difference in differences:
        first, *words = difference.lines()
        print("\n".join([f"FAIL {workload.name}: {first}", *words]))
    if differences:
        return ExitStatus.DIFFERS
    if workload.checks:
        size, count = sum(check.size for check in workload.checks), len(workload.checks)
        origin = f": {workload.origin}" if workload.origin else ""
        print(f"PASS {workload.name} ({size} bytes in {count} region{'s' * (count != 1)}){origin}")
    return ExitStatus.PASS
