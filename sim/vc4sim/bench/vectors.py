"""Test vectors: streams them through a device, one a clock, and compares.

Python prepares the vectors and reads one report; no clock of the simulation runs in Python code of ours. In Amaranth's simulator the
bench is hardware; around native code, a thousand times faster, it is C++.
"""

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from amaranth import *
from amaranth.back import rtlil
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Out
from amaranth.sim import Simulator
from amaranth.utils import ceil_log2

from ..cxxrtl.build import Part, build_once
from ..native.build import build_alone, flags, source_texts

__all__ = ["Compiled", "Report", "simulate"]

#: Values of each port, at most 32 bits, one a clock; a scalar is the same in all clocks.
Ports = dict[str, np.ndarray]

#: Runs `count` vectors and reports mismatches, index of the first one, and what was got there. `give` gives the device a row of
#: inputs, and `take` takes one of outputs. A check of the hardware that fails ends the run, and is returned.
_DRIVER = """
#include <memory>
extern "C" const char *run(const Row *stimuli, const Got *expected, uint32_t count, uint32_t latency, uint32_t *report) {
    const auto device = std::make_unique<design::Design>();
    for (uint32_t clock = 0; clock < count + latency; clock++) {
        if (clock < count)
            give(*device, stimuli[clock]);
        device->settle(0);
        if (clock >= latency) {
            const Got got = take(*device);
            if (got != expected[clock - latency] && !report[0]++) {
                report[1] = clock - latency;
                std::copy(got.begin(), got.end(), report + 2);
            }
        }
        if (const char *failure = device->failure())
            return failure;
        device->commit();
    }
    return nullptr;
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


class _Bench(wiring.Component):
    """Feeds a device from one memory and compares it with another one, a vector a clock.

    Parameters
    ----------
    device : the component under test, elaborated inside
    stimuli, expected : at its inputs and outputs
    latency : clocks from inputs to outputs; 0 if the device is combinational

    Interface attributes
    --------------------
    done : all are compared
    mismatches : vectors that differ so far
    first, got : index and outputs of the first one of them, each output in a word of 32 bits
    """

    def __init__(self, device: wiring.Component, stimuli: Ports, expected: Ports, *, latency: int):
        self._device = device
        self._inputs, self._outputs = list(stimuli), list(expected)
        self._latency = latency
        rows, wanted = _rows(stimuli, stimuli), _rows(expected, expected)
        self.count = len(rows)
        depth = 1 << ceil_log2(self.count)  # no address is out of bounds
        self._stimuli, self._expected = (
            Memory(shape=data.ArrayLayout(32, words.shape[1]), depth=depth, init=words.tolist())
            for words in (rows, wanted)
        )
        super().__init__({"done": Out(1), "mismatches": Out(32), "first": Out(32), "got": Out(32 * len(self._outputs))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.device = device = self._device
        m.submodules.stimuli, m.submodules.expected = self._stimuli, self._expected
        stimulus, expected = self._stimuli.read_port(), self._expected.read_port()

        # A stimulus is there one clock after its address, its result `latency` clocks after that.
        clock = Signal(32)
        row = Signal(32)
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
    bench = _Bench(device, stimuli, expected, latency=latency)
    simulator = Simulator(bench)
    simulator.add_clock(1e-6)
    report = []

    async def run(ctx):
        # Not `repeat`, which cannot be left where a check of the hardware fails.
        for _ in range(bench.count + latency + 1):
            await ctx.tick()
        assert ctx.get(bench.done)
        report.extend(ctx.get(port) for port in (bench.mismatches, bench.first, bench.got))

    simulator.add_testbench(run)
    simulator.run()
    mismatches, first, got = report
    return Report(mismatches, first, {name: got >> 32 * word & 0xFFFF_FFFF for word, name in enumerate(expected)})


class Compiled:
    """A device as native code, compiled once, for any number of runs.

    Parameters
    ----------
    device : the component under test
    inputs, outputs : names of its ports, at most 32 bits each
    latency : clocks from inputs to outputs
    folder : where the library is kept

    Raises `NoCompiler` without a C++ compiler.
    """

    def __init__(self, device, inputs, outputs, *, latency: int, folder: Path):
        self._inputs, self._outputs, self._latency = list(inputs), list(outputs), latency
        text, driver = rtlil.convert(device, emit_src=False), _rows_text(inputs, outputs) + _DRIVER
        made_of = [text, driver, flags(), *source_texts()]
        self._run = build_once(made_of, lambda: build_alone(Part(text), 1, driver, folder), folder).run
        self._run.restype = ctypes.c_char_p

    def run(self, stimuli: Ports, expected: Ports) -> Report:
        """Run the vectors, from the state after power-on. Raises `AssertionError` if a check of the hardware fails."""
        rows, wanted = _rows(stimuli, self._inputs), _rows(expected, self._outputs)
        report = np.zeros(2 + len(self._outputs), np.uint32)
        failure = self._run(
            *(array.ctypes.data_as(ctypes.c_void_p) for array in (rows, wanted)),
            *map(ctypes.c_uint32, (len(rows), self._latency)),
            report.ctypes.data_as(ctypes.c_void_p),
        )
        if failure:
            raise AssertionError(failure.decode())
        mismatches, first, *got = report.tolist()
        return Report(mismatches, first, dict(zip(self._outputs, got, strict=True)))


def _rows_text(inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """C++ of rows of ports."""
    gives = "".join(f"    design_ports::{name}(device, {{row[{at}]}});\n" for at, name in enumerate(inputs))
    takes = ", ".join(f"design_ports::{name}({{device, 0}})[0]" for name in outputs)
    return f"""
using Row = std::array<uint32_t, {len(inputs)}>;
using Got = std::array<uint32_t, {len(outputs)}>;
static void give(design::Design &device, const Row &row) {{
{gives}}}
static Got take(design::Design &device) {{ return {{{takes}}}; }}
"""


def _columns(ports: Ports) -> Ports:
    return dict(zip(ports, np.broadcast_arrays(*ports.values()), strict=True))


def _rows(ports: Ports, names: Iterable[str]) -> np.ndarray:
    """One row a vector, one column a port."""
    columns = _columns(ports)
    return np.stack([columns[name] for name in names], axis=1).astype(np.uint32)
