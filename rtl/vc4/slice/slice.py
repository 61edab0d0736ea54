"""A slice: QPUs and what they share."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.config import V3DConfig
from vc4.isa.registers import QUADS
from vc4.qps.port import SyncPort
from vc4.qpu.qpu import Qpu
from vc4.qpu.structs import THREADS, DebugCommands, ProgramStart
from vc4.qpu.trace import TracePort
from vc4.records.tmu import TMU_NAMES
from vc4.tlb.port import TlbPort
from vc4.tmu.tmu import Tmu
from vc4.vpm.port import VpmPort

from .fragment_bus import FragmentBus
from .instruction_cache import InstructionCache
from .line_fills import LINE_BUS
from .sfu import Sfu
from .uniform_cache import UniformCache
from .vri import Vri

__all__ = ["Slice", "SliceEvents"]


#: From this QPU of a slice on, texture units change places.
_FIRST_SWAPPED = 2


class SliceEvents(data.Struct):
    """What performance counters count, one bit each."""

    instruction_hit: unsigned(1)
    instruction_miss: unsigned(1)
    uniform_hit: unsigned(1)
    uniform_miss: unsigned(1)
    tmu_quads: unsigned(4)  # of each texture unit: of memory, of textures
    tmu_miss: unsigned(2)


class Slice(wiring.Component):
    """QPUs with their caches and their special function unit (guide, section 2).

    Parameters
    ----------
    config : of the GPU
    number : of this slice

    Interface attributes
    --------------------
    start : programs for each QPU
    place, ended : of each QPU
    vpm, sync : of each QPU
    instruction_bus, uniform_bus, tmu_buses : ports to memory, reads of whole lines
    clear_instructions, clear_uniforms, clear_tmus : forget what the cache holds
    events : for performance counters
    host_interrupt : a program raises the host interrupt, one bit a QPU
    debug, halted : what the host asks of each QPU, and whether it is halted
    idle, executing : of each QPU
    lookup_error : something is looked up that memory does not have, see `Tmu`
    waits_scoreboard, waits_varyings : an instruction of the QPU waits for one of these
    fragments, tlb : fragments and coefficients for it, and the way of each QPU to the tile buffer, if the GPU draws
    waits_tmu : an instruction of the QPU waits for a texture unit
    trace : of each QPU, if the configuration wants it
    """

    def __init__(self, config: V3DConfig, number: int):
        self._config = config
        count = config.qpus_per_slice
        self._number = number
        self.qpus = [Qpu(config) for _ in range(count)]
        self.instruction_cache = InstructionCache(count)
        self.uniform_cache = UniformCache(count)
        self.sfu = Sfu(count)
        self.vri = Vri(count, min(2 * config.lanes, 4)) if config.pixels else None
        units = config.tmus_per_slice
        self.tmus = [Tmu(count, TMU_NAMES // units, config.faults) for _ in range(units)]
        super().__init__(
            {
                "start": In(stream.Signature(ProgramStart)).array(count),
                "place": Out(count),
                "ended": Out(data.ArrayLayout(THREADS, count)),
                "vpm": Out(VpmPort()).array(count),
                "sync": Out(SyncPort()).array(count),
                "instruction_bus": Out(LINE_BUS),
                "uniform_bus": Out(LINE_BUS),
                **({"tmu_buses": Out(self.tmus[0].bus.signature).array(units)} if units else {}),
                "clear_instructions": In(1),
                "clear_uniforms": In(1),
                "clear_tmus": In(config.tmus_per_slice),
                "events": Out(SliceEvents),
                "host_interrupt": Out(count),
                "debug": In(data.ArrayLayout(DebugCommands, count)),
                "halted": Out(count),
                "idle": Out(count),
                "executing": Out(count),
                "lookup_error": Out(1),
                "waits_tmu": Out(count),
                **(
                    {
                        "fragments": In(FragmentBus(count)),
                        "tlb": Out(TlbPort()).array(count),
                        "waits_scoreboard": Out(count),
                        "waits_varyings": Out(count),
                    }
                    if config.pixels
                    else {}
                ),
                **({"trace": Out(TracePort()).array(count)} if config.trace else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.instruction_cache = instructions = self.instruction_cache
        m.submodules.uniform_cache = uniforms = self.uniform_cache
        m.submodules.sfu = sfu = self.sfu
        connect(m, instructions.bus, flipped(self.instruction_bus))
        connect(m, uniforms.bus, flipped(self.uniform_bus))
        m.d.comb += [
            instructions.clear.eq(self.clear_instructions),
            uniforms.clear.eq(self.clear_uniforms),
            self.events.instruction_hit.eq(instructions.hit),
            self.events.instruction_miss.eq(instructions.miss),
            self.events.uniform_hit.eq(uniforms.hit),
            self.events.uniform_miss.eq(uniforms.miss),
        ]
        # The turns of the caches: the slots of QPU n begin in the clocks n, n + 4, n + 8 after a reset.
        turn = Signal(QUADS, init=0b1000)
        m.d.sync += turn.eq(turn.rotate_left(1))
        for place, qpu in enumerate(self.qpus):
            m.submodules[f"qpu{place}"] = qpu
            connect(m, qpu.instructions, instructions.qpus[place])
            connect(m, qpu.uniforms, uniforms.qpus[place])
            connect(m, qpu.sfu, sfu.qpus[place])
            connect(m, qpu.vpm, flipped(self.vpm[place]))
            connect(m, qpu.sync, flipped(self.sync[place]))
            connect(m, flipped(self.start[place]), qpu.start)
            m.d.comb += [
                qpu.number.eq(self._number * len(self.qpus) + place),
                qpu.turn.eq(turn[(place - 1) % QUADS]),
                qpu.debug.eq(self.debug[place]),
                self.place[place].eq(qpu.place),
                self.ended[place].eq(qpu.ended),
                self.halted[place].eq(qpu.halted),
                self.host_interrupt[place].eq(qpu.host_interrupt),
                self.idle[place].eq(qpu.idle),
                self.executing[place].eq(qpu.executing),
            ]
            if self._config.trace:
                connect(m, qpu.trace, flipped(self.trace[place]))
        self._look_up(m)
        if self.vri:
            self._shade(m, self.vri)
        return m

    def _shade(self, m, vri):
        """Fragments: quads and varyings for the QPUs, and their ways to the tile buffer."""
        bus = self.fragments
        m.submodules.vri = vri
        m.d.comb += [
            *(getattr(vri, name).eq(getattr(bus, name)) for name in ("quad", "quad_stb")),
            *(getattr(vri, name).eq(getattr(bus, name)) for name in ("plane_write", "plane_write_stb")),
            *(getattr(vri, name).eq(getattr(bus, name)) for name in ("slot", "slot_write", "slot_write_stb")),
        ]
        for place, qpu in enumerate(self.qpus):
            connect(m, qpu.varyings, vri.ports[place])
            connect(m, qpu.tlb, flipped(self.tlb[place]))
            m.d.comb += [
                qpu.quad.eq(bus.quad),
                qpu.quad_stb.eq(bus.quad_stb[place]),
                self.waits_scoreboard[place].eq(qpu.waits_scoreboard),
                self.waits_varyings[place].eq(qpu.waits_varyings),
            ]

    def _look_up(self, m):
        """The texture units; QPUs 2 and 3 find them the other way round. One that is alone serves both names."""
        for number, unit in enumerate(self.tmus):
            m.submodules[f"tmu{number}"] = unit
            connect(m, unit.bus, flipped(self.tmu_buses[number]))
            m.d.comb += [
                unit.clear.eq(self.clear_tmus[number]),
                self.events.tmu_quads.word_select(number, 2).eq(unit.quads),
                self.events.tmu_miss[number].eq(unit.miss),
            ]
        m.d.comb += self.lookup_error.eq(Cat(unit.error for unit in self.tmus).any())
        if self.tmus:
            clients = [client for unit in self.tmus for client in unit.clients]
            ports = [getattr(qpu, f"tmu{number}") for number in range(TMU_NAMES) for qpu in self.qpus]
            for port, client in zip(ports, clients, strict=True):
                connect(m, port, client)
            for unit in self.tmus:
                m.d.comb += [one.eq(qpu.tmu_parameter) for one, qpu in zip(unit.parameters, self.qpus, strict=True)]
            for place, qpu in enumerate(self.qpus):
                m.d.comb += [qpu.tmu_swaps.eq(place >= _FIRST_SWAPPED), self.waits_tmu[place].eq(qpu.waits_tmu)]
