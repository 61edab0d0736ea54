"""The ways out of the GPU as exported Verilog, with buses that are not ours."""

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect, flipped

from vc4.bus.axi import AxiLitePort
from vc4.bus.axi_lite import AxiLite
from vc4.bus.axi_master import AxiMaster
from vc4.config import V3DConfig
from vc4.host.register_file import RegisterFile
from vc4.regs.table import OFFSET_BITS

pytestmark = pytest.mark.thorough

GAPS = [(0.7, 2), (0, 1)]


class Host(wiring.Component):
    """`AxiLite` with the registers behind it."""

    s_axil: In(AxiLitePort(address_bits=OFFSET_BITS))

    def elaborate(self, platform):
        m = Module()
        m.submodules.axi_lite = axi_lite = AxiLite()
        m.submodules.register_file = file = RegisterFile(V3DConfig())
        connect(m, flipped(self.s_axil), axi_lite.s_axil)
        connect(m, axi_lite.port, file.port)
        return m


@pytest.mark.parametrize(("gap", "seed"), GAPS)
def test_axi_lite(cosim, gap, seed):
    cosim(Host(), "bench_axi_lite", seed=seed, gap=gap)


@pytest.mark.parametrize(("gap", "seed"), GAPS)
def test_axi_master(cosim, gap, seed):
    cosim(AxiMaster(word_bytes=8, tag_bits=2), "bench_axi_master", seed=seed, gap=gap)
