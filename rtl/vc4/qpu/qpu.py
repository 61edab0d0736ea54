"""The quad processor."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.config import MAX_QPUS, V3DConfig
from vc4.isa.registers import FILE_REGISTERS, QUADS
from vc4.qps.port import SyncPort
from vc4.slice.instruction_cache import InstructionPort
from vc4.slice.sfu_port import SfuPort
from vc4.slice.uniform_reader import UniformPort
from vc4.vpm.port import VpmPort

from .accumulator_lane import OPERANDS
from .accumulators import Accumulators
from .branch import Branch
from .flags import Flags
from .fragment_ports import FRAGMENT_PORTS, attach_fragments
from .front import Front
from .immediate import Immediate
from .lane import Lane
from .loads import attach_loads
from .lookup_ports import LOOKUP_PORTS, attach_lookups
from .outputs import Outputs
from .pipeline import STAGES, Pipeline
from .r4 import R4
from .read_ports import ReadPorts
from .regfile import Regfile
from .results import Results, packs_colour
from .rotate import Rotate
from .structs import LANES, THREADS, DebugCommands, ProgramStart
from .trace import TracePort, attach_trace
from .vpm_queue import VpmQueue
from .write_back import WriteBack

__all__ = ["Qpu"]


class Qpu(wiring.Component):
    """A processor of sixteen elements, four at a time: one instruction every four clocks (guide, section 3).

    Parameters
    ----------
    config : of the GPU

    Interface attributes
    --------------------
    number : of this QPU, which programs can read
    turn : high in the last clock of a slot, every fourth one; it may stay low, and then every slot ends four clocks after the
        one before
    start : programs to run, one after the other
    place, ended : the thread that a program would get now, and those in which one has ended, for a clock
    instructions, uniforms : the instruction and the uniform stream
    vpm : the VPM
    sfu : the special function unit
    sync : semaphores and mutex
    tmu0, tmu1, tmu_swaps : texture units, if the slice has any: one of them may be both; they change places for this QPU
    quad, quad_stb, tlb, varyings : fragments, if the GPU draws
    waits_tmu, waits_scoreboard, waits_varyings : an instruction waits for them
    host_interrupt : the program raises the host interrupt
    debug, halted : what the host asks, and whether the QPU is halted
    idle : no program runs and everything of the last one is written
    executing : an instruction goes on its way, for the four clocks of its slot
    trace : every retired instruction, if the configuration wants it
    """

    def __init__(self, config: V3DConfig):
        self._config = config
        super().__init__(
            {
                "number": In(range(MAX_QPUS)),
                "turn": In(1),
                "start": In(stream.Signature(ProgramStart)),
                "place": Out(1),
                "ended": Out(THREADS),
                "instructions": Out(InstructionPort()),
                "uniforms": Out(UniformPort()),
                "vpm": Out(VpmPort()),
                "sfu": Out(SfuPort()),
                "sync": Out(SyncPort()),
                **(LOOKUP_PORTS if config.tmus_per_slice else {}),
                "host_interrupt": Out(1),
                "debug": In(DebugCommands),
                "halted": Out(1),
                "idle": Out(1),
                "executing": Out(1),
                **(FRAGMENT_PORTS if config.pixels else {}),
                **({"trace": Out(TracePort())} if config.trace else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.front = self.front = Front(self._config)
        m.submodules.pipeline = self.pipeline = Pipeline()
        m.submodules.read_ports = self.read_ports = ReadPorts(fragments=self._config.pixels)
        m.submodules.file_a = self.file_a = Regfile()
        m.submodules.file_b = self.file_b = Regfile()
        m.submodules.branch = self.branch = Branch()
        m.submodules.r4 = self.r4 = R4(loads=bool(self._config.tmus_per_slice or self._config.pixels))
        m.submodules.accumulators = self.accumulators = Accumulators()
        self.lanes = [Lane() for _ in range(LANES)]
        for number, lane in enumerate(self.lanes):
            m.submodules[f"lane_{number}"] = lane
        m.submodules.rotate = self.rotate = Rotate()
        m.submodules.flags = self.flags = Flags()
        m.submodules.results = self.results = Results()
        m.submodules.outputs = self.outputs = Outputs()
        m.submodules.vpm_queue = self.vpm_queue = VpmQueue()
        m.submodules.write_back = self.write_back = WriteBack()
        self._front(m)
        self._read(m)
        self._operate(m)
        self._write(m)
        lookups = attach_lookups(m, self) if self._config.tmus_per_slice else []
        fragments = attach_fragments(m, self, self._config.faults) if self._config.pixels else []
        if lookups or fragments:
            attach_loads(m, self, lookups + fragments)
        if self._config.trace:
            attach_trace(m, self)
        return m

    def _front(self, m):
        """SP: the next instruction, its decoding, and the decision to issue it."""
        front, pipeline, branch, io = self.front, self.pipeline, self.branch, self.pipeline.io
        connect(m, flipped(self.start), front.start)
        connect(m, flipped(self.instructions.words), front.instructions)
        connect(m, flipped(self.uniforms.uniforms), front.uniforms)
        stages = [getattr(pipeline, stage) for stage in STAGES]
        m.d.comb += [
            *(getattr(self.instructions, name).eq(getattr(front, name)) for name in ("redirect", "redirect_stb")),
            *(getattr(self.uniforms, name).eq(getattr(front, f"uniform_{name}")) for name in ("start", "start_stb")),
            *(getattr(self, name).eq(getattr(front, name)) for name in ("halted", "place", "ended")),
            *(getattr(front, name).eq(getattr(branch, name)) for name in ("resolved_stb", "taken", "target")),
            *(getattr(front, name).eq(getattr(pipeline, name)) for name in ("slot_end", "ra", "a0")),
            front.debug.eq(self.debug),
            front.moves_pending.eq(Cat(stage.live & self._moves(stage.issued.control) for stage in stages).any()),
            front.vpm.eq(self.vpm_queue.state),
            front.cancelled.eq(self.vpm_queue.cancelled),
            front.sfu_busy.eq(self.sfu.busy),
            front.granted.eq(self.sync.granted),
            front.r4_vector.eq(self.r4.sp_vector),
            front.r4_loaded.eq(self.r4.sp_loaded),
            self.sync.request.eq(front.sync),
            self.sync.request_valid.eq(front.sync_valid),
            self.sync.take.eq(front.take),
            pipeline.turn.eq(self.turn),
            pipeline.issue.eq(front.issue),
            pipeline.issued.eq(front.issued),
            self.idle.eq(
                ~front.running
                & ~front.waiting
                & ~Cat(stage.live for stage in stages).any()
                & self.vpm_queue.state.empty
                & ~(front.closing if self._config.pixels else 0)
            ),
            self.executing.eq(pipeline.ra.live & pipeline.ra.issued.retires),
            # A thread that is suspended takes its stream along when its last instruction has done everything.
            self.uniforms.enter_stb.eq(front.enters | (io.live & (io.quad == 0) & io.issued.leaves)),
            self.uniforms.enter.eq(Mux(front.enters, front.entered, ~io.issued.view.thread)),
        ]

    @staticmethod
    def _moves(control):
        """Whether an instruction changes what belongs to a thread, and does so after the pipeline."""
        return control.moves_uniforms | control.sets_swap

    def _read(self, m):
        """RA to RU: both ports and the immediate."""
        pipeline, ports, write_back = self.pipeline, self.read_ports, self.write_back
        ra = pipeline.ra
        for file, raddr, data_out, write in (
            (self.file_a, ra.issued.control.raddr_a, ports.ra2_files.a, write_back.wb_a),
            (self.file_b, ra.issued.control.raddr_b, ports.ra2_files.b, write_back.wb_b),
        ):
            enabled = write.address < FILE_REGISTERS
            m.d.comb += [
                file.ra_register.eq(ra.issued.view.address(raddr)),
                file.ra_quad.eq(ra.quad),
                data_out.eq(file.ra2_data),
                file.wb_register.eq(write_back.wb.view.address(write.address)),
                file.wb_quad.eq(pipeline.rr.quad),
                file.wb_data.eq(write.data),
                file.wb_enables.eq(Cat(write.bytes & (enabled & bit).replicate(4) for bit in write.mask)),
            ]
        m.d.comb += [
            ports.number.eq(self.number),
            ports.ra_control.eq(ra.issued.control),
            ports.ra_live.eq(ra.live),
            ports.ra_quad.eq(ra.quad),
            ports.ra_uniform.eq(ra.issued.uniform),
            ports.ra_store_busy.eq(ra.issued.store_busy),
            ports.ra_load_busy.eq(ra.issued.load_busy),
            ports.ra_vector.eq(self.vpm_queue.ra_vector),
        ]
        m.d.comb += [
            self.r4.issues.eq(self.front.issues),
            self.r4.writes.eq(self.front.issued.control.needs.sfu),
            self.r4.result.eq(self.sfu.result),
            self.r4.result_stb.eq(self.sfu.result_stb),
            self.r4.ra2_vector.eq(pipeline.ra2.issued.r4_vector),
            self.r4.ra2_loaded.eq(pipeline.ra2.issued.r4_loaded),
            self.r4.ra2_quad.eq(pipeline.ra2.quad),
        ]
        m.submodules.immediate = self.immediate = Immediate()
        m.d.comb += [self.immediate.ra2.eq(pipeline.ra2), self.immediate.ra2_link.eq(self.branch.ra2_link)]

    def _operate(self, m):
        """RU to A2: operands, both ALUs, rotation and branches."""
        pipeline, ports, accumulators, branch = self.pipeline, self.read_ports, self.accumulators, self.branch
        ra2_control, ru_control = pipeline.ra2.issued.control, pipeline.ru.issued.control
        m.d.comb += accumulators.ru_rotation.eq(
            Mux(ru_control.rotate_by_r5, accumulators.r5_rotation, ru_control.rotation)
        )
        for number, name in enumerate(OPERANDS):
            m.d.comb += [
                accumulators.ra2_names[number].eq(ra2_control[name]),
                accumulators.ru_names[number].eq(ru_control[name]),
            ]
        for number, lane in enumerate(self.lanes):
            m.d.comb += [
                lane.ru_control.eq(ru_control),
                lane.ru_a.eq(ports.ru_values.a[number]),
                lane.ru_b.eq(ports.ru_values.b[number]),
                lane.ru_r4.eq(self.r4.ru_r4[number]),
                lane.ru_immediate.eq(self.immediate.ru_shared),
                lane.ru_immediate_bits.eq(self.immediate.ru_bits[number]),
                lane.rr_control.eq(pipeline.rr.issued.control),
                lane.rr_live.eq(pipeline.rr.live),
                *(lane.rr_accumulators[k].eq(accumulators.rr_values[k][number]) for k in range(len(OPERANDS))),
                lane.rr_packs_colour.eq(packs_colour(pipeline.rr.issued.control)),
                self.rotate.a2_i[number].eq(lane.a2_mul),
            ]
        rotation = accumulators.ru_rotation[: len(self.rotate.a1_amount)]
        for stage in ("rr", "a0", "a1"):
            before, rotation = rotation, Signal.like(self.rotate.a1_amount, name=f"{stage}_rotation")
            m.d.sync += rotation.eq(before)
        m.d.comb += self.rotate.a1_amount.eq(rotation)

        ra, ra2, a2 = pipeline.ra, pipeline.ra2, pipeline.a2
        m.d.comb += [
            branch.ra2_first.eq(ra2.live & (ra2.quad == 0) & ra2.issued.control.branch),
            *(branch.ra_pc.eq(ra.issued.pc), branch.ra2_offset.eq(ra2.issued.control.immediate)),
            branch.ra2_relative.eq(ra2.issued.control.branch_relative),
            branch.ra2_register.eq(ra2.issued.control.branch_register),
            branch.ra2_last.eq(ra2.live & (ra2.quad == QUADS - 1) & ra2.issued.control.branch),
            branch.ra2_element.eq(self.file_a.ra2_data[LANES - 1]),
            branch.a2_first.eq(a2.live & (a2.quad == 0) & a2.issued.control.branch),
            branch.holds.eq(self.flags.branch_holds),
            self.flags.branch_condition.eq(a2.issued.control.branch_condition),
        ]

    def _write(self, m):
        """A1 to WB: conditions, accumulators, I/O, register files and flags."""
        pipeline, results, write_back, outputs = self.pipeline, self.results, self.write_back, self.outputs
        accumulators, flags, a1, a2, rr = self.accumulators, self.flags, pipeline.a1, pipeline.a2, pipeline.rr
        m.d.comb += [
            flags.a1_quad.eq(a1.quad),
            *(flags.a1_add.eq(a1.issued.control.cond_add), flags.a1_mul.eq(a1.issued.control.cond_mul)),
            results.control.eq(a2.issued.control),
            results.live.eq(a2.live),
            write_back.taken.eq(self.branch.taken),
            *(results.add_mask.eq(flags.a2_add), results.mul_mask.eq(flags.a2_mul)),
            *(results.add[number].eq(lane.a2_add) for number, lane in enumerate(self.lanes)),
            results.mul.eq(self.rotate.a2_o),
            accumulators.quad.eq(a2.quad),
            accumulators.a2_add.eq(results.add_write),
            accumulators.a2_mul.eq(results.mul_write),
            *(write_back.a2.eq(a2), write_back.io_live.eq(pipeline.io.live), write_back.rr.eq(rr)),
            write_back.a2_results.eq(results.quad),
            flags.wb_quad.eq(rr.quad),
            flags.wb_mask.eq(write_back.wb_flag_mask),
            flags.wb_flags.eq(write_back.wb_flags),
            outputs.io_control.eq(pipeline.io.issued.control),
            outputs.io_quad.eq(pipeline.io.quad),
            outputs.io_uniform.eq(pipeline.io.issued.uniform),
            self.uniforms.move.eq(outputs.uniform_move),
            self.uniforms.move_stb.eq(outputs.uniform_move_stb),
            self.host_interrupt.eq(outputs.host_interrupt),
            self.sync.free_mutex.eq(outputs.free_mutex),
        ]
        m.d.sync += [
            results.writes.eq(Mux(a1.issued.control.branch, ~a1.live & self.branch.taken, a1.live)),
            outputs.io_add.eq(results.add_write),
            outputs.io_add.mask.eq(results.quad.marks.add_mask),
            outputs.io_mul.eq(results.mul_write),
            outputs.io_mul.mask.eq(results.quad.marks.mul_mask),
        ]
        io = pipeline.io
        m.d.comb += outputs.io_live.eq(io.live & (~io.issued.control.branch | self.branch.taken))
        m.d.comb += [getattr(self.vpm_queue, name).eq(getattr(pipeline, name)) for name in ("ra", "a2", "io")]
        connect(m, outputs.vpm, self.vpm_queue.vectors)
        connect(m, self.vpm_queue.vpm, flipped(self.vpm))
        connect(m, outputs.sfu, flipped(self.sfu.requests))
