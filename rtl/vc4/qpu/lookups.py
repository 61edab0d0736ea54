"""What a QPU has asked of the texture units, and what it may ask and load now."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.tmu import REQUEST_SLOTS, RESULT_SLOTS, TMU_NAMES, TmuParameterName

from .control import Control
from .structs import THREADS, TmuEvents, TmuState

__all__ = ["Lookups"]

#: Lookups that have not begun, and begun ones whose results are not loaded.
_MOST_LOOKUPS = REQUEST_SLOTS + RESULT_SLOTS


class Lookups(wiring.Component):
    """Counts slots and results, and knows which unit an instruction means (guide, section 4; addendum for the swap).

    There are always two, each with its own slots and results: whether one unit serves both names cannot be seen.

    A parameter has its slot from the clock in which its instruction is issued, and a result is gone in that clock as well,
    so that the next instruction in SP is judged rightly wherever this one is.

    Interface attributes
    --------------------
    sp_control, sp_thread : the instruction in SP
    issues : it is issued
    swap_pending : an instruction in front of it changes the swap
    swaps : this QPU is one of those whose units change places
    starts, started : a program begins, and its thread
    sets_swap, swap_thread, swap_disabled : a write of `tmu_noswap`
    events : of each unit
    takes_uniform : the parameter takes a uniform
    unit, load_unit : the units that are meant
    state : why it has to wait
    """

    sp_control: In(Control)
    sp_thread: In(1)
    issues: In(1)
    swap_pending: In(1)
    swaps: In(1)
    starts: In(1)
    started: In(1)
    sets_swap: In(1)
    swap_thread: In(1)
    swap_disabled: In(1)
    events: In(data.ArrayLayout(TmuEvents, TMU_NAMES))
    takes_uniform: Out(1)
    unit: Out(1)
    load_unit: Out(1)
    state: Out(TmuState)

    def elaborate(self, platform):
        m = Module()
        control = self.sp_control
        disabled = Signal(THREADS)
        swapped = Signal()
        with m.If(self.sets_swap):
            m.d.sync += disabled.bit_select(self.swap_thread, 1).eq(self.swap_disabled)
        with m.If(self.starts):
            m.d.sync += disabled.bit_select(self.started, 1).eq(0)
        unit, load_unit = self.unit, self.load_unit
        m.d.comb += [
            swapped.eq(self.swaps & ~disabled.bit_select(self.sp_thread, 1)),
            unit.eq(control.tmu_unit ^ swapped),
            load_unit.eq(control.tmu_load_unit ^ swapped),
            self.state.swap.eq((control.writes_tmu | control.loads_tmu) & self.swap_pending),
        ]
        starts = control.tmu_parameter == TmuParameterName.S
        for number in range(TMU_NAMES):
            asks = Signal(name=f"asks_{number}")
            loads = Signal(name=f"loads_{number}")
            m.d.comb += [
                asks.eq(control.writes_tmu & (unit == number)),
                loads.eq(control.loads_tmu & (load_unit == number)),
            ]
            pending = self._count(m, number, self.issues & asks, starts, self.issues & loads, asks, loads)
            with m.If(asks):
                m.d.comb += self.takes_uniform.eq(~starts | pending)
        return m

    def _count(self, m, number, written, starts, loaded, asks, loads):
        """One unit: `written`, a parameter; `loaded`, a word. Returns whether parameters wait for their s."""
        events = self.events[number]
        slots = Signal(range(REQUEST_SLOTS + 1), name=f"slots_{number}")
        words = Signal(range(RESULT_SLOTS + 1), name=f"words_{number}")
        waiting = Signal(range(REQUEST_SLOTS + 1), name=f"waiting_{number}")  # lookups that have not begun
        missing = Signal(range(_MOST_LOOKUPS + 1), name=f"missing_{number}")  # of which not all words are there
        pending = Signal(name=f"pending_{number}")
        begins = events.freed != 0
        m.d.sync += [
            slots.eq(slots + written - events.freed),
            words.eq(words + events.came - loaded),
            waiting.eq(waiting + (written & starts) - begins),
            missing.eq(missing + (written & starts) - events.done),
            Assert(slots <= REQUEST_SLOTS, "more slots than there are"),
            Assert(words <= RESULT_SLOTS, "more results than there is room for"),
            Assert(~loaded | (words != 0), "a result is loaded that is not there"),
        ]
        with m.If(written):
            m.d.sync += pending.eq(~starts)
        full, empty = slots == REQUEST_SLOTS, words == 0
        with m.If(asks & full):
            m.d.comb += [self.state.slot.eq(1), self.state.no_slot.eq((waiting == 0) | events.blocked)]
        with m.If(loads & empty):
            m.d.comb += [self.state.result.eq(1), self.state.no_result.eq(missing == 0)]
        return pending
