"""What the model makes of an instruction word, with literal expectations (QPU facts, 2.3, 4 and 6)."""

import pytest

from vc4.isa.decode import encode
from vc4.isa.ops import AddOp, BranchCondition, Condition, LoadMode, MulOp, Mux, Signal, Unpack
from vc4.isa.word import NOP_WORD, AluWord, BranchWord, LoadWord
from vc4sim.asm import assemble
from vc4sim.model.qpu.decoded import Branch, Write, decoded, element_values


def planned(line):
    return decoded(int.from_bytes(assemble(line).code[:8], "little"))


def signed(values):
    return [value - (value >> 31 << 32) for value in values]


def test_nop():
    todo = decoded(NOP_WORD)
    assert (todo.op_add, todo.op_mul, todo.raddr, todo.units) == (AddOp.NOP, MulOp.NOP, (None, None), ())
    assert [write.condition for write in todo.writes] == [Condition.NEVER] * 2
    assert todo.small_immediate is todo.immediate is todo.branch is None


def test_an_instruction_of_both_alus():
    todo = planned("fadd.setf ra3.16a, r1, rb7; fmul.ifz r2, r0, r4")
    assert (todo.op_add, todo.op_mul) == (AddOp.FADD, MulOp.FMUL)
    assert todo.muxes == (Mux.R1, Mux.B, Mux.R0, Mux.R4)
    assert todo.raddr == (None, 7)
    assert todo.writes == (Write(0, 3, Condition.ALWAYS), Write(1, 34, Condition.ZS))
    assert (todo.set_flags, todo.pm, todo.pack) == (True, 0, 1)
    assert [write.is_file for write in todo.writes] == [True, False]


@pytest.mark.parametrize(
    ("code", "value", "rotation"),
    [(0, 0, 0), (15, 15, 0), (16, -16, 0), (31, -1, 0), (48, -16, None), (49, -15, 1), (63, -1, 15)],
)
def test_small_immediates_and_rotations(code, value, rotation):
    todo = decoded(encode(AluWord, signal=Signal.SMALL_IMMEDIATE, raddr_a=39, raddr_b=code))
    assert todo.small_immediate == value & 0xFFFF_FFFF
    assert todo.rotation == rotation
    assert todo.raddr == (None, None)


@pytest.mark.parametrize(
    ("add", "mul", "muxes", "floats"),
    [
        (AddOp.FADD, MulOp.V8MIN, "A 0 0 0", True),
        (AddOp.FADD, MulOp.V8MIN, "0 0 A A", False),
        (AddOp.ITOF, MulOp.NOP, "A A 0 0", False),
        (AddOp.FTOI, MulOp.NOP, "A A 0 0", True),
        (AddOp.ADD, MulOp.FMUL, "A 0 0 A", True),
        (AddOp.ADD, MulOp.FMUL, "A A 0 B", False),
    ],
)
def test_an_unpack_converts_if_any_alu_takes_it_as_float(add, mul, muxes, floats):
    sources = {"A": Mux.A, "B": Mux.B, "0": Mux.R0}
    add_a, add_b, mul_a, mul_b = (sources[name] for name in muxes.split())
    fields = {"add_a": add_a, "add_b": add_b, "mul_a": mul_a, "mul_b": mul_b, "op_add": add, "op_mul": mul}
    assert decoded(encode(AluWord, signal=Signal.NONE, unpack=Unpack.HALF_A, **fields)).unpack_float == floats
    assert decoded(encode(AluWord, signal=Signal.NONE, unpack=Unpack.HALF_A, pm=1, **fields)).unpack_float


def test_reserved_operations_compute_nothing():
    for op in AddOp:
        todo = decoded(encode(AluWord, signal=Signal.NONE, op_add=op))
        assert todo.op_add is (AddOp.NOP if "RESERVED" in op.name else op)


def test_loads():
    """Two bits an element: the high half has the upper one, which is the sign if there is one."""
    high, low = 0b1100 << 16, 0b1010
    assert signed(element_values(high | low, LoadMode.PER_ELEMENT_SIGNED))[:5] == [0, 1, -2, -1, 0]
    assert signed(element_values(high | low, LoadMode.PER_ELEMENT_UNSIGNED))[:5] == [0, 1, 2, 3, 0]
    assert element_values(0xDEAD_BEEF, LoadMode.WORD) == (0xDEAD_BEEF,) * 16
    assert element_values(0xDEAD_BEEF, LoadMode.SEMAPHORE) == (0xDEAD_BEEF,) * 16
    todo = decoded(encode(LoadWord, signal=Signal.LOAD_IMMEDIATE, immediate=5, pm=1, pack=3, sf=1))
    assert todo.immediate is not None
    assert todo.immediate == (5,) * 16
    assert (todo.op_add, todo.op_mul, todo.muxes) == (AddOp.OR, MulOp.V8MIN, (Mux.A,) * 4)
    assert (todo.pm, todo.pack, todo.set_flags, todo.unpack) == (1, 3, True, Unpack.NONE)


@pytest.mark.parametrize("raddr_a", [6, 7])
def test_branches(raddr_a):
    """An odd register also sets flags: both are bit 45."""
    fields = {"condition": BranchCondition.ANY_NS, "immediate": 0x40, "relative": 1, "raddr_a": raddr_a}
    todo = decoded(encode(BranchWord, signal=Signal.BRANCH, register=1, waddr_add=3, waddr_mul=4, ws=1, **fields))
    assert todo.branch == Branch(BranchCondition.ANY_NS, 0x40, True, raddr_a)
    assert todo.set_flags == raddr_a % 2
    assert todo.writes == (Write(1, 3, Condition.ALWAYS), Write(0, 4, Condition.ALWAYS))
    assert todo.raddr == (None, None)
    plain = decoded(encode(BranchWord, signal=Signal.BRANCH, **fields)).branch
    assert plain == Branch(BranchCondition.ANY_NS, 0x40, True, None)


@pytest.mark.parametrize(
    ("line", "units"),
    [
        ("mov r0, unif", ["uniforms"]),
        ("mov t0s, unif", ["uniforms", "tmu"]),
        ("mov.never t0s, r0", []),
        ("mov vpm, vary", ["varyings", "vpm_write"]),
        ("sacq recip, 2", ["semaphore", "sfu"]),
        ("mov ra1, r0; thrsw", ["threads"]),
        ("read vw_wait", ["vdw"]),
        ("mov irq, elem_num", []),
    ],
)
def test_units(line, units):
    assert sorted(planned(line).units) == sorted(units)
