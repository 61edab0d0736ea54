"""`V3DAxi` draws a frame for a host that waits for interrupts.

`COSIM_WORKLOAD` is a file with the pickled `DrawJob` and the memory that the model leaves.
"""

import os
import pickle
from pathlib import Path

import cocotb
from cocotb.triggers import RisingEdge, with_timeout
from streams import start
from system import System

from vc4.host.error_status import STATES
from vc4.regs.table import register
from vc4sim.render.host import BEGINNING, FLUSH_DONE, FRAME_DONE, OUT_OF_MEMORY

#: Names of the registers that have errors, and which bits of them are that.
ERRORS = {
    name: sum(field.mask for field in register(name).fields if field.name not in STATES)
    for name in ("ERRSTAT", "XBUSERR")
}


class Driver(System):
    """Draws the frame of a job."""

    def __init__(self, dut, job):
        super().__init__(dut, job.image)
        self.job = job

    async def draw(self):
        """Starts the lists, and does what each interrupt asks for; returns them in their order."""
        for name, word in (*BEGINNING, *self.job.registers):
            await self.write(name, word)
        blocks, came = iter(self.job.overspill), []
        while FRAME_DONE not in came:
            if not self.dut.irq.value:
                await with_timeout(RisingEdge(self.dut.irq), 2, "ms")
            pending = await self.read("INTCTL")
            came += [bit for bit in (FLUSH_DONE, FRAME_DONE, OUT_OF_MEMORY) if pending & bit]
            if pending & OUT_OF_MEMORY:
                address, size = next(blocks)
                await self.write("BPOA", address)
                await self.write("BPOS", size)
            await self.write("INTCTL", pending)
        return came


@cocotb.test()
async def all_memory_is_what_the_model_leaves(dut):
    job, expected = pickle.loads(Path(os.environ["COSIM_WORKLOAD"]).read_bytes())
    driver = Driver(dut, job)
    await start(dut)
    came = await driver.draw()
    memory = bytes(driver.memory[:])
    different = [at for at in range(len(memory)) if memory[at] != expected[at]]
    assert not different, f"{len(different)} bytes, from {different[0]:#x} on"
    assert came == [FLUSH_DONE, FRAME_DONE]
    assert not dut.irq.value
    errors = [await driver.read(name) & bits for name, bits in ERRORS.items()]
    counts = [await driver.read(name) for name in ("INTCTL", "BFC", "RFC")]
    assert (errors, counts) == ([0, 0], [0, 1, 1])
