"""The front of the 3D pipeline: from control lists to shaded vertices."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.hub import Hub
from vc4.bus.port import BUS_BYTES
from vc4.cle.cle import Cle, PipelinePort
from vc4.config import V3DConfig
from vc4.host.structs import live_signature, written_signature
from vc4.regs.lists import LISTS
from vc4.vcm.shading import ShadingPort
from vc4.vcm.structs import VCM_ERRORS, VcmItem, VcmStalls
from vc4.vcm.vcm import Vcm
from vc4.vpm.allocation import VpmAllocation
from vc4.vpm.structs import QuadWrite

__all__ = ["FRONT_STALLS", "VertexPipe"]

#: What waits in a clock: the threads of the executor, for bytes of their lists; the binner, for memory; and what the VCM says.
FRONT_STALLS = data.StructLayout(
    {"binning_list": 1, "rendering_list": 1, "tile_memory": 1, **VcmStalls.as_shape().members}
)


class VertexPipe(wiring.Component):
    """The executor of control lists and the VCM, with one way into memory; see `Cle` and `Vcm` for what is what.

    Parameters
    ----------
    config : of the GPU

    Interface attributes
    --------------------
    written, live, flushed, drawn, out_of_memory : registers and interrupts
    division, fills : of the VPM
    stalls, errors : what waits, see `FRONT_STALLS`, and what goes wrong
    binner, renderer : the pipelines
    qpus : programs for QPUs
    bus : the way into memory, which is only read
    """

    def __init__(self, config: V3DConfig):
        self.cle = Cle(config)
        self.vcm = Vcm(config)
        self._hub = Hub(len(self.cle.ports) + len(self.vcm.ports), word_bytes=BUS_BYTES)
        super().__init__(
            {
                "written": In(written_signature(LISTS, config)),
                "live": Out(live_signature(LISTS, config)),
                "flushed": Out(1),
                "drawn": Out(1),
                "out_of_memory": In(1),
                "division": In(VpmAllocation),
                "fills": Out(stream.Signature(QuadWrite)),
                "stalls": Out(FRONT_STALLS),
                "errors": Out(VCM_ERRORS),
                "binner": Out(PipelinePort(VcmItem)),
                "renderer": Out(PipelinePort(VcmItem)),
                "qpus": Out(ShadingPort(config.qpus)),
                "bus": Out(self._hub.bus.signature),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.hub = hub = self._hub
        m.submodules.cle = cle = self.cle
        m.submodules.vcm = vcm = self.vcm
        for port, client in zip((*cle.ports, *vcm.ports), hub.clients, strict=True):
            connect(m, port, client)
        connect(m, hub.bus, flipped(self.bus))
        connect(m, flipped(self.written), cle.written)
        connect(m, cle.live, flipped(self.live))
        connect(m, cle.binner, vcm.binner_items)
        connect(m, cle.renderer, vcm.renderer_items)
        connect(m, vcm.binner, flipped(self.binner))
        connect(m, vcm.renderer, flipped(self.renderer))
        connect(m, vcm.qpus, flipped(self.qpus))
        connect(m, vcm.fills, flipped(self.fills))
        m.d.comb += [
            self.flushed.eq(cle.flushed),
            self.drawn.eq(cle.drawn),
            cle.out_of_memory.eq(self.out_of_memory),
            vcm.division.eq(self.division),
            self.errors.eq(vcm.errors),
            self.stalls.eq(Cat(cle.starves, self.out_of_memory, vcm.stalls)),
        ]
        return m
