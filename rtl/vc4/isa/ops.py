"""Operations, conditions, signals, packs and unpacks of the QPU (guide, section 3, tables 2 to 13).

Every enum is total: the reserved codes are members too, because any word may come from memory.
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
    """Operation of the add ALU (table 12)."""

    NOP = 0
    FADD = 1
    FSUB = 2
    FMIN = 3
    FMAX = 4
    FMINABS = 5
    FMAXABS = 6
    FTOI = 7
    ITOF = 8
    RESERVED_9 = 9
    RESERVED_10 = 10
    RESERVED_11 = 11
    ADD = 12
    SUB = 13
    SHR = 14
    ASR = 15
    ROR = 16
    SHL = 17
    MIN = 18
    MAX = 19
    AND = 20
    OR = 21
    XOR = 22
    NOT = 23
    CLZ = 24
    RESERVED_25 = 25
    RESERVED_26 = 26
    RESERVED_27 = 27
    RESERVED_28 = 28
    RESERVED_29 = 29
    V8ADDS = 30
    V8SUBS = 31


class MulOp(enum.Enum, shape=unsigned(3)):
    """Operation of the mul ALU (table 13)."""

    NOP = 0
    FMUL = 1
    MUL24 = 2
    V8MULD = 3
    V8MIN = 4
    V8MAX = 5
    V8ADDS = 6
    V8SUBS = 7


class Condition(enum.Enum, shape=unsigned(3)):
    """When an element of a result is written (table 2)."""

    NEVER = 0
    ALWAYS = 1
    ZS = 2
    ZC = 3
    NS = 4
    NC = 5
    CS = 6
    CC = 7


class BranchCondition(enum.Enum, shape=unsigned(4)):
    """When a branch is taken: over the flags of all sixteen elements (table 11)."""

    ALL_ZS = 0
    ALL_ZC = 1
    ANY_ZS = 2
    ANY_ZC = 3
    ALL_NS = 4
    ALL_NC = 5
    ANY_NS = 6
    ANY_NC = 7
    ALL_CS = 8
    ALL_CC = 9
    ANY_CS = 10
    ANY_CC = 11
    RESERVED_12 = 12
    RESERVED_13 = 13
    RESERVED_14 = 14
    ALWAYS = 15


class Signal(enum.Enum, shape=unsigned(4)):
    """What an instruction signals besides its operations (table 4); the last three select its form."""

    BREAKPOINT = 0
    NONE = 1
    THREAD_SWITCH = 2
    PROGRAM_END = 3
    WAIT_SCOREBOARD = 4
    UNLOCK_SCOREBOARD = 5
    LAST_THREAD_SWITCH = 6
    LOAD_COVERAGE = 7
    LOAD_COLOUR = 8
    LOAD_COLOUR_END = 9
    LOAD_TMU0 = 10
    LOAD_TMU1 = 11
    LOAD_ALPHA_MASK = 12
    SMALL_IMMEDIATE = 13
    LOAD_IMMEDIATE = 14
    BRANCH = 15


class Mux(enum.Enum, shape=unsigned(3)):
    """Source of an ALU operand (table 3)."""

    R0 = 0
    R1 = 1
    R2 = 2
    R3 = 3
    R4 = 4
    R5 = 5
    A = 6
    B = 7


class LoadMode(enum.Enum, shape=unsigned(3)):
    """Form of a load immediate (figure 3, bits 59:57); bit 0: per element, bit 1: unsigned, bit 2: semaphore."""

    WORD = 0
    PER_ELEMENT_SIGNED = 1
    RESERVED_2 = 2
    PER_ELEMENT_UNSIGNED = 3
    SEMAPHORE = 4
    RESERVED_5 = 5
    RESERVED_6 = 6
    RESERVED_7 = 7


class Unpack(enum.Enum, shape=unsigned(3)):
    """How a value of register file A (pm = 0) or r4 (pm = 1) is widened (table 6)."""

    NONE = 0
    HALF_A = 1
    HALF_B = 2
    BYTE_D_REPLICATED = 3
    BYTE_A = 4
    BYTE_B = 5
    BYTE_C = 6
    BYTE_D = 7


class Pack(enum.Enum, shape=unsigned(4)):
    """How a result is narrowed on its way into register file A (pm = 0, table 7)."""

    NONE = 0
    HALF_A = 1
    HALF_B = 2
    BYTE_REPLICATED = 3
    BYTE_A = 4
    BYTE_B = 5
    BYTE_C = 6
    BYTE_D = 7
    SATURATE = 8
    HALF_A_SATURATE = 9
    HALF_B_SATURATE = 10
    BYTE_REPLICATED_SATURATE = 11
    BYTE_A_SATURATE = 12
    BYTE_B_SATURATE = 13
    BYTE_C_SATURATE = 14
    BYTE_D_SATURATE = 15


class MulPack(enum.Enum, shape=unsigned(4)):
    """How a result of the mul ALU becomes a colour (pm = 1, table 9)."""

    NONE = 0
    RESERVED_1 = 1
    RESERVED_2 = 2
    COLOUR_REPLICATED = 3
    COLOUR_A = 4
    COLOUR_B = 5
    COLOUR_C = 6
    COLOUR_D = 7
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
