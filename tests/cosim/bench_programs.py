"""`V3DAxi` runs programs between a host and a memory that pause; `COSIM_WORKLOAD` is a file with the pickled `Workload`."""

import os
import pickle
from pathlib import Path

import cocotb
from cocotb.triggers import ClockCycles
from streams import start
from system import System

from vc4sim.bench.driver import setup_writes, start_writes

#: Reads of SRQCS after which the programs have had their time, and then clocks that their stores have.
POLLS = 5000


@cocotb.test()
async def they_leave_what_is_expected(dut):
    workload = pickle.loads(Path(os.environ["COSIM_WORKLOAD"]).read_bytes())
    system = System(dut, workload.image, workload.base)
    await start(dut)
    for offset, word in (*setup_writes(()), *start_writes(workload.launches)):
        await system.write_at(offset, word)
    for _ in range(POLLS):
        found = await system.read("SRQCS")
        if found >> 16 & 0xFF == len(workload.launches):
            break
    else:
        raise AssertionError(f"SRQCS stays {found:#x}")
    for _ in range(POLLS):  # No program has to wait for its stores.
        differences = workload.differences(bytes(system.memory[workload.base :]))
        if not differences:
            break
        await ClockCycles(dut.clk, 1)
    assert not differences
