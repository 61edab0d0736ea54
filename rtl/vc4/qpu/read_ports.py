"""The two read ports: register files, I/O reads and small immediates, RA to RU."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select
from vc4.config import MAX_QPUS
from vc4.isa.immediates import SMALL_IMMEDIATES
from vc4.isa.registers import ELEMENTS, FILE_REGISTERS, QUADS, read_address

from .control import Control
from .structs import LANES, LaneWords

__all__ = ["PortValues", "ReadPorts"]


class PortValues(data.Struct):
    """What both ports deliver for one quad."""

    a: LaneWords
    b: LaneWords


class ReadPorts(wiring.Component):
    """Chooses what each port delivers: a register, an I/O value, a small immediate, or its last quad again.

    The output registers are clocked only by an instruction that reads, so that a port which reads nothing goes on showing
    elements 12 to 15 of the last value read on it (addendum, "secret access"). Addresses that name nothing read the
    element number on port A and the QPU number on port B, which is also what the registers that only wait deliver.

    Interface attributes
    --------------------
    number : of this QPU
    ra_control, ra_live, ra_quad : the instruction in RA
    ra_uniform, ra_store_busy, ra_load_busy : the uniform it takes, and whether a DMA store or load is under way
    ra_vector : a quad of the vector that it takes
    ra_fragments : what it reads of fragments, or'ed with the rest; else 0
    ra2_varying : a quad of the varying that it takes, one clock later
    ra2_files : the registers read for it, one clock later
    ru_values : both ports, in RU
    """

    number: In(range(MAX_QPUS))
    ra_control: In(Control)
    ra_live: In(1)
    ra_quad: In(range(QUADS))
    ra_uniform: In(32)
    ra_store_busy: In(1)
    ra_load_busy: In(1)
    ra_vector: In(LaneWords)
    ra_fragments: In(PortValues)
    ra2_varying: In(LaneWords)
    ra2_files: In(PortValues)
    ru_values: Out(PortValues)

    def elaborate(self, platform):
        m = Module()
        control = self.ra_control
        elements = [Cat(C(lane, 2), self.ra_quad) for lane in range(LANES)]
        columns, rows = [lane & 1 for lane in range(LANES)], [lane >> 1 for lane in range(LANES)]
        immediate = control.b_immediate
        loads, stores = self.ra_load_busy, self.ra_store_busy
        self._port(m, "a", control.read_a, control.raddr_a, Const(0), loads, 0, elements, "x_coord", columns)
        same = [0] * LANES
        self._port(m, "b", control.read_b, control.raddr_b, immediate, stores, self.number, same, "y_coord", rows)
        return m

    def _port(self, m, name, reads, address, is_immediate, busy, number, numbers, coordinate, coordinates):
        """One port; an I/O value is a part `shared` by all lanes, or'ed with a few bits of each lane."""
        shared = Signal(32, name=f"ra_shared_{name}")
        from_vpm = Signal(name=f"ra_from_vpm_{name}")
        varies = Signal(name=f"ra_varies_{name}")
        lane_bits = [Signal(range(ELEMENTS), name=f"ra_lane_{name}_{lane}") for lane in range(LANES)]
        with m.If(is_immediate):
            m.d.comb += shared.eq(select(address, [Const(value, 32) for value in SMALL_IMMEDIATES]))
        with m.Elif(address == read_address("unif")):
            m.d.comb += shared.eq(self.ra_uniform)
        with m.Elif(address == read_address("vw_busy")):
            m.d.comb += shared.eq(busy)
        with m.Elif(address == read_address("vpm")):
            m.d.comb += from_vpm.eq(1)
        with m.Elif(address == read_address("vary")):
            m.d.comb += varies.eq(1)
        with m.Elif(address == read_address("ms_mask")):
            pass  # it comes by itself
        with m.Elif(address == read_address(coordinate)):
            m.d.comb += Cat(lane_bits).eq(Cat(C(value, len(lane_bits[0])) for value in coordinates))
        with m.Else():
            m.d.comb += [shared.eq(number), *(bits.eq(value) for bits, value in zip(lane_bits, numbers, strict=True))]

        ra2_reads = Signal(name=f"ra2_reads_{name}")
        ra2_is_io = Signal(name=f"ra2_is_io_{name}")
        ra2_varies = Signal(name=f"ra2_varies_{name}")
        m.d.sync += ra2_varies.eq(varies)
        m.d.sync += [ra2_reads.eq(reads & self.ra_live), ra2_is_io.eq(is_immediate | (address >= FILE_REGISTERS))]
        for lane, bits in enumerate(lane_bits):
            ra2_io = Signal(32, name=f"ra2_io_{name}_{lane}")
            # By itself, as most bits of the other are one register for all lanes; and zero unless it is what is read, so that
            # both and the register file fit into one LUT a bit.
            ra2_vector = Signal(32, name=f"ra2_vector_{name}_{lane}")
            m.d.sync += [
                ra2_io.eq(shared | bits),
                ra2_vector.eq(Mux(from_vpm, self.ra_vector[lane], 0) | self.ra_fragments[name][lane]),
            ]
            with m.If(ra2_reads):
                varying = self.ra2_varying[lane] & ra2_varies.replicate(32)
                value = Mux(ra2_is_io, ra2_io | ra2_vector | varying, self.ra2_files[name][lane])
                m.d.sync += self.ru_values[name][lane].eq(value)
