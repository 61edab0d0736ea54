"""The two read ports: register files, I/O reads and small immediates, RA to RU."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select
from vc4.config import MAX_QPUS
from vc4.isa.immediates import SMALL_IMMEDIATES
from vc4.isa.registers import ELEMENTS, FILE_REGISTERS, QUADS, read_address
from vc4.tlb.structs import QuadFlags

from .control import Control
from .structs import LANES, LaneWords

__all__ = ["FragmentValues", "PortValues", "ReadPorts"]


class PortValues(data.Struct):
    """What both ports deliver for one quad."""

    a: LaneWords
    b: LaneWords


class FragmentValues(data.Struct):
    """What both ports show of the fragments of a quad. A program without fragments has zeros.

    words : what goes into registers with the first slot of a program; else 0
    x, y : of pixel 0, both even
    """

    words: PortValues
    x: unsigned(32)
    y: unsigned(32)
    flags: QuadFlags
    back: unsigned(1)


class ReadPorts(wiring.Component):
    """Chooses what each port delivers: a register, an I/O value, a small immediate, or its last quad again.

    The output registers are clocked only by an instruction that reads, so that a port which reads nothing goes on showing
    elements 12 to 15 of the last value read on it (addendum, "secret access"). Addresses that name nothing read the
    element number on port A and the QPU number on port B, which is also what the registers that only wait deliver.

    Parameters
    ----------
    fragments : there are fragments

    Interface attributes
    --------------------
    number : of this QPU
    ra_control, ra_live, ra_quad : the instruction in RA
    ra_uniform, ra_store_busy, ra_load_busy : the uniform it takes, and whether a DMA store or load is under way
    ra_vector : a quad of the vector that it takes
    ra_fragments : of its quad
    ra2_varyings : for each port a quad of the varying that it takes, one clock later; or 0, if the port does not show it
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
    ra_fragments: In(FragmentValues)
    ra2_varyings: In(PortValues)
    ra2_files: In(PortValues)
    ru_values: Out(PortValues)

    def __init__(self, *, fragments: bool = False):
        self._fragments = fragments
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        control, fragments = self.ra_control, self.ra_fragments
        elements = [Cat(C(lane, 2), self.ra_quad) for lane in range(LANES)]
        columns, rows = [lane & 1 for lane in range(LANES)], [lane >> 1 for lane in range(LANES)]
        immediate = control.b_immediate
        loads, stores = self.ra_load_busy, self.ra_store_busy
        same = [0] * LANES
        # By address: a part of all lanes, and one of each.
        shown_a = {"x_coord": (fragments.x, columns), "ms_mask": (0, fragments.flags), "vr_busy": (loads, same)}
        shown_b = {"y_coord": (fragments.y, rows), "ms_mask": (fragments.back, same), "vw_busy": (stores, same)}
        self._port(m, "a", control.read_a, control.raddr_a, Const(0), shown_a, (0, elements))
        self._port(m, "b", control.read_b, control.raddr_b, immediate, shown_b, (self.number, same))
        return m

    def _port(self, m, name, reads, address, is_immediate, shown, other):
        """One port; an I/O value is a part `shared` by all lanes, or'ed with a few bits of each lane."""
        shared = Signal(32, name=f"ra_shared_{name}")
        from_vpm = Signal(name=f"ra_from_vpm_{name}")
        lane_bits = [Signal(range(ELEMENTS), name=f"ra_lane_{name}_{lane}") for lane in range(LANES)]

        def show(part, parts):
            return [shared.eq(part), *(bits.eq(value) for bits, value in zip(lane_bits, parts, strict=True))]

        with m.If(is_immediate):
            m.d.comb += shared.eq(select(address, [Const(value, 32) for value in SMALL_IMMEDIATES]))
        with m.Elif(address == read_address("unif")):
            m.d.comb += shared.eq(self.ra_uniform)
        with m.Elif(address == read_address("vpm")):
            m.d.comb += from_vpm.eq(1)
        with m.Elif(address == read_address("vary")):
            pass  # it comes a clock later
        for register, parts in shown.items():
            with m.Elif(address == read_address(register)):
                m.d.comb += show(*parts)
        with m.Else():
            m.d.comb += show(*other)

        ra2_reads = Signal(name=f"ra2_reads_{name}")
        ra2_is_io = Signal(name=f"ra2_is_io_{name}")
        m.d.sync += [ra2_reads.eq(reads & self.ra_live), ra2_is_io.eq(is_immediate | (address >= FILE_REGISTERS))]
        for lane, bits in enumerate(lane_bits):
            vector = Mux(from_vpm, self.ra_vector[lane], 0)
            # One LUT a bit: of a port with fragments here, and with the register file behind it; else only there, as most bits
            # of the first register are one for all lanes then, and the second one is reset.
            if self._fragments:
                parts = [vector | self.ra_fragments.words[name][lane] | shared | bits]
            else:
                parts = [shared | bits, vector]
            io = self.ra2_varyings[name][lane]
            for number, part in enumerate(parts):
                ra2_io = Signal(32, name=f"ra2_io_{name}_{lane}_{number}")
                m.d.sync += ra2_io.eq(part)
                io |= ra2_io
            with m.If(ra2_reads):
                m.d.sync += self.ru_values[name][lane].eq(Mux(ra2_is_io, io, self.ra2_files[name][lane]))
