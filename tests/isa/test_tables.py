"""The tables of the instruction set against those of the guide, written out again here (guide, section 3)."""

import pytest
from amaranth.hdl import Shape

from vc4.isa import ops, timing
from vc4.isa.immediates import ROTATE_BY_R5, ROTATE_FIRST, SMALL_IMMEDIATES
from vc4.isa.registers import (
    ELEMENTWISE_WRITES,
    FILE_REGISTERS,
    NOP,
    READ,
    SIGNAL_UNITS,
    WRITE,
    Register,
    read_address,
    write_address,
)

# Table 12; the reserved codes are checked below.
ADD_OPERATIONS = {
    **{"nop": 0, "fadd": 1, "fsub": 2, "fmin": 3, "fmax": 4, "fminabs": 5, "fmaxabs": 6, "ftoi": 7, "itof": 8},
    **{"add": 12, "sub": 13, "shr": 14, "asr": 15, "ror": 16, "shl": 17, "min": 18, "max": 19, "and": 20, "or": 21},
    **{"xor": 22, "not": 23, "clz": 24, "v8adds": 30, "v8subs": 31},
}
# Table 13.
MUL_OPERATIONS = ["nop", "fmul", "mul24", "v8muld", "v8min", "v8max", "v8adds", "v8subs"]
# Table 2, by the flag and the state that it must have.
CONDITIONS = ["never", "always", "zs", "zc", "ns", "nc", "cs", "cc"]
# Table 11: & is all, | is any; ~ asks for a clear flag.
BRANCH_CONDITIONS = "&Z &~Z |Z |~Z &N &~N |N |~N &C &~C |C |~C"
# Table 4.
SIGNALS = [
    *("breakpoint", "none", "thread switch", "program end", "wait scoreboard", "unlock scoreboard"),
    *("last thread switch", "load coverage", "load colour", "load colour end", "load tmu0", "load tmu1"),
    *("load alpha mask", "small immediate", "load immediate", "branch"),
]
# Table 3.
MUXES = ["r0", "r1", "r2", "r3", "r4", "r5", "a", "b"]
# Table 7: how the number is narrowed, and to where.
PACKS = [
    *("none", "half a", "half b", "byte replicated", "byte a", "byte b", "byte c", "byte d"),
    *("saturate", "half a saturate", "half b saturate", "byte replicated saturate"),
    *(f"byte {byte} saturate" for byte in "abcd"),
]
# Table 6 and 8.
UNPACKS = ["none", "half a", "half b", "byte d replicated", "byte a", "byte b", "byte c", "byte d"]
# Table 14, in the words of the assembler: address, then file A and file B; one name for both if there is only one.
READS = {
    **{32: ["unif"], 35: ["vary"], 38: ["elem_num", "qpu_num"], 39: ["nop"], 41: ["x_coord", "y_coord"]},
    **{42: ["ms_mask", "rev_flag"], 48: ["vpm"], 49: ["vr_busy", "vw_busy"], 50: ["vr_wait", "vw_wait"]},
    **{51: ["mutex"]},
}
WRITES = {
    **{32: ["r0"], 33: ["r1"], 34: ["r2"], 35: ["r3"], 36: ["tmu_noswap"], 37: ["r5quad", "r5rep"], 38: ["irq"]},
    **{39: ["-"], 40: ["unif_addr", "unif_addr_rel"], 41: ["quad_x", "quad_y"], 42: ["ms_mask", "rev_flag"]},
    **{43: ["stencil"], 44: ["tlbz"], 45: ["tlbm"], 46: ["tlbc"], 47: ["tlbam"], 48: ["vpm"]},
    **{49: ["vr_setup", "vw_setup"], 50: ["vr_addr", "vw_addr"], 51: ["mutex"], 52: ["recip"], 53: ["recipsqrt"]},
    **{54: ["exp"], 55: ["log"], 56: ["t0s"], 57: ["t0t"], 58: ["t0r"], 59: ["t0b"], 60: ["t1s"], 61: ["t1t"]},
    **{62: ["t1r"], 63: ["t1b"]},
}
ENUMS = [
    *(ops.AddOp, ops.MulOp, ops.Condition, ops.BranchCondition, ops.Signal, ops.Mux, ops.LoadMode),
    *(ops.Unpack, ops.Pack, ops.MulPack),
]


def names(enum):
    """The names of the codes in use, as the lists above write them."""
    return {m.name.lower().replace("_", " "): m.value for m in enum if "RESERVED" not in m.name}


def numbered(listed):
    return {name: number for number, name in enumerate(listed)}


@pytest.mark.parametrize("enum", ENUMS)
def test_enums_are_total(enum):
    width = Shape.cast(enum).width
    assert [member.value for member in enum] == list(range(1 << width))
    assert all(member.name == f"RESERVED_{member.value}" for member in enum if "RESERVED" in member.name)


def test_operations():
    assert names(ops.AddOp) == ADD_OPERATIONS
    assert names(ops.MulOp) == numbered(MUL_OPERATIONS)


def test_conditions():
    assert names(ops.Condition) == numbered(CONDITIONS)
    spoken = {"&": "all", "|": "any"}
    expected = {
        f"{spoken[text[0]]} {text[-1].lower()}{'c' if '~' in text else 's'}": number
        for number, text in enumerate(BRANCH_CONDITIONS.split())
    }
    assert names(ops.BranchCondition) == {**expected, "always": 15}


def test_signals_and_muxes():
    assert names(ops.Signal) == numbered(SIGNALS)
    assert names(ops.Mux) == numbered(MUXES)


def test_packs_and_unpacks():
    assert names(ops.Pack) == numbered(PACKS)
    assert names(ops.Unpack) == numbered(UNPACKS)
    colours = {f"colour {byte}": 4 + number for number, byte in enumerate("abcd")}
    assert names(ops.MulPack) == {"none": 0, "colour replicated": 3, **colours}


def test_load_modes():
    assert names(ops.LoadMode) == {"word": 0, "per element signed": 1, "per element unsigned": 3, "semaphore": 4}


def test_operands():
    one = {"FTOI", "ITOF", "NOT", "CLZ"}
    for op, count in ops.ADD_OPERANDS.items():
        assert count == (0 if op.name == "NOP" or "RESERVED" in op.name else 1 if op.name in one else 2)
    assert [count for _, count in sorted(ops.MUL_OPERANDS.items(), key=lambda item: item[0].value)] == [0] + [2] * 7


def test_floats():
    both = {"FADD", "FSUB", "FMIN", "FMAX", "FMINABS", "FMAXABS"}
    assert {op.name for op in ops.FLOAT_INPUT_ADD} == both | {"FTOI"}
    assert {op.name for op in ops.FLOAT_RESULT_ADD} == both | {"ITOF"}
    assert {op.name for op in ops.FLOAT_INPUT_MUL} == {op.name for op in ops.FLOAT_RESULT_MUL} == {"FMUL"}


@pytest.mark.parametrize(("port", "expected"), [(READ, READS), (WRITE, WRITES)], ids=["read", "write"])
def test_register_addresses(port, expected):
    assert sorted(port) == sorted(expected)
    for address in range(64):
        if address < FILE_REGISTERS or address not in expected:
            assert [port.name(address, file) for file in range(2)] == [f"ra{address}", f"rb{address}"]
        else:
            listed = expected[address]
            assert [port.name(address, file) for file in range(2)] == [listed[0], listed[-1]]


def test_addresses_by_name():
    assert (read_address("unif"), read_address("vw_wait"), write_address("vw_addr"), NOP) == (32, 50, 50, 39)
    for find, name in ((read_address, "r0"), (write_address, "unif")):
        with pytest.raises(KeyError, match=name):
            find(name)


def test_every_register_has_a_unit_and_a_text():
    for pair in [*READ.values(), *WRITE.values()]:
        for register in pair:
            assert isinstance(register, Register)
            assert register.unit
            assert register.doc


def test_what_is_written_element_by_element():
    assert sorted(ELEMENTWISE_WRITES) == [*range(36), 37, 38]


def test_units_of_signals():
    expected = {0: "breakpoint", 2: "threads", 6: "threads", 10: "tmu", 11: "tmu"}
    expected |= dict.fromkeys([7, 8, 9, 12], "tile_buffer")
    assert {signal.value: unit for signal, unit in SIGNAL_UNITS.items()} == expected


def test_small_immediates():
    """Table 5, rows as printed; codes from 48 on also read as -16 to -1 (QPU facts, 4.1)."""
    printed = {0: 0, 1: 1, 14: 14, 15: 15, 32: 0x3F80_0000, 33: 0x4000_0000, 38: 0x4280_0000, 39: 0x4300_0000}
    printed |= {40: 0x3B80_0000, 41: 0x3C00_0000, 46: 0x3E80_0000, 47: 0x3F00_0000}
    printed |= {16: -16 & 0xFFFF_FFFF, 17: -15 & 0xFFFF_FFFF, 30: -2 & 0xFFFF_FFFF, 31: -1 & 0xFFFF_FFFF}
    printed |= {48: 0xFFFF_FFF0, 49: 0xFFFF_FFF1, 62: 0xFFFF_FFFE, 63: 0xFFFF_FFFF}
    assert len(SMALL_IMMEDIATES) == 64
    assert {code: SMALL_IMMEDIATES[code] for code in printed} == printed
    floats = [SMALL_IMMEDIATES[code] for code in (*range(40, 48), *range(32, 40))]
    assert [b - a for a, b in zip(floats, floats[1:], strict=False)] == [1 << 23] * 15
    integers = [SMALL_IMMEDIATES[code] for code in range(16, 32)]
    assert integers == [SMALL_IMMEDIATES[code] for code in range(48, 64)] == list(range(0xFFFF_FFF0, 0x1_0000_0000))
    assert (ROTATE_FIRST, ROTATE_BY_R5) == (48, 48)


def test_timing():
    assert (timing.DELAY_SLOTS, timing.END_SLOTS, timing.LINK_BYTES, timing.BRANCH_DISTANCE) == (3, 2, 32, 3)
