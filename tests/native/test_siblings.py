"""Siblings side by side: hardware whose instances differ in a number does what it does in Amaranth's simulator."""

import random

import pytest
from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam
from vc4sim.native import build
from vc4sim.native.siblings import join_siblings

from ..cxxrtl.random_hardware import IN_BITS, OUT_BITS
from .test_hardware import CLOCKS, compiled, expected

pytestmark = pytest.mark.usefixtures("compiler")


class Lane(wiring.Component):
    """Mixes what it is given with what it has, in registers and in a memory."""

    i: In(16)
    before: In(16)
    o: Out(16)
    after: Out(16)

    def __init__(self, number):
        self._number = number
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.ram = ram = BlockRam(16, 4)
        held, turned = Signal(16, init=self._number), Signal(16)
        m.d.comb += [
            turned.eq(Mux(self.i[0], held.rotate_left(3), ~held) ^ (self.i + (held >> 2))),
            *(ram.write_address.eq(held), ram.write_data.eq(turned), ram.write_enable.eq(self.i[1])),
            *(ram.read_address.eq(turned), ram.read_enable.eq(1)),
            self.o.eq(held ^ ram.read_data),
            self.after.eq(self.before + turned),
        ]
        m.d.sync += held.eq(turned + self.i * 3 + 1)
        return m


class Lanes(wiring.Component):
    """Several of them, in a chain and with inputs of their own."""

    i: In(IN_BITS)
    o: Out(OUT_BITS)

    def __init__(self, count):
        self._count = count
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        found, before = [], self.i[:16]
        for number in range(self._count):
            m.submodules[f"lane_{number}"] = lane = Lane(number)
            m.d.comb += [lane.i.eq(self.i.rotate_left(5 * number)), lane.before.eq(before)]
            before = lane.after
            found.append(lane.o)
        m.d.comb += self.o.eq(Cat(*found, before))
        return m


@pytest.mark.parametrize("lanes", [1, pytest.param(4, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("count", [4, *(pytest.param(count, marks=pytest.mark.thorough) for count in (2, 3, 5))])
def test_siblings(count, lanes, tmp_path, monkeypatch):
    """Three and more are put side by side, whatever depends on the sibling before is not."""
    joined, registers = set(), []

    def note(design, phases, lanes):
        join_siblings(design, phases, lanes)
        joined.update(design.wide.values())
        registers.extend(register for register in design.registers if register.name in design.wide)

    monkeypatch.setattr(build, "join_siblings", note)
    rng = random.Random(count)
    inputs = [[rng.getrandbits(IN_BITS) for _ in range(lanes)] for _ in range(CLOCKS)]
    outputs, failure = compiled(Lanes(count), inputs, lanes, tmp_path)
    assert failure is None
    for lane in range(lanes):
        assert outputs[lane] == expected(Lanes(count), [clock[lane] for clock in inputs])
    fits = count >= 3 and count * lanes <= 16
    assert joined == ({count} if fits else set())
    assert bool(registers) == fits
