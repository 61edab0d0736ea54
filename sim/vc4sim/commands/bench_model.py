"""`vc4 bench model`: how fast the model is, interpreted and compiled."""

import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from vc4.config import preset

from ..bench.driver import setup_writes
from ..clist import Capture, load_capture
from ..model import compiled
from ..model.memory import Memory, MemoryFault
from ..model.qps.user_programs import Deadlock
from ..model.unbuilt import Unbuilt
from ..model.v3d import V3D
from ..problem import BadInput
from ..render import Host
from ..workload import Workload, load_case, load_example
from ..workload.example import example_folder, example_names, frame_names

__all__ = ["Figures", "measure"]

_CONFIG = "bcm2835"


@dataclass(frozen=True)
class Figures:
    """Of each program its instructions a second, of each frame its seconds, by mode."""

    programs: dict[str, dict[str, float]]
    frames: dict[str, dict[str, float]]

    def lines(self) -> list[str]:
        """A table, with the mean of the programs and the sum of the frames."""
        modes = list(next(iter([*self.programs.values(), *self.frames.values()])))
        lines = [f"{'':<22}" + "".join(f"{mode:>14}" for mode in modes)]
        for title, about, figures, total, form in (
            ("instructions a second", "mean", self.programs, _mean, "{:>14,.0f}"),
            ("seconds a frame", "all", self.frames, sum, "{:>14.2f}"),
        ):
            if figures:
                lines.append(title)
                rows = {**figures, about: {mode: total([one[mode] for one in figures.values()]) for mode in modes}}
                lines += [
                    f"  {name:<20}" + "".join(form.format(row[mode]) for mode in modes) for name, row in rows.items()
                ]
        return lines


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)


def measure(what: Iterable[str], seconds: float) -> Figures:
    """Of examples, cases and captured frames, all examples if there are none; `seconds` for each program and mode.

    Raises `BadInput`.
    """
    found = [_load(name) for name in what or [*example_names(), *frame_names()]]
    figures = Figures({}, {})
    with tqdm(found, unit=" workloads", disable=not sys.stderr.isatty(), leave=False) as progress:
        for one in progress:
            progress.set_description(one.name)
            if isinstance(one, Workload):
                figures.programs[one.name] = _by_mode(lambda one=one: _instructions_per_second(one, seconds))
            else:
                figures.frames[one.name] = _by_mode(lambda one=one: _seconds_per_frame(one))
    return figures


def _by_mode(measured: Callable[[], float]) -> dict[str, float]:
    """A figure for each mode; without a compiler there is only one. The first time may be spent on compiling."""
    with compiled.forced("interpreted"):
        figures = {"interpreted": measured()}
    if compiled.is_available():
        with compiled.forced("compiled"):
            measured()
            figures["compiled"] = measured()
    return figures


def _load(name: str) -> Workload | Capture:
    if name in example_names():
        return load_example(name)
    if name in frame_names():
        return load_capture(Path(str(example_folder(name))))
    if (Path(name) / "program.bin").is_file():
        return load_case(Path(name))
    return load_capture(Path(name))


def _instructions_per_second(work: Workload, budget: float) -> float:
    """Of a program that runs again and again for about `budget` seconds, on the same memory."""
    gpu = V3D(preset(_CONFIG), Memory(len(work.image), work.base, work.image))
    for offset, word in setup_writes(range(work.qpus or len(gpu.qpus), len(gpu.qpus))):
        gpu.write(offset, word)
    start, spent = time.perf_counter(), 0.0
    while spent < budget:
        try:
            gpu.finish(work.launches)
        except (Deadlock, Unbuilt, MemoryFault) as reason:
            raise BadInput(f"{work.name}: {reason}") from None
        spent = time.perf_counter() - start
    return gpu.instructions / spent


def _seconds_per_frame(capture: Capture) -> float:
    host, start = Host(capture, preset(_CONFIG)), time.perf_counter()
    for job in capture.jobs:
        for _ in host.run(job):
            pass
    return time.perf_counter() - start
