"""The kernels of the tutorials on the RTL: whether they compute what NumPy does, and in how many clocks.

`python docs/tutorials/measure.py` prints the tables of the pages. It takes minutes, and compiles two GPUs before.
`python docs/tutorials/measure.py matmul.png` prints what limits the matrix products on twelve QPUs, and draws it.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vc4.config import preset
from vc4sim.asm import SourceMap
from vc4sim.backends import native
from vc4sim.backends.base import Ending, Job, Outcome, Run
from vc4sim.profiler import Profile, profile
from vc4sim.timeline import Names
from vc4sim.workload import Workload
from vc4sim.workload.layout import PROGRAM_ADDRESS, Region, Start, lay_out

__all__ = ["MATMUL", "SAXPY", "Measured", "limits", "matmul", "matmul_limits", "matmul_profile", "saxpy", "tables"]

KERNELS = Path(__file__).parent
#: Floats of a vector, and bytes of a float.
VECTOR, FLOAT = 16, 4
#: Vectors of the sum, and rows of the matrices.
VECTORS, SIZE = 384, 96
#: GPUs by the QPUs that run programs.
CONFIGS = {1: "slice", 2: "slice", 4: "slice", 12: "bcm2835"}

#: What the page about SAXPY measures: kernel, QPUs.
SAXPY = ((2, 1), (3, 1), (4, 1), (4, 2), (4, 4), (4, 12), (5, 1), (5, 4), (5, 12))
#: What the page about the matrix product measures: kernel, rows of C that a program computes; each on all `QPUS`.
MATMUL = ((1, 1), (2, 1), (3, 1), (4, 8), (4, 16), (4, 24))
QPUS = (1, 4, 12)
#: What they wait for: lookups, uniforms, stores.
_WAITS = ("tmu_result", "uniforms", "vdw")


@dataclass(frozen=True)
class Measured:
    """What a run gave: its clocks, its result, and what NumPy says."""

    clocks: int
    result: np.ndarray
    expected: np.ndarray

    @property
    def is_right(self) -> bool:
        """Bit for bit: the numbers are small integers, of which every sum is exact."""
        return np.array_equal(self.result, self.expected)


@dataclass(frozen=True)
class _Work:
    """Programs with their memory, the name of their result and its shape."""

    workload: Workload
    names: Names
    result: str
    shape: tuple[int, ...]

    @classmethod
    def of(cls, source: str, starts: Sequence[Start], regions: dict[str, np.ndarray], result: str) -> "_Work":
        """A kernel with its launches and what is in memory."""
        places = [Region(name, values.astype("<f4").tobytes()) for name, values in regions.items()]
        kernel = SourceMap.of(source, "kernel")
        workload = lay_out("kernel", kernel.program, starts, places)
        return cls(workload, Names(kernel, PROGRAM_ADDRESS), result, regions[result].shape)

    def job(self, qpus: int) -> Job:
        """On so many QPUs."""
        work, config = self.workload, preset(CONFIGS[qpus])
        return Job(
            image=work.image, base=work.base, launches=work.launches, config=config, qpus=qpus, max_cycles=100_000_000
        )

    def result_of(self, outcome: Outcome) -> np.ndarray:
        """What a run computed."""
        assert outcome.ending is Ending.DONE, outcome.why
        assert not outcome.errors, outcome.errors
        (buffer,) = (one for one in self.workload.buffers if one.name == self.result)
        return np.frombuffer(self.workload.bytes_of(buffer, outcome.memory), "<f4").reshape(self.shape)

    def measure(self, qpus: int, run: Run, expected: np.ndarray) -> Measured:
        """Run it."""
        outcome = run(self.job(qpus), None, None, None)
        return Measured(outcome.cycles, self.result_of(outcome), expected)


def saxpy(kernel: int, qpus: int, run: Run = native.run, vectors: int = VECTORS) -> Measured:
    """SAXPY, y = a x + y, by `saxpy_N.qasm`."""
    source = (KERNELS / f"saxpy_{kernel}.qasm").read_text()
    x = np.arange(VECTOR * vectors)
    y = x[::-1] % 7
    parts = {1: [], 2: [vectors], 3: [vectors], 4: [vectors // qpus, qpus], 5: [vectors // 4 // qpus, qpus]}
    start = Start(uniforms=("2.0", "&x", "&y", *map(str, parts[kernel])))
    # What is looked up ahead lies after y in the end.
    room = np.zeros(4 * VECTOR * qpus)
    return _Work.of(source, [start] * qpus, {"x": x, "y": y, "room": room}, "y").measure(qpus, run, 2 * x + y)


def _matmul(kernel: int, rows: int, size: int) -> tuple[_Work, np.ndarray]:
    """C = A B by `matmul_N.qasm`, a program for each sixteen columns of so many rows; and C."""
    source = (KERNELS / f"matmul_{kernel}.qasm").read_text().replace(".set m, 24", f".set m, {rows}")
    random = np.random.default_rng(1)
    a, b = random.integers(-8, 9, (2, size, size))
    # The rows of a program lie column after column.
    packed = a.reshape(size // rows, rows, size).transpose(0, 2, 1)
    starts = []
    for row in range(0, size, rows):
        for column in range(0, size, VECTOR):
            places = (f"&a+{FLOAT * size * row}", f"&b+{FLOAT * column}", f"&c+{FLOAT * (size * row + column)}")
            starts.append(Start(uniforms=(str(size), *places)))
    regions = {"a": packed, "b": b, "room": np.zeros(4 * size), "c": np.zeros((size, size))}
    return _Work.of(source, starts, regions, "c"), a @ b


def matmul(kernel: int, rows: int, qpus: int, run: Run = native.run, size: int = SIZE) -> Measured:
    """C = A B by `matmul_N.qasm`, so many rows in a program."""
    work, expected = _matmul(kernel, rows, size)
    return work.measure(qpus, run, expected)


def matmul_profile(kernel: int, rows: int, qpus: int, run: Run = native.run, size: int = SIZE) -> Profile:
    """What its clocks go to."""
    work, expected = _matmul(kernel, rows, size)
    found = profile(work.job(qpus), run, work.names)
    assert np.array_equal(work.result_of(found.outcome), expected)
    return found


def _checked(measured: Measured) -> int:
    """The clocks of a run that was right."""
    assert measured.is_right
    return measured.clocks


def saxpy_row(kernel: int, qpus: int) -> str:
    """A row of the table: kernel, QPUs, clocks, clocks a vector."""
    clocks = _checked(saxpy(kernel, qpus))
    return f"| `saxpy_{kernel}.qasm` | {qpus} | {clocks:,} | {clocks / VECTORS:.1f} |"


def _name(kernel: int, rows: int) -> str:
    return f"`matmul_{kernel}.qasm`" + (f", m = {rows}" if rows > 1 else "")


def matmul_row(kernel: int, rows: int) -> str:
    """A row of the table: kernel, clocks on each number of QPUs, multiplications a clock on the largest."""
    clocks = [_checked(matmul(kernel, rows, qpus)) for qpus in QPUS]
    return f"| {_name(kernel, rows)} | {' | '.join(f'{one:,}' for one in clocks)} | {SIZE**3 / clocks[-1]:.2f} |"


def _limit_row(name: str, found: Profile) -> str:
    """A row of the table of limits: kernel, what it has of all instructions and of all words of the L2 cache; of all clocks of the
    QPUs, what is lost for lookups, uniforms and stores.
    """
    used = {one.name: one.part for one in found.limits}
    lost = [found.counts.stalls[reason] / (found.outcome.cycles * found.qpus) for reason in _WAITS]
    return f"| {name} | {' | '.join(f'{part:.0%}' for part in (used['issue'], used['L2 cache'], *lost))} |"


def matmul_limits(kernel: int, rows: int) -> str:
    """That row, on most QPUs."""
    return _limit_row(_name(kernel, rows), matmul_profile(kernel, rows, QPUS[-1]))


def limits(picture: Path) -> None:
    """Print what limits the matrix products, and draw it."""
    from vc4sim.profiler.roofline import draw

    print("| kernel | instructions | L2 cache | lookups | uniforms | stores |\n|---|--:|--:|--:|--:|--:|")
    programs = {}
    for kernel, rows in MATMUL:
        found = matmul_profile(kernel, rows, QPUS[-1])
        print(_limit_row(_name(kernel, rows), found), flush=True)
        programs[_name(kernel, rows).replace("`", "").replace(".qasm", "")] = found.limits
    draw(picture, programs)


def tables() -> None:
    """Print them, row by row."""
    print("| kernel | QPUs | clocks | clocks a vector |\n|---|--:|--:|--:|")
    for kernel, qpus in SAXPY:
        print(saxpy_row(kernel, qpus), flush=True)
    print("\n| kernel | 1 QPU | 4 QPUs | 12 QPUs | multiplications a clock |\n|---|--:|--:|--:|--:|")
    for kernel, rows in MATMUL:
        print(matmul_row(kernel, rows), flush=True)


if __name__ == "__main__":
    sys.exit(limits(Path(sys.argv[1])) if sys.argv[1:] else tables())
