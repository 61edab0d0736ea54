"""The GPU as a part of a system."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.axi import AxiLitePort
from vc4.bus.axi_master import AxiMaster
from vc4.config import V3DConfig
from vc4.regs.table import OFFSET_BITS

from .v3d import V3D

__all__ = ["V3DAxi"]


class V3DAxi(wiring.Component):
    """`V3D` with memory on the bus that systems have, AXI4.

    Programs come from the host; nothing starts fragment shaders yet. Nobody takes what control lists hand to binner and
    renderer, so a list waits at its first record for them.

    Parameters
    ----------
    config : sizes, see `V3DConfig`

    Interface attributes
    --------------------
    s_axil : the host, which reaches the registers
    m_axi : memory
    irq : the host should look at the registers; high until it has cleared what it has enabled
    """

    def __init__(self, config: V3DConfig):
        self._v3d = V3D(config)
        bus = self._v3d.bus.signature
        self._axi_master = AxiMaster(word_bytes=bus.word_bytes, tag_bits=bus.tag_bits)
        super().__init__(
            {
                "s_axil": In(AxiLitePort(address_bits=OFFSET_BITS)),
                "m_axi": Out(self._axi_master.m_axi.signature),
                "irq": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.v3d = v3d = self._v3d
        m.submodules.axi_master = axi_master = self._axi_master
        connect(m, flipped(self.s_axil), v3d.s_axil)
        connect(m, v3d.bus, axi_master.memory)
        connect(m, axi_master.m_axi, flipped(self.m_axi))
        m.d.comb += [
            v3d.response_error_stb.eq(axi_master.error_stb),
            v3d.response_error_address.eq(axi_master.error_address),
            self.irq.eq(v3d.irq),
        ]
        return m
