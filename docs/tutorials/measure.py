"""The kernels of the tutorials on the RTL: whether they compute what NumPy does, and in how many clocks.

`python docs/tutorials/measure.py` prints the tables of the pages. It takes minutes, and compiles two GPUs before.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vc4.config import preset
from vc4sim.asm import assemble
from vc4sim.backends import native
from vc4sim.backends.base import Ending, Job, Run
from vc4sim.workload.layout import Region, Start, lay_out

__all__ = ["MATMUL", "SAXPY", "Measured", "matmul", "saxpy", "tables"]

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


def _run(
    source: str, starts: Sequence[Start], regions: dict[str, np.ndarray], result: str, qpus: int, run: Run
) -> tuple[int, np.ndarray]:
    """Run programs with their memory; returns the clocks, and what the region `result` holds then."""
    places = [Region(name, values.astype("<f4").tobytes()) for name, values in regions.items()]
    work = lay_out("kernel", assemble(source), starts, places)
    config = preset(CONFIGS[qpus])
    job = Job(
        image=work.image, base=work.base, launches=work.launches, config=config, qpus=qpus, max_cycles=100_000_000
    )
    outcome = run(job, None, None, None)
    assert outcome.ending is Ending.DONE, outcome.why
    assert not outcome.errors, outcome.errors
    (buffer,) = (one for one in work.buffers if one.name == result)
    values = np.frombuffer(work.bytes_of(buffer, outcome.memory), "<f4")
    return outcome.cycles, values.reshape(regions[result].shape)


def saxpy(kernel: int, qpus: int, run: Run = native.run, vectors: int = VECTORS) -> Measured:
    """SAXPY, y = a x + y, by `saxpy_N.qasm`."""
    source = (KERNELS / f"saxpy_{kernel}.qasm").read_text()
    x = np.arange(VECTOR * vectors)
    y = x[::-1] % 7
    parts = {1: [], 2: [vectors], 3: [vectors], 4: [vectors // qpus, qpus], 5: [vectors // 4 // qpus, qpus]}
    start = Start(uniforms=("2.0", "&x", "&y", *map(str, parts[kernel])))
    # What is looked up ahead lies after y in the end.
    room = np.zeros(4 * VECTOR * qpus)
    clocks, result = _run(source, [start] * qpus, {"x": x, "y": y, "room": room}, "y", qpus, run)
    return Measured(clocks, result, 2 * x + y)


def matmul(kernel: int, rows: int, qpus: int, run: Run = native.run, size: int = SIZE) -> Measured:
    """C = A B by `matmul_N.qasm`, a program for each sixteen columns of so many rows."""
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
    clocks, result = _run(source, starts, regions, "c", qpus, run)
    return Measured(clocks, result, a @ b)


def _checked(measured: Measured) -> int:
    """The clocks of a run that was right."""
    assert measured.is_right
    return measured.clocks


def saxpy_row(kernel: int, qpus: int) -> str:
    """A row of the table: kernel, QPUs, clocks, clocks a vector."""
    clocks = _checked(saxpy(kernel, qpus))
    return f"| `saxpy_{kernel}.qasm` | {qpus} | {clocks:,} | {clocks / VECTORS:.1f} |"


def matmul_row(kernel: int, rows: int) -> str:
    """A row of the table: kernel, clocks on each number of QPUs, multiplications a clock on the largest."""
    clocks = [_checked(matmul(kernel, rows, qpus)) for qpus in QPUS]
    name = f"`matmul_{kernel}.qasm`" + (f", m = {rows}" if rows > 1 else "")
    return f"| {name} | {' | '.join(f'{one:,}' for one in clocks)} | {SIZE**3 / clocks[-1]:.2f} |"


def tables() -> None:
    """Print them, row by row."""
    print("| kernel | QPUs | clocks | clocks a vector |\n|---|--:|--:|--:|")
    for kernel, qpus in SAXPY:
        print(saxpy_row(kernel, qpus), flush=True)
    print("\n| kernel | 1 QPU | 4 QPUs | 12 QPUs | multiplications a clock |\n|---|--:|--:|--:|--:|")
    for kernel, rows in MATMUL:
        print(matmul_row(kernel, rows), flush=True)


if __name__ == "__main__":
    sys.exit(tables())
