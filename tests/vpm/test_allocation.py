"""`allocation` against tables 69 and 70 of the guide."""

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import data
from amaranth.sim import Simulator

from vc4.regs.table import register
from vc4.vpm.allocation import VpmAllocation, allocation


def fields_of(name):
    return data.StructLayout({field.name: field.width for field in register(name).fields})


@pytest.mark.parametrize("code", range(8))
def test_units(code):
    base, control, made = Signal(fields_of("VPMBASE")), Signal(fields_of("VPACNTL")), Signal(VpmAllocation)
    m = Module()
    m.d.comb += [made[name].eq(value) for name, value in allocation(base, control).items()]
    waits = [2, 4, 6, 8, 10, 16, 24, 32][code]

    async def bench(ctx):
        ctx.set(base.VPMURSV, 4 * code + 3)
        ctx.set(control.VPARALIM, code)
        ctx.set(control.VPABALIM, 7 - code)
        ctx.set(control.VPARATO, code)
        ctx.set(control.VPALIMEN, code % 2)
        ctx.set(control.VPATOEN, 1 - code % 2)
        await ctx.delay(1e-9)
        found = ctx.get(made)
        assert found.user_rows * 64 == (4 * code + 3) * 256
        assert found.rendering_rows * 64 == (code + 1) * 6 * 256
        assert found.binning_rows * 64 == (8 - code) * 6 * 256
        assert (found.rendering_waits, found.binning_waits) == (waits, 2)
        assert (found.limited, found.timed) == (code % 2, 1 - code % 2)

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
