"""The GPU on a board, from pins to pins."""

from functools import partial

from amaranth import *
from amaranth.lib import io
from amaranth.lib.wiring import connect

from vc4.config import V3DConfig
from vc4.dvi import Dvi
from vc4.dvi.dvi import WIRES
from vc4.dvi.mode import SHIFT_CLOCKS, VGA

from .board import Board, Pin
from .on_chip_memory import OnChipMemory
from .sdram import Sdram
from .sdram_core import FAST_CLOCKS, SdramCore
from .system import BoardSystem

__all__ = ["BoardTop"]


class BoardTop(Elaboratable):
    """A `BoardSystem` with the clock, the serial line and the lights of a board, its memory, and a screen.

    Parameters
    ----------
    board : the board, whose platform it is elaborated for
    config : sizes of the GPU
    core : the controller of its SDRAM; without one memory is in block RAMs
    screen : it shows a picture in memory, see `Board.check_screen`
    """

    def __init__(self, board: Board, config: V3DConfig, core: SdramCore | None = None, *, screen: bool = False):
        self._board, self._config, self._core, self._screen = board, config, core, screen

    def elaborate(self, platform):
        m = Module()
        board = self._board
        m.domains.sync = ClockDomain()
        m.submodules.oscillator = oscillator = io.Buffer("i", platform.request(board.clock, dir="-"))
        source = oscillator.i, board.source_hz(platform)
        if self._core:
            m.domains.fast = ClockDomain(reset_less=True)
            m.submodules.clock = board.clocking(*source, board.clock_hz, fast=("fast", FAST_CLOCKS))
            memory = partial(Sdram, self._core)
        else:
            m.submodules.clock = board.clocking(*source, board.clock_hz)
            memory = partial(OnChipMemory, board.memory_bytes, 0)
        m.submodules.system = system = BoardSystem(
            self._config, memory, clock_hz=board.clock_hz, baud=board.baud, clients=int(self._screen)
        )
        if self._screen:
            self._show(m, platform, source, system)
        line = platform.request("uart", dir="-")
        m.submodules.rx = rx = io.Buffer("i", line.rx)
        m.submodules.tx = tx = io.Buffer("o", line.tx)
        m.d.comb += [system.rx.eq(rx.i), tx.o.eq(system.tx)]
        for name, pin in board.leds.items():
            m.submodules[name] = buffer = io.Buffer("o", _port(platform, pin))
            m.d.comb += buffer.o.eq(getattr(system, name))
        for pin in board.high:
            m.submodules[f"{pin.resource}_{pin.part}"] = buffer = io.Buffer("o", _port(platform, pin))
            m.d.comb += buffer.o.eq(1)
        return m

    def _show(self, m, platform, source, system):
        """A screen, with the clocks that it needs, as one more client of memory."""
        board, end = self._board, system.memory.base + system.memory.size
        m.domains.pixel = ClockDomain()
        m.domains.shift = ClockDomain(reset_less=True)
        m.submodules.pixel_clock = board.clocking(*source, VGA.pixel_hz, domain="pixel", fast=("shift", SHIFT_CLOCKS))
        m.submodules.dvi = dvi = Dvi(VGA, end, tag_bits=system.v3d.bus.signature.tag_bits)
        connect(m, dvi.bus, system.clients[0])
        plug = platform.request(board.screen, 0, dir="-")
        for number, port in enumerate((*(plug.d[pair] for pair in range(WIRES - 1)), plug.clk)):
            m.submodules[f"wire_{number}"] = wire = io.DDRBuffer("o", port, o_domain="shift")
            m.d.comb += [wire.o[half].eq(dvi.bits[number][half]) for half in range(2)]


def _port(platform, pin: Pin):
    port = platform.request(pin.resource, pin.number, dir="-")
    return getattr(port, pin.part) if pin.part else port
