"""Test vectors as hardware: streams them through a device, one a clock, and compares.

Python prepares the vectors and reads one report; no clock of the simulation runs in Python code of ours. The same bench
runs in Amaranth's simulator and, a thousand times faster, as C++ in CXXRTL.
"""

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from amaranth import *
from amaranth.back import rtlil
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator
from amaranth.utils import ceil_log2, exact_log2

from ..cxxrtl.build import build

__all__ = ["Compiled", "Report", "VectorBench", "simulate"]

#: Values of each port, at most 32 bits, one a clock; a scalar is the same in all clocks.
Ports = dict[str, np.ndarray]

_DRIVER = """
#include <cstring>
#include <cxxrtl/capi/cxxrtl_capi.cc>

extern "C" cxxrtl_toplevel cxxrtl_design_create();

static void fill(cxxrtl_handle bench, const char *memory, const uint32_t *rows, size_t bytes) {
    std::memcpy(cxxrtl_get(bench, memory)->curr, rows, bytes);
}

// Runs `count` vectors and reports mismatches, index of the first one, and what was got there.
extern "C" void run(const uint32_t *stimuli, size_t stimuli_bytes, const uint32_t *expected, size_t expected_bytes,
                    uint32_t count, uint32_t *report, size_t got_words) {
    cxxrtl_handle bench = cxxrtl_create(cxxrtl_design_create());
    fill(bench, "stimuli", stimuli, stimuli_bytes);
    fill(bench, "expected", expected, expected_bytes);
    cxxrtl_get(bench, "count")->next[0] = count;
    cxxrtl_object *clk = cxxrtl_get(bench, "clk"), *done = cxxrtl_get(bench, "done");
    do {
        clk->next[0] = 0;
        cxxrtl_step(bench);
        clk->next[0] = 1;
        cxxrtl_step(bench);
    } while (!done->curr[0]);
    report[0] = cxxrtl_get(bench, "mismatches")->curr[0];
    report[1] = cxxrtl_get(bench, "first")->curr[0];
    std::memcpy(report + 2, cxxrtl_get(bench, "got")->curr, got_words * sizeof(uint32_t));
    cxxrtl_destroy(bench);
}
"""


@dataclass(frozen=True)
class Report:
    """What a run found: how many vectors differ, which one first, and the outputs of the device for that one."""

    mismatches: int
    first: int
    got: dict[str, int]

    def text(self, stimuli: Ports, expected: Ports, note: str) -> str:
        """The first vector that differs, for the message of an assertion; `note` names seed and kind of the run."""

        def values(ports: dict) -> str:
            return ", ".join(f"{name} {value:x}" for name, value in ports.items())

        inputs, outputs = ({name: int(x[self.first]) for name, x in _columns(p).items()} for p in (stimuli, expected))
        return (
            f"{note}: {self.mismatches} vectors differ, first number {self.first}: "
            f"{values(inputs)}: expected {values(outputs)}, got {values(self.got)}"
        )


class VectorBench(wiring.Component):
    """Feeds a device from one memory and compares it with another one, a vector a clock.

    Parameters
    ----------
    device : the component under test, elaborated inside
    inputs, outputs : names of its ports, at most 32 bits each, in the order of the columns of the vectors
    latency : clocks from inputs to outputs; 0 if the device is combinational
    depth : vectors that fit, a power of two
    stimuli, expected : initial vectors, if they are not put into the memories of those names later

    Interface attributes
    --------------------
    count : vectors to run
    done : all are compared
    mismatches : vectors that differ so far
    first, got : index and outputs of the first one of them, each output in a word of 32 bits
    """

    def __init__(self, device, inputs, outputs, *, latency, depth, stimuli=(), expected=()):
        exact_log2(depth)  # no address is out of bounds
        self._device = device
        self._inputs = inputs
        self._outputs = outputs
        self._latency = latency
        self._depth = depth
        self._stimuli = Memory(shape=data.ArrayLayout(32, len(inputs)), depth=depth, init=stimuli)
        self._expected = Memory(shape=data.ArrayLayout(32, len(outputs)), depth=depth, init=expected)
        super().__init__(
            {
                "count": In(32),
                "done": Out(1),
                "mismatches": Out(32),
                "first": Out(32),
                "got": Out(32 * len(outputs)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.device = device = self._device
        m.submodules.stimuli, m.submodules.expected = self._stimuli, self._expected
        stimulus, expected = self._stimuli.read_port(), self._expected.read_port()

        # A stimulus is there one clock after its address, its result `latency` clocks after that.
        clock, row = Signal(32), Signal(32)
        m.d.sync += clock.eq(clock + 1)
        m.d.comb += [
            stimulus.addr.eq(clock),
            expected.addr.eq(clock - self._latency),
            row.eq(clock - self._latency - 1),
            self.done.eq(clock > self.count + self._latency),
        ]
        for index, name in enumerate(self._inputs):
            port = Value.cast(getattr(device, name))
            m.d.comb += port.eq(stimulus.data[index])

        got = Cat(Value.cast(getattr(device, name)) | C(0, 32) for name in self._outputs)
        with m.If((clock > self._latency) & ~self.done & (got != Value.cast(expected.data))):
            m.d.sync += self.mismatches.eq(self.mismatches + 1)
            with m.If(self.mismatches == 0):
                m.d.sync += [self.first.eq(row), self.got.eq(got)]
        return m


def simulate(device: wiring.Component, stimuli: Ports, expected: Ports, *, latency: int) -> Report:
    """Run the vectors in Amaranth's simulator: for some thousands of them."""
    rows, wanted = _rows(stimuli, stimuli), _rows(expected, expected)
    bench = VectorBench(
        device,
        list(stimuli),
        list(expected),
        latency=latency,
        depth=1 << ceil_log2(len(rows)),
        stimuli=rows.tolist(),
        expected=wanted.tolist(),
    )
    simulator = Simulator(bench)
    simulator.add_clock(1e-6)
    report = []

    async def run(ctx):
        ctx.set(bench.count, len(rows))
        await ctx.tick().repeat(len(rows) + latency + 1)
        assert ctx.get(bench.done)
        report.extend(ctx.get(port) for port in (bench.mismatches, bench.first, bench.got))

    simulator.add_testbench(run)
    simulator.run()
    mismatches, first, got = report
    return Report(mismatches, first, {name: got >> 32 * word & 0xFFFF_FFFF for word, name in enumerate(expected)})


class Compiled:
    """A device and its bench as C++, compiled once, for any number of runs.

    Parameters
    ----------
    device : the component under test
    inputs, outputs : names of its ports, as for `VectorBench`
    latency : clocks from inputs to outputs
    folder : where the library is kept
    depth : vectors of one pass, a power of two; longer runs take several

    Raises `NoCompiler` without a C++ compiler.
    """

    def __init__(self, device, inputs, outputs, *, latency: int, folder: Path, depth: int = 1024):
        self._inputs, self._outputs, self.depth = list(inputs), list(outputs), depth
        bench = VectorBench(device, self._inputs, self._outputs, latency=latency, depth=depth)
        self._run = build(rtlil.convert(bench, emit_src=False), _DRIVER, folder).run

    def run(self, stimuli: Ports, expected: Ports) -> Report:
        """Run the vectors; every `depth` of them from the state after power-on."""
        rows, wanted = _rows(stimuli, self._inputs), _rows(expected, self._outputs)
        reports = []
        for start in range(0, len(rows), self.depth):
            report = np.zeros(2 + len(self._outputs), np.uint32)
            part, result = (np.ascontiguousarray(x[start : start + self.depth]) for x in (rows, wanted))
            self._run(
                *(part.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(part.nbytes)),
                *(result.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(result.nbytes)),
                ctypes.c_uint32(len(part)),
                *(report.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(len(self._outputs))),
            )
            mismatches, first, *got = report.tolist()
            reports.append(Report(mismatches, start + first, dict(zip(self._outputs, got, strict=True))))
        differing = [report for report in reports if report.mismatches] or reports
        return Report(sum(report.mismatches for report in reports), differing[0].first, differing[0].got)


def _columns(ports: Ports) -> Ports:
    return dict(zip(ports, np.broadcast_arrays(*ports.values()), strict=True))


def _rows(ports: Ports, names: Iterable[str]) -> np.ndarray:
    """One row a vector, one column a port."""
    columns = _columns(ports)
    return np.stack([columns[name] for name in names], axis=1).astype(np.uint32)
