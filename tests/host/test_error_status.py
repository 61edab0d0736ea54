"""`ErrorStatus`: what has gone wrong stays."""

import pytest

from vc4.host.error_status import ErrorStatus
from vc4.regs.diagnostics import live_fields
from vc4.regs.table import register

NAMES = [field.name for field in live_fields(register("ERRSTAT"))]


@pytest.mark.parametrize("name", NAMES)
def test_an_error_is_kept_and_a_state_is_not(simulate, name):
    dut = ErrorStatus()

    async def bench(ctx):
        for come, flags in ((0, 0), (1, 0), (0, 1), (0, name != "VCDI")):
            ctx.set(dut.come[name], come)
            assert [one for one in NAMES if ctx.get(dut.status[one])] == [name] * flags
            await ctx.tick()

    simulate(dut, bench)
