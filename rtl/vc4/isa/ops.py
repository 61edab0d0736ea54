"""Operations, conditions, signals, packs and unpacks of the QPU (guide, section 3, tables 2 to 13).

Every enum is total: the reserved codes are members too, because any word may come from memory. The text after `#:` says
what a code means, here as in the tables of registers and records: the documentation and `vc4 isa` read it.
"""

from amaranth.hdl import unsigned
from amaranth.lib import enum

__all__ = [
    "ADD_OPERANDS",
    "FLOAT_INPUT_ADD",
    "FLOAT_INPUT_MUL",
    "FLOAT_RESULT_ADD",
    "FLOAT_RESULT_MUL",
    "MUL_OPERANDS",
    "AddOp",
    "BranchCondition",
    "Condition",
    "LoadMode",
    "MulOp",
    "MulPack",
    "Mux",
    "Pack",
    "Signal",
    "Unpack",
]


class AddOp(enum.Enum, shape=unsigned(5)):
    """Operation of the add ALU, on operands a and b of each element (table 12). `C`: what sets the carry; without, it is clear."""

    NOP = 0  #: nothing, and nothing is written
    FADD = 1  #: a + b, floats; C: the result is greater than 0
    FSUB = 2  #: a - b, floats; C: the result is greater than 0
    FMIN = 3  #: the smaller one of two floats; C: a is greater
    FMAX = 4  #: the larger one of two floats; C: a is greater
    FMINABS = 5  #: the smaller magnitude of two floats; C: that of a is greater
    FMAXABS = 6  #: the larger magnitude of two floats; C: that of a is greater
    FTOI = 7  #: the float a as a signed integer, cut off toward zero
    ITOF = 8  #: the signed integer a as a float, cut off toward zero; C: the result is greater than 0
    RESERVED_9 = 9
    RESERVED_10 = 10
    RESERVED_11 = 11
    ADD = 12  #: a + b, modulo 2^32; C: carry out of bit 31
    SUB = 13  #: a - b, modulo 2^32; C: borrow, a is less than b as unsigned numbers
    SHR = 14  #: a shifted right by b modulo 32, zeros come in; C: the last bit that goes out
    ASR = 15  #: a shifted right by b modulo 32, copies of its sign come in; C: the last bit that goes out
    ROR = 16  #: a rotated right by b modulo 32
    SHL = 17  #: a shifted left by b modulo 32, zeros come in; C: the last bit that goes out
    MIN = 18  #: the smaller one of two signed integers; C: a is greater
    MAX = 19  #: the larger one of two signed integers; C: a is greater
    AND = 20  #: bits that are 1 in both
    OR = 21  #: bits that are 1 in one of them or both
    XOR = 22  #: bits that are 1 in one of them only
    NOT = 23  #: all bits of a inverted
    CLZ = 24  #: how many zeros a begins with, from bit 31 on; of 0, 32
    RESERVED_25 = 25
    RESERVED_26 = 26
    RESERVED_27 = 27
    RESERVED_28 = 28
    RESERVED_29 = 29
    V8ADDS = 30  #: a + b of each byte, unsigned, at most 255
    V8SUBS = 31  #: a - b of each byte, unsigned, at least 0


class MulOp(enum.Enum, shape=unsigned(3)):
    """Operation of the mul ALU, on operands a and b of each element (table 13). `C`: what sets the carry; without, it is clear."""

    NOP = 0  #: nothing; with a destination, the last quad of the result before, again in every quad
    FMUL = 1  #: a b, floats
    MUL24 = 2  #: a b of the low 24 bits, unsigned, modulo 2^32; C: the product needs more bits
    V8MULD = 3  #: a b / 255 of each byte, unsigned, rounded to the nearest
    V8MIN = 4  #: the smaller one of each two bytes, unsigned
    V8MAX = 5  #: the larger one of each two bytes, unsigned
    V8ADDS = 6  #: a + b of each byte, unsigned, at most 255
    V8SUBS = 7  #: a - b of each byte, unsigned, at least 0


class Condition(enum.Enum, shape=unsigned(3)):
    """When an element of a result is written (table 2)."""

    NEVER = 0  #: nowhere
    ALWAYS = 1  #: everywhere
    ZS = 2  #: where Z is set: the result was 0
    ZC = 3  #: where Z is clear
    NS = 4  #: where N is set: bit 31 of the result was 1
    NC = 5  #: where N is clear
    CS = 6  #: where C is set: see the operations
    CC = 7  #: where C is clear


class BranchCondition(enum.Enum, shape=unsigned(4)):
    """When a branch is taken: over the flags of all sixteen elements (table 11)."""

    ALL_ZS = 0  #: all elements have Z set
    ALL_ZC = 1  #: all elements have Z clear
    ANY_ZS = 2  #: at least one element has Z set
    ANY_ZC = 3  #: at least one element has Z clear
    ALL_NS = 4  #: all elements have N set
    ALL_NC = 5  #: all elements have N clear
    ANY_NS = 6  #: at least one element has N set
    ANY_NC = 7  #: at least one element has N clear
    ALL_CS = 8  #: all elements have C set
    ALL_CC = 9  #: all elements have C clear
    ANY_CS = 10  #: at least one element has C set
    ANY_CC = 11  #: at least one element has C clear
    RESERVED_12 = 12
    RESERVED_13 = 13
    RESERVED_14 = 14
    ALWAYS = 15  #: whatever the flags are


class Signal(enum.Enum, shape=unsigned(4)):
    """What an instruction signals besides its operations (table 4); the last three select its form."""

    BREAKPOINT = 0  #: the QPU halts after this instruction, if the host has enabled debugging (DBCFG)
    NONE = 1  #: nothing
    THREAD_SWITCH = 2  #: after two more instructions the other thread of the QPU goes on
    PROGRAM_END = 3  #: the program ends after two more instructions
    WAIT_SCOREBOARD = 4  #: waits until earlier fragments at these pixels are done; nothing here: the first access waits
    UNLOCK_SCOREBOARD = 5  #: later fragments at these pixels may use the tile buffer; nothing here: the end does that
    LAST_THREAD_SWITCH = 6  #: a thread switch; this program makes no further one
    LOAD_COVERAGE = 7  #: r4 receives the coverage of the pixels from the tile buffer
    LOAD_COLOUR = 8  #: r4 receives the colour of the pixels, or of their next sample, from the tile buffer
    LOAD_COLOUR_END = 9  #: the same, and the program ends after two more instructions
    LOAD_TMU0 = 10  #: waits for the next result of TMU 0, which r4 receives
    LOAD_TMU1 = 11  #: waits for the next result of TMU 1, which r4 receives
    LOAD_ALPHA_MASK = 12  #: r4 receives the alpha mask of the pixels from the tile buffer
    SMALL_IMMEDIATE = 13  #: the field `raddr_b` is a small immediate, or rotates the result of the mul ALU
    LOAD_IMMEDIATE = 14  #: the word loads an immediate, or is a semaphore instruction
    BRANCH = 15  #: the word is a branch


class Mux(enum.Enum, shape=unsigned(3)):
    """Source of an ALU operand (table 3)."""

    R0 = 0  #: accumulator r0
    R1 = 1  #: accumulator r1
    R2 = 2  #: accumulator r2
    R3 = 3  #: accumulator r3
    R4 = 4  #: accumulator r4: what the SFU, a TMU or the tile buffer has delivered
    R5 = 5  #: accumulator r5
    A = 6  #: what register file A delivers at address `raddr_a`
    B = 7  #: what register file B delivers at address `raddr_b`, or the small immediate


class LoadMode(enum.Enum, shape=unsigned(3)):
    """Form of a load immediate (figure 3, bits 59:57); bit 0: per element, bit 1: unsigned, bit 2: semaphore."""

    WORD = 0  #: all elements get the 32 bits
    PER_ELEMENT_SIGNED = 1  #: element i gets bit i and, worth -2, bit 16 + i: -2 to 1
    RESERVED_2 = 2
    PER_ELEMENT_UNSIGNED = 3  #: element i gets bit i and, worth 2, bit 16 + i: 0 to 3
    SEMAPHORE = 4  #: bits 3:0 name a semaphore; bit 4: 0 counts it up and waits at 15, 1 counts it down and waits at 0
    RESERVED_5 = 5
    RESERVED_6 = 6
    RESERVED_7 = 7


class Unpack(enum.Enum, shape=unsigned(3)):
    """How a value of register file A (pm = 0) or r4 (pm = 1) is widened (table 6)."""

    NONE = 0  #: all 32 bits
    HALF_A = 1  #: the low half: sign-extended, or a half float
    HALF_B = 2  #: the high half: sign-extended, or a half float
    BYTE_D_REPLICATED = 3  #: the highest byte in all four bytes
    BYTE_A = 4  #: bits 7:0: zero-extended, or as a float from 0 to 1
    BYTE_B = 5  #: bits 15:8, as above
    BYTE_C = 6  #: bits 23:16, as above
    BYTE_D = 7  #: bits 31:24, as above


class Pack(enum.Enum, shape=unsigned(4)):
    """How a result is narrowed on its way into register file A (pm = 0, table 7)."""

    NONE = 0  #: all 32 bits
    HALF_A = 1  #: to the low half: the low 16 bits, or a half float
    HALF_B = 2  #: to the high half: the low 16 bits, or a half float
    BYTE_REPLICATED = 3  #: the low byte to all four bytes
    BYTE_A = 4  #: the low byte to bits 7:0
    BYTE_B = 5  #: the low byte to bits 15:8
    BYTE_C = 6  #: the low byte to bits 23:16
    BYTE_D = 7  #: the low byte to bits 31:24
    SATURATE = 8  #: all 32 bits; a sum or difference that does not fit becomes the nearest signed integer
    HALF_A_SATURATE = 9  #: to the low half, limited to a signed integer of 16 bits, or a half float
    HALF_B_SATURATE = 10  #: to the high half, limited to a signed integer of 16 bits, or a half float
    BYTE_REPLICATED_SATURATE = 11  #: limited to 0 to 255, to all four bytes
    BYTE_A_SATURATE = 12  #: limited to 0 to 255, to bits 7:0
    BYTE_B_SATURATE = 13  #: limited to 0 to 255, to bits 15:8
    BYTE_C_SATURATE = 14  #: limited to 0 to 255, to bits 23:16
    BYTE_D_SATURATE = 15  #: limited to 0 to 255, to bits 31:24


class MulPack(enum.Enum, shape=unsigned(4)):
    """How a result of the mul ALU, a float from 0 to 1, becomes a colour, a byte from 0 to 255 (pm = 1, table 9)."""

    NONE = 0  #: all 32 bits
    RESERVED_1 = 1
    RESERVED_2 = 2
    COLOUR_REPLICATED = 3  #: the colour to all four bytes
    COLOUR_A = 4  #: the colour to bits 7:0
    COLOUR_B = 5  #: the colour to bits 15:8
    COLOUR_C = 6  #: the colour to bits 23:16
    COLOUR_D = 7  #: the colour to bits 31:24
    RESERVED_8 = 8
    RESERVED_9 = 9
    RESERVED_10 = 10
    RESERVED_11 = 11
    RESERVED_12 = 12
    RESERVED_13 = 13
    RESERVED_14 = 14
    RESERVED_15 = 15


_UNARY = (AddOp.FTOI, AddOp.ITOF, AddOp.NOT, AddOp.CLZ)

#: Operands that an operation of the add ALU has; a unary one reads operand A. Reserved codes act as nop.
ADD_OPERANDS = {op: 0 if op is AddOp.NOP or "RESERVED" in op.name else 1 if op in _UNARY else 2 for op in AddOp}
#: Operands that an operation of the mul ALU has.
MUL_OPERANDS = {op: 0 if op is MulOp.NOP else 2 for op in MulOp}

#: Operations that make an unpack of register file A convert to float (QPU facts, 3.1).
FLOAT_INPUT_ADD = frozenset({AddOp.FADD, AddOp.FSUB, AddOp.FMIN, AddOp.FMAX, AddOp.FMINABS, AddOp.FMAXABS, AddOp.FTOI})
FLOAT_INPUT_MUL = frozenset({MulOp.FMUL})
#: Operations whose result a pack into register file A takes as float (QPU facts, 3.3).
FLOAT_RESULT_ADD = (FLOAT_INPUT_ADD - {AddOp.FTOI}) | {AddOp.ITOF}
FLOAT_RESULT_MUL = FLOAT_INPUT_MUL
