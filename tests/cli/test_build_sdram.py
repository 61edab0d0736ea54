"""`vc4 build` with SDRAM and a screen, without the GPU, with stand-ins for the tools and with the tools themselves."""

import re
import sys
from collections import Counter
from types import SimpleNamespace

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.boards import board_top
from vc4.bus.hub import Hub
from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4sim.cli import main

pytest.importorskip("amaranth_boards", reason="needs amaranth-boards: pip install -e '.[fpga]'")
pytest.importorskip("litedram", reason="needs LiteDRAM: pip install -e '.[sdram]'")


class WithoutGpu(wiring.Component):
    """The memory and the screen of a board, and nothing else."""

    v3d = SimpleNamespace(bus=SimpleNamespace(signature=SimpleNamespace(tag_bits=2)))

    def __init__(self, config, memory, *, clock_hz, baud, clients):
        self._hub = Hub(2, word_bytes=BUS_BYTES, client_tag_bits=2)
        self.memory = memory(self._hub.bus.signature.tag_bits)
        port = MemoryPort(word_bytes=BUS_BYTES, tag_bits=2)
        names = ("tx", "busy", "error", "heartbeat")
        super().__init__({"rx": In(1), "clients": In(port).array(clients), **{name: Out(1) for name in names}})

    def elaborate(self, platform):
        m = Module()
        m.submodules.hub, m.submodules.memory = self._hub, self.memory
        for number, client in enumerate(self.clients):
            connect(m, flipped(client), self._hub.clients[number])
        connect(m, self._hub.bus, self.memory.bus)
        m.d.comb += [self.tx.eq(self.rx), self.heartbeat.eq(self.memory.ready)]
        return m


ARGUMENTS = ("ulx3s-85f", "--memory", "sdram", "--screen", "--seeds", "1")


@pytest.fixture(autouse=True)
def without_gpu(monkeypatch, tmp_path):
    """Boards are as they are, but for the GPU; they are built in a folder of their own."""
    monkeypatch.setattr(board_top, "BoardSystem", WithoutGpu)
    monkeypatch.chdir(tmp_path)


def test_all_pins_have_their_places(build_tools, tmp_path):
    assert main(["build", *ARGUMENTS, "--keep", "files"]) == 0
    files = {path.name: path.read_text() for path in (tmp_path / "files").iterdir()}
    located = re.findall(r'^LOCATE COMP "(\S+)" SITE "(\w+)";', files["top.lpf"], re.MULTILINE)
    names = Counter(name.partition("_0__")[0] for name, _ in located)
    # 13 lines of address, 2 of banks, 16 of data, 2 masks, 4 of the command, enable, clock; four pairs.
    assert (names["sdram"], names["hdmi"]) == (39, 4)
    assert len({site for _, site in located}) == len(located)
    assert "read_verilog sdram_core.v" in files["synth.ys"]
    (instance,) = re.findall(r"cell \\sdram_core .*?\n  end", files["top.il"], re.DOTALL)
    (ports,) = re.findall(r"^module sdram_core \((.*?)\);", files["sdram_core.v"], re.DOTALL | re.MULTILINE)
    names = set(re.findall(r"(\w+)(?:,|\s*$)", ports))
    assert set(re.findall(r"connect \\(\S+)", instance)) == names


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--memory", "sdram", "--freq", "70"], "LiteDRAM makes no controller for an SDRAM of 140 MHz"),
        (["--memory", "sdram", "--freq", "59"], "a PLL of ECP5 does not make 59000000 Hz of 25000000 Hz"),
        (["--screen"], "a picture has 614,400 bytes, and memory 131,072"),
    ],
)
def test_bad_input(build_tools, tmp_path, capsys, arguments, reason):
    assert main(["build", "ulx3s-85f", *arguments]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"vc4: ULX3S with LFE5U-85F: {reason}"
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


def test_a_board_without_a_screen(build_tools, capsys):
    assert main(["build", "ecpix5-85f", "--screen"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith("ECPIX-5 with LFE5UM5G-85F: the board has no screen")


def test_without_litedram(build_tools, monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "vc4sim.boards.sdram", raising=False)
    monkeypatch.setitem(sys.modules, "litedram", None)
    assert main(["build", *ARGUMENTS]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "vc4: LiteDRAM is not installed: pip install 'vc4-rtl[sdram]'"


@pytest.mark.slow
def test_tools_make_a_bitstream(tools, tmp_path, capsys):
    """With all pins in their cells, and clocks that the PLLs of the device make."""
    assert main(["build", *ARGUMENTS, "-o", "screen.bit", "--keep", "files"]) == 0
    assert (tmp_path / "screen.bit").stat().st_size > 10_000
    log = (tmp_path / "files/seed_1.log").read_text()
    assert len(re.findall(r"IOLOGIC component .* connected to PIO", log)) == 39 + 4
    assert re.search(r"^PASS: \d+\.\d of 50 MHz with seed 1$", capsys.readouterr().out, re.MULTILINE)
