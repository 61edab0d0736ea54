"""The GPU as a module of LiteX, which has to be installed: pip install 'vc4-rtl[systems]'."""

import re
from collections.abc import Iterator
from pathlib import Path

from amaranth.lib import wiring
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.interconnect.axi import AXIInterface, AXILiteInterface
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockSignal, Instance, ResetSignal, Signal

from vc4.config import V3DConfig
from vc4.regs.table import OFFSET_BITS
from vc4.v3d_axi import V3DAxi

from ..hierarchy import used
from .export import TOP, export

__all__ = ["VideoCore"]

_FIELD = re.compile(r"(aw|w|b|ar|r)(\w+)")


class VideoCore(LiteXModule):
    """`V3DAxi` in the domain `sys`: its Verilog, and what LiteX connects.

    Parameters
    ----------
    platform : of LiteX, which gets the file of Verilog
    config : sizes of the GPU
    folder : where the file is written, `v3d.v`

    Attributes
    ----------
    registers : AXI4-Lite, for a slave of 4 KiB
    memory : AXI4 with words of 64 bits, a master
    ev : has one event, the interrupt of the GPU
    """

    def __init__(self, platform, config: V3DConfig, folder: Path):
        top = V3DAxi(config)
        used(top)  # It is exported from its configuration.
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{TOP}.v").write_text(export(config), encoding="utf-8")
        platform.add_source(str(folder / f"{TOP}.v"))
        members = top.signature.members
        port = members["m_axi"].signature
        self.registers = AXILiteInterface(data_width=32, address_width=32)
        self.memory = AXIInterface(data_width=8 * port.word_bytes, address_width=32, id_width=port.id_bits)
        irq = Signal()
        self.specials += Instance(
            TOP,
            i_clk=ClockSignal(),
            i_rst=ResetSignal(),
            o_irq=irq,
            **dict(_connections("s_axil", members["s_axil"], self.registers)),
            **dict(_connections("m_axi", members["m_axi"], self.memory)),
        )
        self.ev = EventManager()
        self.ev.gpu = EventSourceLevel()
        self.ev.finalize()
        self.comb += self.ev.gpu.trigger.eq(irq)

    def add_to(self, soc, name: str, origin: int) -> None:
        """Connect it to the buses of a SoC that has it as the submodule `name`: registers from address `origin` on, and, if the SoC
        has a processor, the interrupt.
        """
        region = SoCRegion(origin=origin, size=1 << OFFSET_BITS, cached=False)
        soc.bus.add_slave(name, self.registers, region)
        getattr(soc, "dma_bus", soc.bus).add_master(name=name, master=self.memory)
        if soc.irq.enabled:
            soc.irq.add(name, use_loc_if_exists=True)


def _connections(prefix: str, member: wiring.Member, interface) -> Iterator[tuple[str, Signal]]:
    """The ports of a bus of the module, and the signals of LiteX that belong to them."""
    for name, signal in member.signature.members.items():
        found = _FIELD.fullmatch(name)
        assert found
        channel = getattr(interface, found[1])
        line = getattr(channel, found[2])
        if name.endswith("addr"):
            line = line[: signal.shape]
        yield f"{'o' if signal.flow == wiring.Out else 'i'}_{prefix}_{name}", line
