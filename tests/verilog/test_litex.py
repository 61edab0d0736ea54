"""The GPU in a SoC of LiteX, which becomes Verilog that Icarus Verilog elaborates."""

import logging
import shutil
import subprocess
import warnings

import pytest

from vc4.config import preset

pytestmark = pytest.mark.thorough
ORIGIN = 0x3000_0000


@pytest.fixture
def soc(tmp_path, monkeypatch):
    """A SoC with a host on a serial line, the GPU and some memory."""
    warnings.simplefilter("ignore")  # LiteX has some of its own
    pytest.importorskip("litex", reason="needs LiteX: pip install -e '.[systems]'")
    from litex.build.generic_platform import Pins, Subsignal
    from litex.build.sim import SimPlatform
    from litex.soc.integration.soc_core import SoCMini
    from migen import ClockDomain

    from vc4sim.verilog.litex import VideoCore

    logging.disable(logging.INFO)
    monkeypatch.chdir(tmp_path)
    serial = ("serial", 0, Subsignal("rx", Pins(1)), Subsignal("tx", Pins(1)))
    platform = SimPlatform("SIM", [("clk", 0, Pins(1)), ("rst", 0, Pins(1)), serial])
    soc = SoCMini(
        platform,
        50_000_000,
        bus_standard="axi",
        bus_data_width=64,
        integrated_sram_size=0x8000,
        with_uart=False,
    )
    pins = platform.request("clk"), platform.request("rst")
    soc.cd_sys = domain = ClockDomain()
    soc.comb += [
        signal.eq(pin) for signal, pin in zip((domain.clk, domain.rst), pins, strict=True) if signal is not None
    ]
    soc.v3d = VideoCore(platform, preset("qpu"), tmp_path / "gateware")
    soc.v3d.add_to(soc, "v3d", ORIGIN)
    soc.add_uartbone()
    yield soc
    logging.disable(logging.NOTSET)


def test_it_elaborates(soc, tmp_path):
    soc.finalize()
    soc.platform.get_verilog(soc).write(str(tmp_path / "soc.v"))
    text = (tmp_path / "soc.v").read_text()
    assert soc.bus.regions["v3d"].origin == ORIGIN
    assert "v3d" in soc.bus.masters
    ports = text[text.index("\nv3d v3d(") :]
    ports = ports[: ports.index(");")]
    assert ports.count(".") == 3 + 19 + 39
    if not shutil.which("iverilog"):
        pytest.skip("needs Icarus Verilog")
    command = ["iverilog", "-g2012", "-s", "top", "-o", "soc.vvp", "soc.v", "gateware/v3d.v"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert "v3d" not in process.stderr
