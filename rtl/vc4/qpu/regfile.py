"""One physical register file."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam
from vc4.isa.registers import FILE_REGISTERS, QUADS

from .structs import LANES, LaneWords

__all__ = ["Regfile"]


class Regfile(wiring.Component):
    """Thirty-two registers of four quads in block RAM; one quad is read and one written a clock.

    RA gives the address, RA2 has the data. A read in the clock of a write to the same place gives the old value; the
    pipeline never does so, as reads and writes of a quad fall into different clocks of a slot.

    Interface attributes
    --------------------
    ra_register, ra_quad : what is read
    ra2_data : one clock later
    wb_register, wb_quad, wb_data, wb_enables : what is written, one enable bit a byte
    """

    ra_register: In(range(FILE_REGISTERS))
    ra_quad: In(range(QUADS))
    ra2_data: Out(LaneWords)
    wb_register: In(range(FILE_REGISTERS))
    wb_quad: In(range(QUADS))
    wb_data: In(LaneWords)
    wb_enables: In(4 * LANES)

    def elaborate(self, platform):
        m = Module()
        m.submodules.ram = ram = BlockRam(32 * LANES, FILE_REGISTERS * QUADS, granularity=8, exclusive=True)
        m.d.comb += [
            ram.read_address.eq(Cat(self.ra_quad, self.ra_register)),
            ram.read_enable.eq(1),
            self.ra2_data.as_value().eq(ram.read_data),
            ram.write_address.eq(Cat(self.wb_quad, self.wb_register)),
            ram.write_data.eq(self.wb_data),
            ram.write_enable.eq(self.wb_enables),
        ]
        return m
