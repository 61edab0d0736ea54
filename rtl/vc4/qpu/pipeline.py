"""The stages that an instruction goes through, and what it carries."""

from itertools import pairwise

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.registers import QUADS
from vc4.isa.word import WORD_BITS

from .control import Control
from .structs import R4_VECTORS, ThreadView

__all__ = ["STAGES", "Issued", "Pipeline", "StageState"]

#: The stages of the guide's figure 2 as clocks: RA takes two (address, data), and unpacking (RU) one of its own.
STAGES = ("ra", "ra2", "ru", "rr", "a0", "a1", "a2", "io")


class Issued(data.Struct):
    """An instruction as it enters RA."""

    control: Control
    retires: unsigned(1)  # 0: an empty slot
    pc: unsigned(32)
    word: unsigned(WORD_BITS)
    uniform: unsigned(32)  # the uniform that it takes
    store_busy: unsigned(1)  # whether a DMA store was under way
    load_busy: unsigned(1)  # whether a DMA load was under way
    r4_vector: range(R4_VECTORS)  # what it sees as r4
    r4_loaded: unsigned(1)  # it sees what was loaded from a texture unit instead
    view: ThreadView
    leaves: unsigned(1)  # it is the last one before its thread is suspended
    loads_fragments: unsigned(1)  # an empty slot, but for W and Z, which go into registers
    closes: unsigned(1)  # it is the empty slot after a fragment shader
    cancels: unsigned(1)  # it is the empty slot after a program that has set up or read vectors


class StageState(data.Struct):
    """What is in a stage."""

    live: unsigned(1)  # a slot is here, maybe an empty one
    quad: range(QUADS)
    issued: Issued


class Pipeline(wiring.Component):
    """Takes an instruction every four clocks and shows it to each stage, quad after quad.

    An instruction is in RA for the four clocks of a slot, and in each later stage one clock later than in the one before.
    Nothing in it ever waits.

    Interface attributes
    --------------------
    turn : a slot begins with the next clock: QPUs that share something take turns
    issue, issued : a slot enters RA with the next clock
    slot_end : last clock of a slot
    ra, ra2, ru, rr, a0, a1, a2, io : what is in each stage; io is the clock after A2
    """

    def __init__(self):
        super().__init__(
            {
                "turn": In(1),
                "issue": In(1),
                "issued": In(Issued),
                "slot_end": Out(1),
                **{stage: Out(StageState) for stage in STAGES},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.ra.quad.eq(Mux(self.turn, 0, self.ra.quad + 1))
        m.d.comb += self.slot_end.eq(self.ra.quad == QUADS - 1)
        with m.If(self.slot_end):
            m.d.sync += self.ra.live.eq(self.issue)
        # What resets these registers is an empty slot, whose instruction is all zeros: that costs no LUT.
        held = [Signal(Issued, name=f"{stage}_issued", reset_less=True) for stage in STAGES]
        stages = [getattr(self, stage) for stage in STAGES]
        with m.If(self.issue):
            m.d.sync += held[0].eq(self.issued)
        for before, after in pairwise(stages):
            m.d.sync += [after.live.eq(before.live), after.quad.eq(before.quad)]
        m.d.sync += [after.eq(before) for before, after in pairwise(held)]
        m.d.comb += [stage.issued.eq(issued) for stage, issued in zip(stages, held, strict=True)]
        return m
