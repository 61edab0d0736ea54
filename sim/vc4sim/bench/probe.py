"""Signals for waves: what is in each stage of a QPU, as text."""

from collections.abc import Callable

from amaranth import *

from vc4.qpu.pipeline import STAGES, Issued
from vc4.qpu.qpu import Qpu
from vc4.qpu.stall import STALL_REASONS
from vc4.qpu.trace import TracePort

from ..asm import disassemble

__all__ = ["SP", "STAGE_SIGNALS", "PipelineProbe", "instruction_text", "stall_text"]

#: The stage in front of the pipeline's own.
SP = "sp"
#: What the probe has for each stage.
STAGE_SIGNALS = ("live", "quad", "pc", "text")

_QUAD_BITS = 2


def instruction_text(word: int) -> str:
    """The instruction as it is shown: nothing for an empty slot.

    A word that the language cannot say is shown as the statement that comes nearest, not as a number.
    """
    if not word:
        return ""
    text = disassemble(word)
    return text.partition("# ")[2] or text if text.startswith(".long") else text


def stall_text(bits: int) -> str:
    """The reasons for a stall."""
    return ", ".join(reason for bit, reason in enumerate(STALL_REASONS) if bits >> bit & 1)


class PipelineProbe(Elaboratable):
    """For SP and each stage `S` of a pipeline, the signals `S_live`, `S_quad`, `S_pc` and `S_text`.

    A stage is live if an instruction is there; in SP and in empty slots, the quad is 0. The text is a string in waves.
    The signal `stall` is a string too: the reasons that kept an instruction in SP, in the last clock of a slot.

    Parameters
    ----------
    qpu : whose pipeline is shown; it must be elaborated before
    trace : its trace port
    """

    def __init__(self, qpu: Qpu, trace: TracePort):
        self._qpu = qpu
        self._trace = trace
        self.stages = {stage: _stage_signals(stage) for stage in (SP, *STAGES)}
        self.stall = _text_signal("stall", len(trace.stall.as_value()), stall_text)

    def elaborate(self, platform):
        m, pipeline = Module(), self._qpu.pipeline
        self._show(m, SP, 1, 0, pipeline.issued)
        for stage in STAGES:
            state = getattr(pipeline, stage)
            self._show(m, stage, state.live, state.quad, state.issued)
        waits = pipeline.slot_end & self._trace.running
        m.d.comb += self.stall.eq(Mux(waits, self._trace.stall.as_value(), 0))
        return m

    def _show(self, m: Module, stage: str, live, quad, issued: Issued) -> None:
        signals = self.stages[stage]
        with m.If(live & issued.retires):
            m.d.comb += [
                signals["live"].eq(1),
                signals["quad"].eq(quad),
                signals["pc"].eq(issued.pc),
                signals["text"].eq(issued.word),
            ]


def _stage_signals(stage: str) -> dict[str, Signal]:
    live, quad, pc, text = (f"{stage}_{name}" for name in STAGE_SIGNALS)
    signals = (Signal(name=live), Signal(_QUAD_BITS, name=quad), Signal(32, name=pc))
    return dict(zip(STAGE_SIGNALS, (*signals, _text_signal(text, 64, instruction_text)), strict=True))


def _text_signal(name: str, width: int, decoder: Callable[[int], str]) -> Signal:
    return Signal(width, name=name, decoder=decoder)
