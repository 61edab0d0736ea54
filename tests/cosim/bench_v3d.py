"""`V3DAxi` between the AXI4-Lite master and the AXI4 slave of cocotbext-axi: what a driver does, against what must come."""

import random
import struct

import cocotb
from cocotb.triggers import RisingEdge, with_timeout
from streams import start
from system import System

from vc4.config import preset
from vc4.l2c.structs import LINE_BYTES
from vc4.regs.table import register
from vc4sim.asm import assemble
from vc4sim.model.arith.sfu import recip

#: Memory ends there: after it everything is an error.
SIZE = 0x8000
CODE, UNIFORMS, OUTPUT = 0x1000, 0x2000, 0x4000
OUTSIDE = 0x10_0040
ROW_BYTES = 64
#: Stores 1/(n + a uniform), n being the number of the element, to where the next uniform says; then interrupts the host.
PROGRAM = """
itof r0, elem_num
fadd sfu_recip, r0, unif
ldi vw_setup, 0x1a00
nop
mov vpm, r4
ldi vw_setup, 0x80904000
mov vw_addr, unif
read vw_wait
mov irq, 1
thrend
nop
nop
"""


def float_bits(value):
    return int.from_bytes(struct.pack("<f", value), "little")


class Driver(System):
    """Runs the program for somebody."""

    def __init__(self, dut):
        super().__init__(dut, random.randbytes(SIZE))
        code = assemble(PROGRAM).code
        self.memory[CODE : CODE + len(code)] = code

    async def begin(self):
        """The reset, and what a driver does once."""
        await start(self.dut)
        await self.write("VPMBASE", 16)
        await self.write("DBCFG", 1)
        await self.write("DBQITE", 1)

    async def ask(self, first, output, *, place=UNIFORMS, code=CODE):
        """Asks for a run of the program."""
        self.memory[place : place + 8] = struct.pack("<fI", first, output)
        await self.write("SLCACTL", 0x0F0F)
        await self.write("L2CACTL", 0b100)
        await self.write("SRQUA", place)
        await self.write("SRQPC", code)

    async def completed(self, count):
        """Waits until so many programs have ended, modulo 256."""
        for _ in range(200):
            status = await self.read("SRQCS")
            if status >> 16 & 0xFF == count:
                assert status & 0xFF == 0, "none waits, and none was refused"
                return
        raise AssertionError(f"SRQCS stays {status:#x}")

    def check_output(self, first, output):
        wanted = [recip(float_bits(first + element)) for element in range(ROW_BYTES // 4)]
        assert list(struct.unpack("<16I", self.memory[output : output + ROW_BYTES])) == wanted

    async def rises(self):
        """Waits for the interrupt."""

        async def wait():
            while not self.dut.irq.value:
                await RisingEdge(self.dut.clk)

        await with_timeout(wait(), 20, "us")


@cocotb.test()
async def a_driver_runs_programs(dut):
    """It identifies the GPU, starts a program, polls, and finds the output in memory and nothing else changed."""
    system = Driver(dut)
    await system.begin()
    names = ("IDENT0", "IDENT1", "IDENT2")
    assert [await system.read(name) for name in names] == [register(name).reset_in(preset("qpu")) for name in names]
    await system.ask(1.0, OUTPUT)
    before = bytes(system.memory[:])
    await system.completed(1)
    system.check_output(1.0, OUTPUT)
    system.memory[OUTPUT : OUTPUT + ROW_BYTES] = before[OUTPUT : OUTPUT + ROW_BYTES]
    assert bytes(system.memory[:]) == before
    for number in range(3):
        await system.ask(3.5 * number + 1, OUTPUT + 0x300 * number, place=UNIFORMS + 8 * number)
    await system.completed(4)
    for number in range(3):
        system.check_output(3.5 * number + 1, OUTPUT + 0x300 * number)
    assert await system.read("XBUSERR") == 0


@cocotb.test()
async def a_program_interrupts_the_host(dut):
    system = Driver(dut)
    await system.begin()
    assert not dut.irq.value
    await system.ask(2.0, OUTPUT)
    await system.rises()
    assert await system.read("DBQITC") == 1
    system.check_output(2.0, OUTPUT)
    await system.write("DBQITC", 1)
    assert (int(dut.irq.value), await system.read("DBQITC")) == (0, 0)


@cocotb.test()
async def a_store_that_memory_refuses_is_flagged(dut):
    """The program ends all the same, and so do the next ones."""
    system = Driver(dut)
    await system.begin()
    await system.write("DBQITE", 0)
    await system.write("XBUSENA", 1)
    await system.ask(1.0, OUTSIDE)
    await system.rises()
    assert (await system.read("XBUSERR"), await system.read("XBUSADR")) == (1, OUTSIDE)
    await system.completed(1)
    await system.write("XBUSERR", 1)
    assert (int(dut.irq.value), await system.read("XBUSERR")) == (0, 0)
    await system.ask(5.0, OUTPUT)
    await system.completed(2)
    system.check_output(5.0, OUTPUT)
    assert (int(dut.irq.value), await system.read("XBUSERR")) == (0, 0)


@cocotb.test()
async def a_program_that_memory_does_not_have_is_flagged(dut):
    """It never ends, but the host reaches everything, and a reset helps."""
    system = Driver(dut)
    await system.begin()
    await system.write("XBUSENA", 1)
    await system.ask(1.0, OUTPUT, code=OUTSIDE)
    await system.rises()
    # The line after it is read ahead, and may be refused first.
    assert await system.read("XBUSADR") in (OUTSIDE, OUTSIDE + LINE_BYTES)
    assert await system.read("SRQCS") == 1 << 8, "one was asked for, none has ended"
    await system.begin()
    assert (int(dut.irq.value), await system.read("XBUSERR"), await system.read("SRQCS")) == (0, 0, 0)
    await system.ask(1.5, OUTPUT)
    await system.completed(1)
    system.check_output(1.5, OUTPUT)
