"""The GPU put together."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.activity import Activity, BlockActivity
from vc4.bus.axi import AxiLitePort
from vc4.bus.axi_lite import AxiLite
from vc4.bus.hub import Hub
from vc4.bus.port import BUS_BYTES, connect_reads
from vc4.bus.windows import Windows
from vc4.cle.cle import PipelinePort
from vc4.config import V3DConfig
from vc4.events import connect_events
from vc4.host.error_status import ErrorStatus
from vc4.host.registers import Registers
from vc4.host.structs import connect_registers
from vc4.l2c.l2c import L2c
from vc4.pixel_pipe import PixelPipe, connect_pixels
from vc4.ptb.ptb import Ptb, connect_binner
from vc4.qps.scheduler import Scheduler
from vc4.qps.sync import Sync
from vc4.qpu.structs import THREADS, ProgramStart
from vc4.qpu.trace import TracePort
from vc4.regs.table import OFFSET_BITS, register
from vc4.slice.slice import Slice
from vc4.vcm.structs import VCM_ERRORS, VcmItem
from vc4.vertex_pipe import FRONT_STALLS, VertexPipe
from vc4.vpm.allocation import VpmAllocation, allocation
from vc4.vpm.structs import QuadAddress, Words
from vc4.vpm.vpm import Vpm

__all__ = ["V3D"]


class V3D(wiring.Component):
    """The GPU: slices, what they share, and the hub that joins their ways to memory; if the configuration wants it, memory
    windows in front of memory.

    Parameters
    ----------
    config : sizes, see `V3DConfig`

    Interface attributes
    --------------------
    fragments, vertices, coordinates : programs of blocks that the configuration lacks
    binner, renderer : what these get from control lists, if they are elsewhere, see `PipelinePort`
    binner_reads, renderer_reads, vertex_words : words of their vertices, see `Vpm`
    vertex_stalls : what waits on the way to them
    bins : the binner gets on, if it is in here
    bus : memory
    response_error_stb, response_error_address : memory has answered with an error, and the address of the request
    s_axil : the host, which reaches the registers
    interrupts : programs that raise the host interrupt, one bit a QPU
    irq : the host should look at the registers
    idle : no program runs and every store has reached memory
    allocation : how the VPM is divided
    vpm_error : memory has answered a DMA store or load with an error
    trace : of each QPU, if the configuration wants it
    activity : then, if it has all blocks: which ones are busy, see `Activity`
    """

    def __init__(self, config: V3DConfig):
        self._config = config
        self.slices = [Slice(config, number) for number in range(config.slices)]
        buses = self._buses()
        tag_bits = max(bus.signature.tag_bits for bus in buses)
        self._reads = Hub(len(buses), word_bytes=BUS_BYTES, client_tag_bits=tag_bits)
        self.l2c = L2c(tag_bits=self._reads.bus.signature.tag_bits)
        tag_bits = self.l2c.bus.signature.tag_bits
        self.vpm = Vpm(
            config.vpm_rows, qpus=config.qpus, vertices=config.lists, word_bytes=BUS_BYTES, tag_bits=tag_bits
        )
        self.vertex_pipe = VertexPipe(config) if config.lists else None
        self.ptb = Ptb(config.faults) if config.binner else None
        self.pixel_pipe = PixelPipe(config) if config.pixels else None
        built = {"fragments": config.pixels, "vertices": config.lists, "coordinates": config.lists}
        self._is_watched = config.trace and config.binner and config.pixels
        self._shaders = [name for name, pipe in built.items() if not pipe]
        pipelines = {"binner": config.binner, "renderer": config.pixels} if config.lists else {}
        #: Those that are elsewhere, with the number of their reads.
        self._pipelines = {name: number for number, (name, pipe) in enumerate(pipelines.items()) if not pipe}
        self._hub = Hub(
            3 + config.lists + config.binner + config.pixels, word_bytes=BUS_BYTES, client_tag_bits=tag_bits
        )
        super().__init__(
            {
                **{name: In(stream.Signature(ProgramStart)) for name in self._shaders},
                "bus": Out(self._hub.bus.signature),
                "response_error_stb": In(1),
                "response_error_address": In(32),
                "s_axil": In(AxiLitePort(address_bits=OFFSET_BITS)),
                "interrupts": Out(config.qpus),
                "irq": Out(1),
                "idle": Out(1),
                "allocation": Out(VpmAllocation),
                "vpm_error": Out(1),
                **{name: Out(PipelinePort(VcmItem)) for name in self._pipelines},
                **{f"{name}_reads": In(stream.Signature(QuadAddress)) for name in self._pipelines},
                **({"vertex_words": Out(Words), "vertex_stalls": Out(FRONT_STALLS)} if config.lists else {}),
                **({"bins": Out(1)} if config.binner else {}),
                **({"trace": Out(TracePort()).array(config.qpus)} if config.trace else {}),
                **({"activity": Out(BlockActivity)} if self._is_watched else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        for number, one in enumerate(self.slices):
            m.submodules[f"slice{number}"] = one
        m.submodules.vpm = vpm = self.vpm
        m.submodules.l2c = l2c = self.l2c
        m.submodules.reads = reads = self._reads
        m.submodules.hub = hub = self._hub
        m.submodules.sync = sync = Sync(self._config.qpus)
        for bus, client in zip(self._buses(), reads.clients, strict=True):
            connect_reads(m, bus, client)
        connect(m, reads.bus, l2c.client)
        connect(m, l2c.bus, hub.clients[0])
        connect(m, vpm.store_bus, hub.clients[1])
        connect(m, vpm.load_bus, hub.clients[2])

        m.submodules.registers = registers = Registers(self._config)
        m.submodules.axi_lite = axi_lite = AxiLite()
        connect(m, flipped(self.s_axil), axi_lite.s_axil)
        connect(m, axi_lite.port, registers.port)
        m.submodules.scheduler = scheduler = Scheduler(self._config.qpus)
        self._memory(m, registers, hub.bus)
        self._caches(m, registers, l2c)
        connect_events(m, self, registers.events, scheduler)
        self._allocate(m, registers)
        if self.vertex_pipe is not None:
            self._lists(m, registers, scheduler, self.vertex_pipe, hub.clients[3])
        if self.ptb is not None:
            connect_binner(m, self, registers, hub.clients[4])
        if self.pixel_pipe is not None:
            connect_pixels(m, self, registers, scheduler, hub.clients[-1])
        self._programs(m, registers, scheduler)
        self._qpus(m, registers, scheduler, sync)
        if self._is_watched:
            m.submodules.watch = watch = Activity(self)
            m.d.comb += self.activity.eq(watch.activity)
        m.d.comb += [
            self.irq.eq(registers.irq),
            self.interrupts.eq(registers.interrupts),
            self.idle.eq(
                Cat(one.idle for one in self.slices).all()
                & ~scheduler.busy
                & ~(self.ptb.binner.busy if self.ptb else 0)
                & ~(self.pixel_pipe.renderer.busy if self.pixel_pipe else 0)
                & ~Cat(port.store_busy | port.load_busy | port.writes.valid for port in vpm.qpus).any()
            ),
            self.vpm_error.eq(vpm.error),
        ]
        return m

    def _qpus(self, m, registers, scheduler, sync):
        """What each QPU shares with the others."""
        ports = [(one, place) for one in self.slices for place in range(self._config.qpus_per_slice)]
        for number, (one, place) in enumerate(ports):
            connect(m, one.sync[place], sync.qpus[number])
            connect(m, one.vpm[place], self.vpm.qpus[number])
            connect(m, scheduler.starts[number], one.start[place])
            m.d.comb += [
                scheduler.places[number].eq(one.place[place]),
                scheduler.ended.word_select(number, THREADS).eq(one.ended[place]),
                one.debug[place].eq(registers.commands[number]),
                registers.halted[number].eq(one.halted[place]),
                registers.interrupts[number].eq(one.host_interrupt[place]),
            ]
            if self._config.trace:
                connect(m, one.trace[place], flipped(self.trace[number]))

    def _buses(self):
        """The clients of the L2C."""
        with_units = self.slices if self._config.tmus_per_slice else ()
        return [
            *(bus for one in self.slices for bus in (one.instruction_bus, one.uniform_bus)),
            *(bus for one in with_units for bus in one.tmu_buses),
        ]

    def _lists(self, m, registers, scheduler, pipe, client):
        """Control lists and vertices, their registers and interrupts."""
        m.submodules.vertex_pipe = pipe
        connect_reads(m, pipe.bus, client)
        connect_registers(m, registers, pipe)
        connect(m, pipe.qpus.coordinates, scheduler.coordinates)
        connect(m, pipe.qpus.vertices, scheduler.vertices)
        connect(m, pipe.fills, self.vpm.fills)
        for name, number in self._pipelines.items():
            connect(m, getattr(pipe, name), flipped(getattr(self, name)))
            connect(m, flipped(getattr(self, f"{name}_reads")), self.vpm.vertex_reads[number])
        m.d.comb += [
            registers.raised.INT_FLDONE.eq(pipe.flushed),
            registers.raised.INT_FRDONE.eq(pipe.drawn),
            registers.events.QPU_CLOCKS_VERTEX.eq(sum(pipe.qpus.shading)),
            pipe.division.eq(self.allocation),
            pipe.qpus.starts.eq(Cat(port.valid for port in scheduler.starts)),
            pipe.qpus.idle.eq(Cat(one.idle for one in self.slices)),
            pipe.qpus.ended.eq(Cat(ended.any() for one in self.slices for ended in one.ended)),
            self.vertex_words.eq(self.vpm.vertex_words),
            self.vertex_stalls.eq(pipe.stalls),
            self.vpm.restarts.eq(pipe.qpus.restarts),
            pipe.qpus.filled.eq(self.vpm.filled),
            *(window.eq(own) for window, own in zip(self.vpm.windows, pipe.qpus.windows, strict=True)),
        ]

    def _programs(self, m, registers, scheduler):
        """The registers of the scheduler."""
        values, written, status = registers.values, registers.written, registers.live.SRQCS
        for name in self._shaders:
            connect(m, flipped(getattr(self, name)), getattr(scheduler, name))
        m.d.comb += [
            scheduler.user_pc.eq(written.SRQPC.QPURQPC),
            scheduler.user_pc_stb.eq(written.SRQPC.stb),
            scheduler.user_uniforms.eq(values.SRQUA.QPURQUA),
            scheduler.user_length.eq(values.SRQUL.QPURQUL),
            scheduler.clear_queue.eq(written.SRQCS.QPURQL),
            scheduler.clear_error.eq(written.SRQCS.QPURQERR),
            scheduler.clear_made.eq(written.SRQCS.QPURQCM),
            scheduler.clear_completed.eq(written.SRQCS.QPURQCC),
            status.QPURQL.eq(scheduler.queued),
            status.QPURQERR.eq(scheduler.error),
            status.QPURQCM.eq(scheduler.made),
            status.QPURQCC.eq(scheduler.completed),
            scheduler.vertex_limit.eq(values.SQCNTL.VSRBL),
            scheduler.coordinate_limit.eq(values.SQCNTL.CSRBL),
        ]
        for number in range(self._config.qpus):
            register, field = f"SQRSV{number // 8}", f"QPURSV{number}"
            held = self.vertex_pipe.qpus.held[number] if self.vertex_pipe else 0
            m.d.comb += scheduler.reservations[number].eq(getattr(values, register)[field] | held)

    def _allocate(self, m, registers):
        """The registers of the VPM, and its errors."""
        m.submodules.error_status = status = ErrorStatus()
        vpm, values = self.vpm, registers.values
        divided = Signal(VpmAllocation)
        reserved = Signal.like(values.VPMBASE.VPMURSV)
        m.d.sync += reserved.eq(values.VPMBASE.VPMURSV)
        m.d.comb += [
            *(divided[name].eq(value) for name, value in allocation(values.VPMBASE, values.VPACNTL).items()),
            self.allocation.eq(divided),
            vpm.user_rows.eq(divided.user_rows),
            registers.live.ERRSTAT.eq(status.status),
            status.come.VPAEABB.eq((reserved != values.VPMBASE.VPMURSV) & ~self.idle),
            status.come.VPMEWR.eq(vpm.errors.write_range),
            status.come.VPMERR.eq(vpm.errors.read_range),
            status.come.VPMERNA.eq(vpm.errors.read_unallocated),
            status.come.VPMEWNA.eq(vpm.errors.write_unallocated),
            status.come.VDWE.eq(vpm.errors.store),
            status.come.VCDE.eq(vpm.errors.load),
            status.come.VCDI.eq(~vpm.loading),
        ]
        if self.vertex_pipe is not None:
            m.d.comb += [status.come[name].eq(self.vertex_pipe.errors[name]) for name in VCM_ERRORS.members]

    def _memory(self, m, registers, bus):
        """The way to memory, and what goes wrong there."""
        m.d.comb += [
            registers.response_error_stb.eq(self.response_error_stb),
            registers.response_error_address.eq(self.response_error_address),
            registers.lookup_error_stb.eq(Cat(one.lookup_error for one in self.slices).any()),
        ]
        if self._config.memory_windows:
            m.submodules.windows = windows = Windows(word_bytes=BUS_BYTES, tag_bits=bus.signature.tag_bits)
            connect(m, bus, windows.client)
            for number, window in enumerate(windows.windows):
                m.d.comb += [
                    window.base.eq(getattr(registers.values, f"XWIN{number}BASE").BASE),
                    window.size.eq(getattr(registers.values, f"XWIN{number}SIZE").SIZE),
                ]
            m.d.comb += [
                registers.window_error_stb.eq(windows.error_stb),
                registers.window_error_address.eq(windows.error_address),
            ]
            bus = windows.bus
        connect(m, bus, flipped(self.bus))

    def _caches(self, m, registers, l2c):
        """L2CACTL and SLCACTL."""
        control, clears = registers.written.L2CACTL, registers.written.SLCACTL
        enabled = Signal(init=register("L2CACTL").reset_in(self._config), name="l2c_enabled")
        with m.If(control.L2CDIS):
            m.d.sync += enabled.eq(0)
        with m.Elif(control.L2CENA):
            m.d.sync += enabled.eq(1)
        m.d.comb += [
            l2c.enable.eq(enabled),
            registers.live.L2CACTL.L2CENA.eq(enabled),
            l2c.clear.eq(control.L2CCLR),
        ]
        for number, one in enumerate(self.slices):
            m.d.comb += [
                one.clear_instructions.eq(clears.ICCS[number]),
                one.clear_uniforms.eq(clears.UCCS[number]),
                one.clear_tmus.eq(Cat(clears.T0CCS[number], clears.T1CCS[number])),
            ]
