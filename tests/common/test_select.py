"""The multiplexer tree."""

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator

from vc4.common.select import select


@pytest.mark.parametrize("bits", [1, 2, 3, 6])
def test_every_index_chooses_its_value(bits):
    m = Module()
    index, chosen = Signal(bits), Signal(16)
    values = [Signal(16, init=1000 + 7 * number) for number in range(1 << bits)]
    m.d.comb += chosen.eq(select(index, values))

    async def testbench(ctx):
        for number in range(1 << bits):
            ctx.set(index, number)
            assert ctx.get(chosen) == 1000 + 7 * number

    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()


def test_a_wrong_number_of_values_is_refused():
    with pytest.raises(ValueError, match="an index of 2 bits chooses one of 4 values, not of 3"):
        select(Signal(2), [0, 1, 2])
