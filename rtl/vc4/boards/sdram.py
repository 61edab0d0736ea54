"""Memory in an SDRAM."""

from amaranth import *
from amaranth.lib import io, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort

from .sdram_bridge import SdramBridge
from .sdram_core import CORE, SdramCore
from .sdram_start import SdramStart

__all__ = ["Sdram"]


class Sdram(wiring.Component):
    """The SDRAM of a board from address 0 on, behind a controller that was generated for it.

    Behaviour: see `SdramBridge`. After a reset the chip is started, which takes half a millisecond; requests wait until then.
    The controller has its own refresh. Its pins are in the domain `fast`, whose clock has `FAST_CLOCKS` in one of `sync` and rises
    with it; the clock of the chip is the other way round, so that what changes with the one is there when the other rises.

    Parameters
    ----------
    core : the controller
    tag_bits : width of a tag

    Interface attributes
    --------------------
    bus : the requests
    ready : the chip has been started
    error_stb, error_address : a response that is taken now is an error, and the address of its request
    """

    def __init__(self, core: SdramCore, tag_bits: int):
        self._core = core
        self.size, self.base = core.size, 0
        port = MemoryPort(word_bytes=BUS_BYTES, tag_bits=tag_bits)
        super().__init__({"bus": In(port), "ready": Out(1), "error_stb": Out(1), "error_address": Out(32)})

    def elaborate(self, platform):
        m = Module()
        core = self._core
        tag_bits = self.bus.signature.tag_bits
        m.submodules.bridge = bridge = SdramBridge(core.size, word_bytes=core.word_bytes, tag_bits=tag_bits)
        m.submodules.start = start = SdramStart(core.start, address_bits=core.address_bits, bank_bits=core.bank_bits)
        connect(m, flipped(self.bus), bridge.bus)
        ports = self._pins(m, platform) if core.resource else {}
        m.submodules.core = Instance(
            CORE,
            i_clk=ClockSignal(),
            i_rst=ResetSignal(),
            i_start_active=start.active,
            i_start_select=start.select,
            i_start_ras=start.ras,
            i_start_cas=start.cas,
            i_start_we=start.we,
            i_start_address=start.address,
            i_start_bank=start.bank,
            i_command_valid=bridge.commands.valid,
            o_command_ready=bridge.commands.ready,
            i_command_write=bridge.commands.payload.write,
            i_command_word=bridge.commands.payload.word,
            o_word_taken=bridge.words.ready,
            i_word_data=bridge.words.payload.data,
            i_word_strobes=bridge.words.payload.strobes,
            o_read_valid=bridge.reads.valid,
            o_read_data=bridge.reads.payload,
            **ports,
        )
        m.d.comb += [
            bridge.enable.eq(~start.active),
            self.ready.eq(~start.active),
            self.error_stb.eq(bridge.error_stb),
            self.error_address.eq(bridge.error_address),
        ]
        return m

    def _pins(self, m, platform):
        """Connects the clock of the chip; returns the other pins as ports of the controller."""
        pins = platform.request(self._core.resource, 0, dir="-")
        m.submodules.clock = clock = io.DDRBuffer("o", pins.clk, o_domain="fast")
        m.d.comb += Cat(clock.o).eq(0b10)
        ports = {"i_clk_fast": ClockSignal("fast"), "io_pin_dq": pins.dq.io}
        names = {"a": pins.a, "ba": pins.ba, "ras_n": pins.ras, "cas_n": pins.cas, "we_n": pins.we, "dm": pins.dqm}
        for name, port in (names | {"cs_n": pins.cs, "cke": pins.clk_en}).items():
            # The controller has the level of a pin.
            m.submodules[name] = buffer = io.Buffer("o", port)
            level = Signal(len(port), name=f"pin_{name}")
            m.d.comb += buffer.o.eq(~level if name.endswith("_n") else level)
            ports[f"o_pin_{name}"] = level
        return ports
