"""`V3DAxi` between a host and a memory of cocotbext-axi, all of which pause at random."""

from cocotb.triggers import with_timeout
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiResp, AxiSlave, MemoryRegion
from streams import pause

from vc4.regs.table import register

__all__ = ["System"]


class System:
    """The GPU, its host and its memory, with `image` from address `base` on."""

    def __init__(self, dut, image, base=0):
        self.dut = dut
        self.memory = MemoryRegion(base + len(image))
        self.memory[base:] = image
        slave = AxiSlave(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, target=self.memory)
        self.host = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        for side in (slave, self.host):
            pause(side.write_if, "aw", "w", "b")
            pause(side.read_if, "ar", "r")

    async def read(self, name):
        """The word of a register."""
        found = await with_timeout(self.host.read(register(name).offset, 4), 10, "us")
        assert found.resp == AxiResp.OKAY
        return int.from_bytes(found.data, "little")

    async def write(self, name, word):
        """Writes a register."""
        await self.write_at(register(name).offset, word)

    async def write_at(self, offset, word):
        """The same by its offset."""
        written = await with_timeout(self.host.write(offset, word.to_bytes(4, "little")), 10, "us")
        assert written.resp == AxiResp.OKAY
