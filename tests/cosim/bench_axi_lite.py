"""The registers behind `AxiLite`, with the AXI4-Lite master of cocotbext-axi."""

import random

import cocotb
from cocotb.triggers import with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from streams import pause, start

from vc4.config import V3DConfig
from vc4.regs.table import register

CONFIG = V3DConfig()
HELD = [register(name).offset for name in ("SCRATCH", "BPOA", "SRQUA")]


async def master(dut):
    """A master that pauses on all channels, after a reset."""
    axi = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
    pause(axi.write_if, "aw", "w", "b")
    pause(axi.read_if, "ar", "r")
    await start(dut)
    return axi


@cocotb.test()
async def what_is_written_is_read(dut):
    axi = await master(dut)
    held = dict.fromkeys(HELD, 0)
    for _ in range(100):
        address = random.choice(HELD)
        held[address] = random.getrandbits(32)
        written = await with_timeout(axi.write(address, held[address].to_bytes(4, "little")), 100, "us")
        assert written.resp == AxiResp.OKAY
        for place in HELD:
            found = await with_timeout(axi.read(place, 4), 100, "us")
            assert (int.from_bytes(found.data, "little"), found.resp) == (held[place], AxiResp.OKAY)


@cocotb.test()
async def many_accesses_are_under_way(dut):
    axi = await master(dut)
    reads = [axi.init_read(4 * (number % 2), 4) for number in range(40)]
    writes = [axi.init_write(HELD[0], number.to_bytes(4, "little")) for number in range(40)]
    for event in (*reads, *writes):
        await with_timeout(event.wait(), 100, "us")
    words = [int.from_bytes(event.data.data, "little") for event in reads]
    assert words == [0x02443356, register("IDENT1").reset_in(CONFIG)] * 20
    assert int.from_bytes((await axi.read(HELD[0], 4)).data, "little") == 39


@cocotb.test()
async def a_part_of_a_word_is_refused(dut):
    axi = await master(dut)
    await axi.write(HELD[0], b"\x11\x22\x33\x44")
    for offset in range(4):
        refused = await with_timeout(axi.write(HELD[0] + offset, b"\xff"), 100, "us")
        assert refused.resp == AxiResp.SLVERR
        assert (await axi.read(HELD[0], 4)).data == b"\x11\x22\x33\x44"
