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

    mul_b: Mux  #: operand b of the mul ALU
    mul_a: Mux  #: operand a of the mul ALU
    add_b: Mux  #: operand b of the add ALU
    add_a: Mux  #: operand a of the add ALU
    raddr_b: unsigned(6)  #: what register file B reads; with the signal SMALL_IMMEDIATE a small immediate
    raddr_a: unsigned(6)  #: what register file A reads
    op_add: AddOp  #: operation of the add ALU
    op_mul: MulOp  #: operation of the mul ALU
    waddr_mul: unsigned(6)  #: where the mul ALU writes
    waddr_add: unsigned(6)  #: where the add ALU writes
    ws: unsigned(1)  #: 0: add writes file A and mul file B; 1: the reverse
    sf: unsigned(1)  #: the result of the add ALU, or of the mul ALU if the add ALU has a nop, sets the flags
    cond_mul: Condition  #: in which elements the mul ALU writes
    cond_add: Condition  #: in which elements the add ALU writes
    pack: unsigned(4)  #: `Pack` if pm is 0, else `MulPack`, of the mul ALU
    pm: unsigned(1)  #: 0: pack and unpack of register file A; 1: unpack of r4 and colour pack of the mul ALU
    unpack: Unpack  #: how an operand is widened
    signal: Signal  #: what else happens


class LoadWord(data.Struct):
    """Load immediate and semaphore (figures 5 and 6)."""

    immediate: unsigned(32)  #: what is loaded
    waddr_mul: unsigned(6)  #: where the mul ALU writes it
    waddr_add: unsigned(6)  #: where the add ALU writes it
    ws: unsigned(1)  #: as in an ALU instruction
    sf: unsigned(1)  #: the immediate sets the flags
    cond_mul: Condition  #: in which elements the mul ALU writes
    cond_add: Condition  #: in which elements the add ALU writes
    pack: unsigned(4)  #: as in an ALU instruction
    pm: unsigned(1)  #: as in an ALU instruction
    mode: LoadMode  #: what the elements get
    signal: Signal  #: `LOAD_IMMEDIATE`


class BranchWord(data.Struct):
    """Branch (figure 7). Bit 45 is both the low bit of `raddr_a` and the set-flags bit (addendum, section 3)."""

    immediate: unsigned(32)  #: bytes, which are added to the other parts of the target
    waddr_mul: unsigned(6)  #: where the mul ALU writes the address of the fourth instruction after the branch
    waddr_add: unsigned(6)  #: where the add ALU writes the address of the fourth instruction after the branch
    ws: unsigned(1)  #: as in an ALU instruction
    raddr_a: unsigned(5)  #: register of file A; bit 0 also sets the flags, by the address that is written
    register: unsigned(1)  #: 1: the register, its element 15, is added to the target
    relative: unsigned(1)  #: 1: the address of the fourth instruction after the branch is added to the target
    condition: BranchCondition  #: when the branch is taken
    unused: unsigned(4)
    signal: Signal  #: `BRANCH`


for _layout in (AluWord, LoadWord, BranchWord):
    assert Shape.cast(_layout).width == WORD_BITS
