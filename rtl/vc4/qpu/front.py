"""Stage SP as a whole: the instruction stream, its decoding, and the decision to issue."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.config import V3DConfig
from vc4.isa import ops
from vc4.isa.sync import SEMAPHORE_ACQUIRE
from vc4.qps.port import SyncRequest
from vc4.records.tmu import TMU_NAMES
from vc4.slice.uniform_reader import UniformStream

from .control import Control
from .decode import Decode
from .fragment_front import FRONT_FRAGMENTS, shade
from .halt import Halt
from .issue import Issue
from .lookups import Lookups
from .pipeline import Issued, StageState
from .sequencer import Sequencer
from .stall import Stall
from .structs import (
    R4_VECTORS,
    THREADS,
    DebugCommands,
    FetchedWord,
    ProgramStart,
    Redirect,
    TmuEvents,
    Uniform,
    VpmState,
)
from .threads import Threads

__all__ = ["Front"]


class Front(wiring.Component):
    """Fetches instructions of both threads, decodes them and issues one every four clocks, unless it has to wait.

    Parameters
    ----------
    config : of the GPU

    Interface attributes
    --------------------
    start : programs
    instructions, redirect, redirect_stb : the instruction stream, and where it goes on
    uniforms : the uniform stream
    uniform_start, uniform_start_stb : where the stream of a program begins
    enters, entered : a thread begins or goes on, and which one
    debug, halted : what the host asks, and whether the QPU is halted
    slot_end, ra, a0 : of the pipeline
    tmu_swaps, sets_swap, swap_disabled, swap_thread, tmu_events : of the texture units, see `Lookups`
    moves_pending : an instruction in the pipeline moves the uniform stream
    vpm : the way to the VPM
    cancelled : the vectors of the program before are forgotten
    sfu_busy : the special function unit has to get to something first
    sync, sync_valid, granted, take : what the instruction asks of semaphores and mutex, see `SyncPort`
    r4_vector, r4_loaded : what the instruction in SP sees as r4, see `R4`
    resolved_stb, taken, target : a branch has been decided
    issue, issued : a slot enters RA with the next clock
    issues : with an instruction
    running, waiting : a thread is in SP, and one is suspended
    place, ended : the thread that a program would get, and those in which one has ended
    sp_valid, sp_pc, stall : the instruction in SP, and why it waits
    fragment_state, fragments, closing, tile_beats : see `FragmentIssue`
    """

    def __init__(self, config: V3DConfig):
        self._config = config
        super().__init__(
            {
                "start": In(stream.Signature(ProgramStart)),
                "instructions": In(stream.Signature(FetchedWord)),
                "redirect": Out(Redirect),
                "redirect_stb": Out(1),
                "uniforms": In(stream.Signature(Uniform)),
                "uniform_start": Out(UniformStream),
                "uniform_start_stb": Out(1),
                "enters": Out(1),
                "entered": Out(1),
                "debug": In(DebugCommands),
                "halted": Out(1),
                "slot_end": In(1),
                "ra": In(StageState),
                "a0": In(StageState),
                "moves_pending": In(1),
                "tmu_swaps": In(1),
                "sets_swap": In(1),
                "swap_disabled": In(1),
                "swap_thread": In(1),
                "tmu_events": In(data.ArrayLayout(TmuEvents, TMU_NAMES if config.tmus_per_slice else 0)),
                "vpm": In(VpmState),
                "cancelled": In(1),
                "sfu_busy": In(1),
                "sync": Out(SyncRequest),
                "sync_valid": Out(1),
                "granted": In(1),
                "take": Out(1),
                "r4_vector": In(range(R4_VECTORS)),
                "r4_loaded": In(1),
                "resolved_stb": In(1),
                "taken": In(1),
                "target": In(32),
                "issue": Out(1),
                "issued": Out(Issued),
                "issues": Out(1),
                "running": Out(1),
                "waiting": Out(1),
                "place": Out(1),
                "ended": Out(THREADS),
                "sp_valid": Out(1),
                "sp_pc": Out(32),
                "stall": Out(Stall),
                **(FRONT_FRAGMENTS if config.pixels else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.threads = threads = Threads()
        m.submodules.sequencer = sequencer = Sequencer()
        m.submodules.decode = decode = Decode()
        m.submodules.issue = issue = Issue(self._config.units)
        m.submodules.halt = halt = Halt()
        self._takes_uniform = Signal(name="takes_uniform")
        connect(m, flipped(self.start), threads.start)
        connect(m, flipped(self.instructions), sequencer.instructions)
        # A word is decoded on its way into SP, so that all of a clock is left to decide whether it goes.
        control = Signal(Control, name="sp_control", reset_less=True)  # nobody looks at it before a word is loaded
        with m.If(sequencer.loads):
            m.d.sync += control.eq(decode.control)
        m.d.comb += [
            threads.running.eq(sequencer.running),
            # An empty slot is issued after the last instruction of a program.
            threads.ends.eq(sequencer.issue & ~sequencer.sp_valid),
            threads.settled.eq(~self.moves_pending),
            *(getattr(threads, name).eq(getattr(sequencer, name)) for name in ("asks", "leaves", "resume_pc")),
            *(getattr(sequencer, name).eq(getattr(threads, name)) for name in ("enters", "offers", "pc", "current")),
            *(
                getattr(sequencer, name).eq(getattr(self, name))
                for name in ("slot_end", "resolved_stb", "taken", "target")
            ),
            sequencer.stalled.eq(issue.stall.as_value().any()),
            sequencer.link_pending.eq(issue.link_pending),
            sequencer.halted.eq(halt.halted),
            sequencer.sp_branch.eq(control.branch),
            sequencer.sp_ends.eq(control.ends),
            sequencer.sp_switches.eq(control.needs.threads),
            decode.word.eq(self.instructions.payload.word),
            *(getattr(issue, name).eq(getattr(self, name)) for name in ("ra", "a0", "vpm", "sfu_busy", "granted")),
            issue.sp_valid.eq(sequencer.sp_valid),
            issue.sp_error.eq(sequencer.sp_error),
            issue.sp_control.eq(control),
            issue.takes_uniform.eq(self._takes_uniform),
            issue.uniform_valid.eq(self.uniforms.valid),
            issue.uniform_error.eq(self.uniforms.payload.error),
            issue.halted.eq(halt.waits),
            halt.commands.eq(self.debug),
            halt.issues.eq(sequencer.issue_instruction),
            halt.sp_breakpoint.eq(control.needs.breakpoint),
        ]
        self._issued(m, sequencer, control, issue)
        m.d.comb += self._takes_uniform.eq(control.reads_uniform | self._look_up(m, sequencer, threads, control, issue))
        self._cancel(m, sequencer, control, issue)
        shade(m, self, sequencer, threads, issue, fragments=self._config.pixels)
        self._share(m, sequencer, control, issue.asks)
        for outputs, names in (
            (threads, ("uniform_start", "uniform_start_stb", "enters", "entered", "waiting", "place", "ended")),
            (sequencer, ("redirect", "redirect_stb", "running", "sp_valid", "sp_pc")),
            (issue, ("stall",)),
            (halt, ("halted",)),
        ):
            m.d.comb += [getattr(self, name).eq(getattr(outputs, name)) for name in names]
        m.d.comb += self.issues.eq(sequencer.issue_instruction)
        return m

    def _look_up(self, m, sequencer, threads, control, issue):
        """The texture units, if there are any. Returns whether a parameter takes a uniform."""
        if not self._config.tmus_per_slice:
            return C(0, 1)
        m.submodules.lookups = lookups = Lookups()
        m.d.comb += [
            lookups.sp_control.eq(control),
            lookups.sp_thread.eq(sequencer.sp_view.thread),
            lookups.issues.eq(sequencer.issue_instruction),
            lookups.swap_pending.eq(
                Cat(stage.live & stage.issued.control.sets_swap for stage in (self.ra, self.a0)).any()
            ),
            lookups.swaps.eq(self.tmu_swaps),
            lookups.starts.eq(threads.uniform_start_stb),
            lookups.started.eq(threads.uniform_start.thread),
            *(getattr(lookups, name).eq(getattr(self, name)) for name in ("sets_swap", "swap_disabled", "swap_thread")),
            lookups.events.eq(self.tmu_events),
            issue.tmu.eq(lookups.state),
            self.issued.control.tmu_unit.eq(lookups.unit),
            self.issued.control.tmu_load_unit.eq(lookups.load_unit),
        ]
        return lookups.takes_uniform

    def _share(self, m, sequencer, control, asks):
        """Semaphores and mutex are asked at the end of a slot, when it is known that nothing else is in the way."""
        with m.If(self.slot_end):
            m.d.sync += self.sync_valid.eq(asks & ~sequencer.issue_instruction)
        m.d.comb += [
            self.sync.number.eq(control.immediate),
            self.sync.acquire.eq((control.immediate & SEMAPHORE_ACQUIRE).any()),
            self.sync.mutex.eq(control.acquires_mutex),
            self.take.eq(sequencer.issue_instruction & (control.acquires_mutex | control.needs.semaphore)),
        ]

    def _cancel(self, m, sequencer, control, issue):
        """The empty slot after a program forgets what has been set up and not been read. Nobody sets up more until that is
        done, so that there is one cancel at the most.
        """
        reads = Signal()  # there may be something to forget
        cancels = Signal()
        m.d.comb += [cancels.eq(sequencer.issue & ~sequencer.sp_valid & reads), self.issued.cancels.eq(cancels)]
        with m.If(sequencer.issue_instruction & (control.needs.vpm_read | control.sets_up_reads)):
            m.d.sync += reads.eq(1)
        with m.Elif(cancels):
            m.d.sync += reads.eq(0)
        m.d.sync += issue.cancelling.eq(cancels | (issue.cancelling & ~self.cancelled))

    def _issued(self, m, sequencer, control, issue):
        """What enters RA; the control of an empty slot is all zeros: it reads, computes and writes nothing."""
        issued = self.issued
        m.d.comb += [
            self.uniforms.ready.eq(sequencer.issue_instruction & self._takes_uniform),
            issued.pc.eq(sequencer.sp_pc),
            issued.word.eq(sequencer.sp_word),
            issued.uniform.eq(self.uniforms.payload.value),
            issued.store_busy.eq(issue.store_pending),
            issued.load_busy.eq(issue.load_pending),
            issued.r4_vector.eq(self.r4_vector),
            issued.r4_loaded.eq(self.r4_loaded),
            issued.view.eq(sequencer.sp_view),
        ]
        # Slots of fragments that begin go in front of the instruction.
        with m.If(sequencer.sp_valid & ~issue.fragments.start):
            m.d.comb += [
                issued.control.eq(control),
                issued.retires.eq(1),
                issued.control.reads_uniform.eq(self._takes_uniform),
                issued.leaves.eq(sequencer.sp_leaves),
                # The stream of the other thread takes the place of this one's.
                issued.control.moves_uniforms.eq(control.moves_uniforms | sequencer.sp_leaves),
            ]
            with m.If(control.branch & sequencer.branch_close):
                m.d.comb += [
                    issued.control.branch.eq(0),
                    issued.control.sf.eq(0),
                    issued.control.cond_add.eq(ops.Condition.NEVER),
                    issued.control.cond_mul.eq(ops.Condition.NEVER),
                ]
