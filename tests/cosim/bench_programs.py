"""`V3DAxi` runs programs between a host and a memory that pause; `COSIM_WORKLOAD` is a file with the pickled `Workload`."""

import os
import pickle
from pathlib import Path

import cocotb
from cocotb.triggers import with_timeout
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiResp, AxiSlave, MemoryRegion
from streams import pause, start

from vc4.regs.table import register
from vc4sim.bench.driver import setup_writes, start_writes

#: Reads of SRQCS after which the programs have had their time.
POLLS = 5000


@cocotb.test()
async def they_leave_what_is_expected(dut):
    workload = pickle.loads(Path(os.environ["COSIM_WORKLOAD"]).read_bytes())
    memory = MemoryRegion(workload.base + len(workload.image))
    memory[workload.base :] = workload.image
    slave = AxiSlave(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, target=memory)
    host = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
    for side in (slave, host):
        pause(side.write_if, "aw", "w", "b")
        pause(side.read_if, "ar", "r")
    await start(dut)
    for offset, word in (*setup_writes(()), *start_writes(workload.launches)):
        written = await with_timeout(host.write(offset, word.to_bytes(4, "little")), 10, "us")
        assert written.resp == AxiResp.OKAY
    for _ in range(POLLS):
        found = await with_timeout(host.read(register("SRQCS").offset, 4), 10, "us")
        if found.data[2] == len(workload.launches):
            break
    else:
        raise AssertionError(f"SRQCS stays {found.data.hex()}")
    assert not workload.differences(bytes(memory[workload.base :]))
