"""The quad processor."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.config import V3DConfig
from vc4.isa import ops
from vc4.isa.registers import FILE_REGISTERS, QUADS
from vc4.vpm.port import VpmPort

from .accumulators import Accumulators
from .branch import Branch
from .decode import Decode
from .flags import Flags
from .immediate import Immediate
from .issue import Issue
from .lane import Lane
from .outputs import Outputs
from .pipeline import Pipeline
from .read_ports import ReadPorts
from .regfile import Regfile
from .results import Results
from .rotate import Rotate
from .sequencer import Sequencer
from .structs import LANES, FetchedWord, ProgramStart, Redirect, Uniform, UniformMove
from .trace import Trace, TracePort
from .write_back import WriteBack

__all__ = ["Qpu"]


class Qpu(wiring.Component):
    """A processor of sixteen elements, four at a time: one instruction every four clocks (guide, section 3).

    Parameters
    ----------
    config : of the GPU
    number : of this QPU, which programs can read

    Interface attributes
    --------------------
    start : programs to run, one after the other
    instructions, redirect, redirect_stb : the instruction stream, and where it goes on
    uniforms, uniform_move, uniform_move_stb : the uniform stream, and where it goes on
    vpm : commands and vectors for the VPM
    interrupt : the program raises the host interrupt
    idle : no program runs and everything of the last one is written
    trace : every retired instruction, if the configuration wants it
    """

    def __init__(self, config: V3DConfig, number: int):
        self._config = config
        self._number = number
        self.pipeline = Pipeline()
        super().__init__(
            {
                "start": In(stream.Signature(ProgramStart)),
                "instructions": In(stream.Signature(FetchedWord)),
                "redirect": Out(Redirect),
                "redirect_stb": Out(1),
                "uniforms": In(stream.Signature(Uniform)),
                "uniform_move": Out(UniformMove),
                "uniform_move_stb": Out(1),
                "vpm": Out(VpmPort()),
                "interrupt": Out(1),
                "idle": Out(1),
                **({"trace": Out(TracePort())} if config.trace else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.sequencer = self.sequencer = Sequencer()
        m.submodules.decode = self.decode = Decode()
        m.submodules.issue = self.issue = Issue()
        m.submodules.pipeline = self.pipeline
        m.submodules.read_ports = self.read_ports = ReadPorts(self._number)
        m.submodules.file_a = self.file_a = Regfile()
        m.submodules.file_b = self.file_b = Regfile()
        m.submodules.branch = self.branch = Branch()
        m.submodules.accumulators = self.accumulators = Accumulators()
        self.lanes = [Lane() for _ in range(LANES)]
        for number, lane in enumerate(self.lanes):
            m.submodules[f"lane_{number}"] = lane
        m.submodules.rotate = self.rotate = Rotate()
        m.submodules.flags = self.flags = Flags()
        m.submodules.results = self.results = Results()
        m.submodules.outputs = self.outputs = Outputs()
        m.submodules.write_back = self.write_back = WriteBack()
        self._front(m)
        self._read(m)
        self._operate(m)
        self._write(m)
        if self._config.trace:
            self._trace(m)
        return m

    def _front(self, m):
        """SP: the next instruction, its decoding, and the decision to issue it."""
        sequencer, decode, issue, pipeline = self.sequencer, self.decode, self.issue, self.pipeline
        connect(m, flipped(self.start), sequencer.start)
        connect(m, flipped(self.instructions), sequencer.instructions)
        m.d.comb += [
            self.redirect.eq(sequencer.redirect),
            self.redirect_stb.eq(sequencer.redirect_stb),
            decode.word.eq(sequencer.sp_word),
            sequencer.slot_end.eq(pipeline.slot_end),
            sequencer.stalled.eq(issue.stall.as_value().any()),
            sequencer.link_pending.eq(issue.link_pending),
            sequencer.sp_branch.eq(decode.control.branch),
            sequencer.sp_ends.eq(decode.control.ends),
            issue.sp_valid.eq(sequencer.sp_valid),
            issue.sp_error.eq(sequencer.sp_error),
            issue.sp_control.eq(decode.control),
            issue.ra.eq(pipeline.ra),
            issue.a0.eq(pipeline.a0),
            issue.uniform_valid.eq(self.uniforms.valid),
            issue.uniform_error.eq(self.uniforms.payload.error),
            issue.vpm_level.eq(self.outputs.vpm_level),
            issue.store_busy.eq(self.vpm.store_busy),
            pipeline.issue.eq(sequencer.issue),
            self.uniforms.ready.eq(sequencer.issue & sequencer.sp_valid & decode.control.reads_uniform),
            self.idle.eq(
                ~sequencer.running
                & ~Cat(
                    getattr(pipeline, stage).live for stage in ("ra", "ra2", "ru", "rr", "a0", "a1", "a2", "io")
                ).any()
            ),
        ]
        issued = pipeline.issued
        with m.If(sequencer.sp_valid):  # an empty slot is all zeros: it reads, computes and writes nothing
            m.d.comb += [
                issued.control.eq(decode.control),
                issued.retires.eq(1),
                issued.pc.eq(sequencer.sp_pc),
                issued.word.eq(sequencer.sp_word),
                issued.uniform.eq(self.uniforms.payload.value),
                issued.store_busy.eq(issue.store_pending),
            ]
            with m.If(decode.control.branch & sequencer.branch_close):
                m.d.comb += [
                    issued.control.branch.eq(0),
                    issued.control.sf.eq(0),
                    issued.control.cond_add.eq(ops.Condition.NEVER),
                    issued.control.cond_mul.eq(ops.Condition.NEVER),
                ]

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
                file.ra_register.eq(raddr),
                file.ra_quad.eq(ra.quad),
                data_out.eq(file.ra2_data),
                file.wb_register.eq(write.address),
                file.wb_quad.eq(pipeline.rr.quad),
                file.wb_data.eq(write.data),
                file.wb_enables.eq(Cat(write.bytes & (enabled & bit).replicate(4) for bit in write.mask)),
            ]
        m.d.comb += [
            ports.ra_control.eq(ra.issued.control),
            ports.ra_live.eq(ra.live),
            ports.ra_quad.eq(ra.quad),
            ports.ra_uniform.eq(ra.issued.uniform),
            ports.ra_store_busy.eq(ra.issued.store_busy),
        ]
        m.submodules.immediate = self.immediate = Immediate()
        m.d.comb += self.immediate.ra2.eq(pipeline.ra2)

    def _operate(self, m):
        """RU to A2: operands, both ALUs, rotation and branches."""
        pipeline, ports, accumulators, branch = self.pipeline, self.read_ports, self.accumulators, self.branch
        rr_rotation = Signal(4)
        ru_control = pipeline.ru.issued.control
        m.d.sync += rr_rotation.eq(Mux(ru_control.rotate_by_r5, accumulators.r5_rotation, ru_control.rotation))
        m.d.comb += [accumulators.rr_quad.eq(pipeline.rr.quad), accumulators.rr_rotation.eq(rr_rotation)]
        for number, lane in enumerate(self.lanes):
            m.d.comb += [
                lane.ru_control.eq(ru_control),
                lane.ru_a.eq(ports.ru_values.a[number]),
                lane.ru_b.eq(ports.ru_values.b[number]),
                lane.ru_immediate.eq(self.immediate.ru_value[number]),
                lane.rr_control.eq(pipeline.rr.issued.control),
                lane.rr_live.eq(pipeline.rr.live),
                *(lane.rr_add[k].eq(accumulators.rr_add[k][number]) for k in range(4)),
                *(lane.rr_mul[k].eq(accumulators.rr_mul[k][number]) for k in range(4)),
                lane.rr_r5.eq(accumulators.rr_r5),
                self.rotate.i[number].eq(lane.a2_mul),
            ]
        rotation = rr_rotation[: len(self.rotate.amount)]
        for stage in ("a0", "a1", "a2"):
            before, rotation = rotation, Signal.like(self.rotate.amount, name=f"{stage}_rotation")
            m.d.sync += rotation.eq(before)
        m.d.comb += self.rotate.amount.eq(rotation)

        ra, ra2, a2 = pipeline.ra, pipeline.ra2, pipeline.a2
        m.d.comb += [
            branch.ra_first.eq(ra.live & (ra.quad == 0) & ra.issued.control.branch),
            branch.ra_pc.eq(ra.issued.pc),
            branch.ra_offset.eq(ra.issued.control.immediate),
            branch.ra_relative.eq(ra.issued.control.branch_relative),
            branch.ra_register.eq(ra.issued.control.branch_register),
            branch.ra2_last.eq(ra2.live & (ra2.quad == QUADS - 1) & ra2.issued.control.branch),
            branch.ra2_element.eq(self.file_a.ra2_data[LANES - 1]),
            branch.a2_first.eq(a2.live & (a2.quad == 0) & a2.issued.control.branch),
            branch.holds.eq(self.flags.branch_holds),
            self.flags.branch_condition.eq(a2.issued.control.branch_condition),
            self.sequencer.resolved_stb.eq(branch.resolved_stb),
            self.sequencer.taken.eq(branch.taken),
            self.sequencer.target.eq(branch.target),
        ]

    def _write(self, m):
        """A2 to WB: conditions, accumulators, I/O, register files and flags."""
        pipeline, results, write_back, outputs = self.pipeline, self.results, self.write_back, self.outputs
        accumulators, flags, a2, rr = self.accumulators, self.flags, pipeline.a2, pipeline.rr
        m.d.comb += [
            flags.a2_quad.eq(a2.quad),
            results.control.eq(a2.issued.control),
            results.live.eq(a2.live),
            results.taken.eq(self.branch.taken),
            write_back.taken.eq(self.branch.taken),
            results.flags.eq(flags.a2_flags),
            *(results.add[number].eq(lane.a2_add) for number, lane in enumerate(self.lanes)),
            results.mul.eq(self.rotate.o),
            accumulators.a2_quad.eq(a2.quad),
            accumulators.a2_add.eq(results.add_write),
            accumulators.a2_mul.eq(results.mul_write),
            write_back.a2.eq(a2),
            write_back.a2_results.eq(results.quad),
            write_back.rr.eq(rr),
            flags.wb_quad.eq(rr.quad),
            flags.wb_mask.eq(write_back.wb_flag_mask),
            flags.wb_flags.eq(write_back.wb_flags),
            outputs.io_control.eq(pipeline.io.issued.control),
            outputs.io_quad.eq(pipeline.io.quad),
            self.uniform_move.eq(outputs.uniform_move),
            self.uniform_move_stb.eq(outputs.uniform_move_stb),
            self.interrupt.eq(outputs.interrupt),
        ]
        m.d.sync += [
            outputs.io_add.eq(results.add_write),
            outputs.io_add.mask.eq(results.quad.add_mask),
            outputs.io_mul.eq(results.mul_write),
            outputs.io_mul.mask.eq(results.quad.mul_mask),
        ]
        io = pipeline.io
        m.d.comb += outputs.io_live.eq(io.live & (~io.issued.control.branch | self.branch.taken))
        connect(m, outputs.vpm, flipped(self.vpm))

    def _trace(self, m):
        m.submodules.tracer = trace = Trace()
        connect(m, trace.port, flipped(self.trace))
        sequencer, write_back = self.sequencer, self.write_back
        m.d.comb += [
            trace.rr.eq(self.pipeline.rr),
            trace.wb.eq(write_back.wb),
            trace.wb_add.eq(write_back.wb_add),
            trace.wb_mul.eq(write_back.wb_mul),
            trace.wb_flags.eq(write_back.wb_flags),
            trace.wb_flag_mask.eq(write_back.wb_flag_mask),
            trace.slot_end.eq(self.pipeline.slot_end),
            trace.issues.eq(sequencer.issue & sequencer.sp_valid),
            trace.running.eq(sequencer.running),
            trace.sp_valid.eq(sequencer.sp_valid),
            trace.sp_pc.eq(sequencer.sp_pc),
            trace.stall.eq(self.issue.stall),
        ]
