"""The 64-bit instruction words (guide, section 3, figures 3 to 7). Low bits first."""

from amaranth.hdl import Shape, unsigned
from amaranth.lib import data

from .ops import AddOp, BranchCondition, Condition, LoadMode, MulOp, Mux, Signal, Unpack

__all__ = ["ALIGNED_BITS", "NOP_WORD", "WORD_BITS", "WORD_BYTES", "AluWord", "BranchWord", "LoadWord"]

WORD_BITS = 64
WORD_BYTES = 8
#: Low bits of the address of an instruction, which are always 0.
ALIGNED_BITS = 3

#: The canonical word that does nothing: both conditions never, all register addresses 39.
NOP_WORD = 0x100009E7_009E7000


class AluWord(data.Struct):
    """ALU instruction (figure 4); with `Signal.SMALL_IMMEDIATE` the field `raddr_b` is a small immediate."""

    mul_b: Mux
    mul_a: Mux
    add_b: Mux
    add_a: Mux
    raddr_b: unsigned(6)
    raddr_a: unsigned(6)
    op_add: AddOp
    op_mul: MulOp
    waddr_mul: unsigned(6)
    waddr_add: unsigned(6)
    ws: unsigned(1)  # 0: add writes file A and mul file B; 1: the reverse
    sf: unsigned(1)
    cond_mul: Condition
    cond_add: Condition
    pack: unsigned(4)  # `Pack` if pm is 0, else `MulPack`
    pm: unsigned(1)  # 0: pack and unpack of register file A; 1: unpack of r4 and colour pack of the mul ALU
    unpack: Unpack
    signal: Signal


class LoadWord(data.Struct):
    """Load immediate and semaphore (figures 5 and 6)."""

    immediate: unsigned(32)
    waddr_mul: unsigned(6)
    waddr_add: unsigned(6)
    ws: unsigned(1)
    sf: unsigned(1)
    cond_mul: Condition
    cond_add: Condition
    pack: unsigned(4)
    pm: unsigned(1)
    mode: LoadMode
    signal: Signal


class BranchWord(data.Struct):
    """Branch (figure 7). Bit 45 is both the low bit of `raddr_a` and the set-flags bit (addendum, section 3)."""

    immediate: unsigned(32)
    waddr_mul: unsigned(6)
    waddr_add: unsigned(6)
    ws: unsigned(1)
    raddr_a: unsigned(5)
    register: unsigned(1)
    relative: unsigned(1)
    condition: BranchCondition
    unused: unsigned(4)
    signal: Signal


for _layout in (AluWord, LoadWord, BranchWord):
    assert Shape.cast(_layout).width == WORD_BITS
