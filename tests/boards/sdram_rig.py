"""SDRAM behind LiteDRAM's controller, with LiteDRAM's model of the chip, as Verilator simulates it."""

import ctypes
import re
import shutil
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from amaranth import ClockDomain, ClockSignal, Module, Value
from amaranth.back.verilog import convert
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect

from vc4.boards.sdram import Sdram
from vc4.boards.sdram_core import CORE, SdramCore
from vc4.boards.system import BoardSystem
from vc4.boards.ulx3s import ULX3S_85F
from vc4.bus.hub import Hub
from vc4.bus.port import BUS_BYTES
from vc4.config import preset
from vc4.dvi import Dvi
from vc4.dvi.mode import VGA
from vc4sim.backends.verilated import verilated_library
from vc4sim.cache import cache_folder
from vc4sim.children import run_child
from vc4sim.cxxrtl.build import build_once, compile_quietly, make_once
from vc4sim.verilog import export_component

__all__ = ["board_library", "core_with_a_chip", "core_with_a_model", "skip_without_tools", "traffic_program"]

#: LiteDRAM's Verilog is not written for them.
_NO_WARNINGS = ("-Wno-fatal", "-Wno-lint")
_FOLDER = Path(__file__).parent
_TAG_BITS = 3
#: What `rig.cc` wants to know of a design, of Verilator's.
_DESIGN = """\
#include "VerilatedBoard.h"
#include <array>
#include <cstdint>
#include <cstdio>
namespace design {
struct Design {
    VerilatedBoard *top = new VerilatedBoard; // there is one, for ever
    void settle(int) { top->eval(); }
    bool failure() const { return false; }
    void commit() {
        top->clk = 1, top->eval();
        top->clk = 0, top->eval();
        std::fflush(stdout);
    }
};
using Instance = Design &;
} // namespace design
namespace design_ports {
inline void rx(design::Design &board, const std::array<uint32_t, 1> &bit) { board.top->rx = bit[0]; }
inline std::array<uint32_t, 1> tx(const design::Design &board) { return {board.top->tx}; }
} // namespace design_ports
"""


def skip_without_tools() -> None:
    """Skips a test that needs LiteDRAM and Verilator."""
    pytest.importorskip("litedram", reason="needs LiteDRAM: pip install -e '.[sdram]'")
    if not shutil.which("verilator"):
        pytest.skip("needs Verilator")


def core_with_a_model(chip: str) -> SdramCore:
    """A controller with LiteDRAM's model of a chip."""
    from vc4sim.boards.sdram import sdram_core

    assert ULX3S_85F.sdram
    return sdram_core(ULX3S_85F.sdram, ULX3S_85F.clock_hz, chip)


def core_with_a_chip() -> SdramCore:
    """A controller with LiteDRAM's pins, and a chip at them (`sdram_chip.v`) inside; its second clock is `fast` in the program."""
    from vc4sim.boards.sdram import sdram_core

    assert ULX3S_85F.sdram
    core = sdram_core(ULX3S_85F.sdram, ULX3S_85F.clock_hz, cells=False)
    head, _, body = core.verilog.partition(");")
    ports = [line for line in head.splitlines() if not re.search(r"clk_fast|pin_", line)]
    pins = re.findall(r"(?:inout|output) +(.*pin_\w+)", head)
    wires = "".join(f"    {pin};\n" for pin in pins)
    names = ("cke", "cs_n", "ras_n", "cas_n", "we_n", "ba", "a", "dm", "dq")
    chip = ", ".join(f".{name}(pin_{name})" for name in names)
    assert len(pins) == len(names)
    text = f"""\
{chr(10).join(ports)});
    reg clk_fast /*verilator public_flat_rw*/;
{wires}    sdram_chip chip (.clk(~clk_fast), {chip});
{body}
{(_FOLDER / "sdram_chip.v").read_text()}"""
    return replace(core, verilog=text, resource=None)


def _version() -> str:
    return run_child(["verilator", "--version"], Path.cwd())[1]


def _is_given(name: str) -> bool:
    """A signal of a port of memory comes from who asks."""
    return name.endswith("ready") == ("responses" in name)


class _WithScreen(wiring.Component):
    """An SDRAM with two clients: a port, whose signals are ports with names as exported Verilog has them, and a screen."""

    def __init__(self, core: SdramCore):
        self._hub = Hub(2, word_bytes=BUS_BYTES, client_tag_bits=_TAG_BITS)
        self._memory = Sdram(core, self._hub.bus.signature.tag_bits)
        port = self._hub.clients[0]
        self._asked = {
            "_".join(("bus", *map(str, path))): Value.cast(value) for path, _, value in port.signature.flatten(port)
        }
        flows = {name: In if _is_given(name) else Out for name in self._asked}
        bus = {name: flows[name](len(value)) for name, value in self._asked.items()}
        super().__init__({**bus, "pixel_clk": In(1), "ready": Out(1), "error_stb": Out(1), "error_address": Out(32)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.hub = hub = self._hub
        m.submodules.memory = memory = self._memory
        m.submodules.dvi = dvi = Dvi(VGA, memory.size, tag_bits=_TAG_BITS)
        m.domains.pixel = ClockDomain(reset_less=True)
        m.domains.shift = ClockDomain(reset_less=True)  # it stands still: nobody sees the wires
        m.d.comb += ClockSignal("pixel").eq(self.pixel_clk)
        for name, value in self._asked.items():
            port = getattr(self, name)
            m.d.comb += value.eq(port) if _is_given(name) else port.eq(value)
        connect(m, dvi.bus, hub.clients[1])
        connect(m, hub.bus, memory.bus)
        m.d.comb += [self.ready.eq(memory.ready), self.error_address.eq(memory.error_address)]
        return m


def traffic_program(core: SdramCore, *flags_of_rig: str, screen: bool = False) -> Path:
    """The program of `sdram_rig.cc` for a controller with a chip in it; with a screen beside what it asks."""
    text = convert(_WithScreen(core), name="sdram") if screen else export_component(Sdram(core, _TAG_BITS), "sdram")
    verilog = {f"{CORE}.v": core.verilog, "sdram.v": text}
    rig = (_FOLDER / "sdram_rig.cc").read_text()
    flags = " ".join(("-O2", f"-DTAG_BITS={_TAG_BITS}", f"-DSIZE={core.size}", *flags_of_rig))

    def make() -> Path:
        with tempfile.TemporaryDirectory(dir=cache_folder()) as place:
            work = Path(place)
            for name, text in {**verilog, "rig.cc": rig}.items():
                (work / name).write_text(text)
            options = ["--cc", "--exe", "--build", "-O3", *_NO_WARNINGS, "--top-module", "sdram", "-CFLAGS", flags]
            compile_quietly(["verilator", *options, "--Mdir", ".", *verilog, "rig.cc", "-o", "rig"], work)
            program = cache_folder() / f"{work.name}.rig"
            shutil.copy(work / "rig", program)
        return program

    cache_folder().mkdir(parents=True, exist_ok=True)
    return make_once([*verilog.values(), rig, flags, _version(), Path(__file__).read_text()], make, cache_folder())


def board_library(chip: str, clock_hz: int, baud: int) -> ctypes.CDLL:
    """`rig.cc` for a board with the GPU of `qpu`; the chip has its clock for that of a ULX3S."""
    core = core_with_a_model(chip)
    system = BoardSystem(preset("qpu"), partial(Sdram, core), clock_hz=clock_hz, baud=baud)
    verilog = {f"{CORE}.v": core.verilog, "board.v": export_component(system, "board")}
    driver = _DESIGN + (_FOLDER / "rig.cc").read_text()
    cache_folder().mkdir(parents=True, exist_ok=True)
    texts = [*verilog.values(), driver, _version(), Path(__file__).read_text()]
    return build_once(
        texts,
        lambda: verilated_library(verilog, "board", "VerilatedBoard", driver, cache_folder(), _NO_WARNINGS),
        cache_folder(),
    )
