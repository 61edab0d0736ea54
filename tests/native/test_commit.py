"""The end of a clock: registers that are taken over together, and reset together, are what they are in Amaranth's simulator."""

import random

import pytest
from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4sim.native import code

from ..cxxrtl.random_hardware import IN_BITS, OUT_BITS
from .test_hardware import CLOCKS, compiled, expected

COUNT = 9
pytestmark = pytest.mark.usefixtures("compiler")


class Shifted(wiring.Component):
    """A chain of registers, each with a value of its own after a reset."""

    i: In(IN_BITS)
    o: Out(OUT_BITS)

    def elaborate(self, platform):
        m = Module()
        chain = [Signal(13, name=f"held_{number}", init=number) for number in range(COUNT)]
        for before, held in zip((self.i, *chain), chain, strict=False):
            m.d.sync += held.eq(before.rotate_left(1))
        m.d.comb += self.o.eq(Cat(chain))
        return m


@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_registers(lanes, tmp_path, monkeypatch):
    banks, resets = [], set()

    def note(design, *rest):
        banks.extend(found := code_banks(design, *rest))
        resets.update(register.reset for register in design.registers)
        return found

    code_banks = code.banks_of
    monkeypatch.setattr(code, "banks_of", note)
    rng = random.Random(lanes)
    inputs = [[rng.getrandbits(IN_BITS) for _ in range(lanes)] for _ in range(CLOCKS)]
    outputs, failure = compiled(Shifted(), inputs, lanes, tmp_path)
    assert failure is None
    for lane in range(lanes):
        assert outputs[lane] == expected(Shifted(), [clock[lane] for clock in inputs])
    # One variable resets all; so many lanes are wide enough without a bank.
    assert len(resets) == 1
    assert "" not in resets
    assert [len(bank.names) for bank in banks] == ([COUNT] if lanes < 4 else [])
