"""Whether the instruction in SP may go."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .control import Control
from .pipeline import StageState
from .stall import FRAGMENT_SERVICES, UNBUILT, Stall
from .structs import FragmentStalls, TmuState, VpmState

__all__ = ["Issue"]


class Issue(wiring.Component):
    """Combinational: every reason why the instruction in SP has to wait.

    What it depends on may still be in the pipeline, in the slot before or in the one before that; RA and A0 show these two
    at the end of a slot, when it counts.

    Parameters
    ----------
    units : services that the GPU has

    Interface attributes
    --------------------
    sp_valid, sp_error, sp_control : the instruction in SP
    ra, a0 : the two instructions in front of it
    uniform_valid, uniform_error : the next uniform
    takes_uniform : the instruction takes a uniform, for a port or for a texture unit
    vpm : the way to the VPM
    tmu : the texture units
    fragments : fragments and what belongs to them
    cancelling : vectors of the program before are still to be forgotten
    halted : the QPU is halted
    sfu_busy : of the port to the special function unit
    granted : what it asks of semaphores or mutex
    asks : it could be issued if that were granted
    store_pending, load_pending : a DMA store or load runs or is on the way
    link_pending : not even an empty slot may follow now, as the branch before writes its link to an accumulator
    stall : the reasons
    """

    sp_valid: In(1)
    sp_error: In(1)
    sp_control: In(Control)
    ra: In(StageState)
    a0: In(StageState)
    uniform_valid: In(1)
    uniform_error: In(1)
    takes_uniform: In(1)
    vpm: In(VpmState)
    tmu: In(TmuState)
    fragments: In(FragmentStalls)
    cancelling: In(1)
    halted: In(1)
    sfu_busy: In(1)
    granted: In(1)
    asks: Out(1)
    store_pending: Out(1)
    load_pending: Out(1)
    link_pending: Out(1)
    stall: Out(Stall)

    def __init__(self, units: frozenset[str] = frozenset()):
        self._units = units
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        control, stall = self.sp_control, self.stall
        needs = control.needs
        before = [stage.issued.control for stage in (self.ra, self.a0)]
        live = [stage.live for stage in (self.ra, self.a0)]

        def coming(choose):
            """Whether `choose` holds for one of them."""
            return Cat(alive & choose(one) for alive, one in zip(live, before, strict=True)).any()

        moves_uniforms, uses_sfu = coming(lambda one: one.moves_uniforms), coming(lambda one: one.needs.sfu)
        # A branch writes its link to an accumulator a slot later than others write their results.
        late = [live[0], live[1] & before[1].branch]
        sources = [
            alive & (control.rotated_accumulators & one.written_accumulators).any()
            for alive, one in zip(late, before, strict=True)
        ]
        # Without these it could be issued as soon as it is granted what it shares with other QPUs.
        reasons = [
            (stall.uniforms, self.takes_uniform & (~self.uniform_valid | moves_uniforms)),
            (stall.uniform_fault, self.takes_uniform & self.uniform_valid & self.uniform_error & ~moves_uniforms),
            *self._vpm(m, coming),
            # The unit says nothing yet of what the two instructions before write.
            (stall.sfu, ((control.reads_r4 | needs.sfu) & self.sfu_busy) | (needs.sfu & uses_sfu)),
            *((getattr(stall, f"tmu_{name}"), getattr(self.tmu, name)) for name in ("swap", "slot", "result")),
            *((getattr(stall, name), getattr(self.tmu, name)) for name in ("no_slot", "no_result")),
            (stall.fragment_start, self.fragments.start),
            *((getattr(stall, name), getattr(self.fragments, name)) for name in ("scoreboard", "varying", "tlb")),
            (stall.rotation, Cat(sources).any()),
            (stall.link, self.link_pending),
            (stall.halted, self.halted),
            *((stall.unbuilt[name], needs[name] & self._lacks(name)) for name in UNBUILT),
        ]
        m.d.comb += [
            self.link_pending.eq(live[0] & before[0].branch & before[0].written_accumulators.any()),
            stall.fetch.eq(~self.sp_valid),
            stall.fetch_fault.eq(self.sp_valid & self.sp_error),
        ]
        with m.If(self.sp_valid & ~self.sp_error):
            m.d.comb += [
                *(bit.eq(reason) for bit, reason in reasons),
                self.asks.eq((control.acquires_mutex | needs.semaphore) & ~Cat(reason for _, reason in reasons).any()),
                stall.mutex.eq(control.acquires_mutex & ~self.granted),
                stall.semaphore.eq(needs.semaphore & ~self.granted),
            ]
        return m

    def _lacks(self, name):
        """Whether nothing gives the program this service."""
        if name in self._units:
            return Const(0)
        return self.fragments.lacks if name in FRAGMENT_SERVICES else Const(1)

    def _vpm(self, m, coming):
        """The reasons that have to do with the VPM, for an instruction in front of which others are `coming` there."""
        control, stall, vpm = self.sp_control, self.stall, self.vpm
        needs = control.needs
        pending = Signal(name="vpm_pending")  # what was said is not carried out
        lacking = Signal(name="vector_lacking")
        m.d.comb += [
            self.store_pending.eq(coming(lambda one: one.starts_store) | vpm.storing),
            self.load_pending.eq(coming(lambda one: one.starts_load) | vpm.loading),
            pending.eq(coming(lambda one: one.needs.vpm_write | one.needs.vpm_read) | ~vpm.empty | vpm.fetching),
            lacking.eq(needs.vpm_read & ~vpm.readable),
        ]
        return [
            (stall.vpm_read, lacking | ((needs.vpm_read | control.sets_up_reads) & self.cancelling)),
            (stall.no_vector, lacking & ~self.cancelling & ~pending),
            (stall.vpm_write, (needs.vpm_write | needs.vpm_read) & vpm.full),
            (stall.vpm_order, control.releases & pending),
            (stall.vdr, control.waits_load & self.load_pending),
            (stall.vdw, control.waits_store & self.store_pending),
        ]
