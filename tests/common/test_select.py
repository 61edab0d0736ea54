"""The multiplexer tree and the chain."""

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator

from vc4.common.select import select, select_by_keys, select_keys, select_registered


def by_keys(index, values):
    return select_by_keys(select_keys(index), values)


@pytest.mark.parametrize("choose", [select, by_keys])
@pytest.mark.parametrize("bits", [1, 2, 3, pytest.param(6, marks=pytest.mark.thorough)])
def test_every_index_chooses_its_value(bits, choose):
    m = Module()
    index, chosen = Signal(bits), Signal(16)
    values = [Signal(16, init=1000 + 7 * number) for number in range(1 << bits)]
    m.d.comb += chosen.eq(choose(index, values))

    async def testbench(ctx):
        for number in range(1 << bits):
            ctx.set(index, number)
            assert ctx.get(chosen) == 1000 + 7 * number

    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()


def test_an_index_of_fewer_values():
    m = Module()
    index, chosen = Signal(3), Signal(16)
    values = [Signal(16, init=1000 + 7 * number) for number in range(6)]
    m.d.comb += chosen.eq(select_by_keys(select_keys(index, len(values)), values))

    async def testbench(ctx):
        for number in range(6):
            ctx.set(index, number)
            assert ctx.get(chosen) == 1000 + 7 * number

    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()


def test_a_wrong_number_of_values_is_refused():
    with pytest.raises(ValueError, match="an index of 2 bits chooses one of 4 values, not of 3"):
        select(Signal(2), [0, 1, 2])
    with pytest.raises(ValueError, match="3 keys choose one of 4 values, not of 3"):
        select_by_keys(Signal(3), [0, 1, 2])


def test_a_choice_of_the_clock_before():
    """Of two words, byte by byte; while it is not told to, it stays."""
    m = Module()
    words, chosen, when, out = [Signal(16), Signal(16)], [Signal(2), Signal(2)], Signal(), Signal(16)
    m.d.comb += out.eq(select_registered(m, "kept", list(zip(words, chosen, strict=True)), when=when))

    async def testbench(ctx):
        ctx.set(words[0], 0x1122)
        ctx.set(words[1], 0x3344)
        for first, second, enable, expected in [
            (0b11, 0b00, 1, 0x1122),
            (0b01, 0b10, 1, 0x3322),
            (0b11, 0b00, 0, 0x3322),
            (0b00, 0b01, 1, 0x0044),
            (0b00, 0b00, 1, 0),
        ]:
            ctx.set(chosen[0], first)
            ctx.set(chosen[1], second)
            ctx.set(when, enable)
            await ctx.tick()
            assert ctx.get(out) == expected

    simulator = Simulator(m)
    simulator.add_clock(1e-8)
    simulator.add_testbench(testbench)
    simulator.run()
