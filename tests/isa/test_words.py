"""The layouts of the instruction words, and the decoder and encoder that are made from them."""

import pytest
from amaranth.hdl import Shape
from amaranth.lib import data, enum
from hypothesis import given, settings
from hypothesis import strategies as st

from vc4.isa.decode import decode, encode, layout_of
from vc4.isa.ops import AddOp, BranchCondition, Condition, LoadMode, MulOp, Mux, Signal, Unpack
from vc4.isa.word import NOP_WORD, AluWord, BranchWord, LoadWord

# Highest and lowest bit of each field (guide, figures 4 to 7; QPU facts, sections 6 and 11).
UPPER = {
    **{"signal": (63, 60), "pm": (56, 56), "pack": (55, 52), "cond_add": (51, 49), "cond_mul": (48, 46)},
    **{"sf": (45, 45), "ws": (44, 44), "waddr_add": (43, 38), "waddr_mul": (37, 32)},
}
POSITIONS = {
    AluWord: {
        **UPPER,
        **{"unpack": (59, 57), "op_mul": (31, 29), "op_add": (28, 24), "raddr_a": (23, 18), "raddr_b": (17, 12)},
        **{"add_a": (11, 9), "add_b": (8, 6), "mul_a": (5, 3), "mul_b": (2, 0)},
    },
    LoadWord: {**UPPER, "mode": (59, 57), "immediate": (31, 0)},
    BranchWord: {
        **{"signal": (63, 60), "unused": (59, 56), "condition": (55, 52), "relative": (51, 51), "register": (50, 50)},
        **{"raddr_a": (49, 45), "ws": (44, 44), "waddr_add": (43, 38), "waddr_mul": (37, 32), "immediate": (31, 0)},
    },
}
PROFILE = settings(derandomize=True, max_examples=500)
WORDS = st.integers(0, (1 << 64) - 1)


@pytest.mark.parametrize("layout", POSITIONS)
def test_positions(layout):
    assert Shape.cast(layout).width == 64
    found = {name: (field.offset + field.width - 1, field.offset) for name, field in data.Layout.cast(layout)}
    assert found == POSITIONS[layout]


@pytest.mark.parametrize("layout", POSITIONS)
def test_each_bit_belongs_to_one_field(layout):
    bits = sorted(bit for high, low in POSITIONS[layout].values() for bit in range(low, high + 1))
    assert bits == list(range(64))


@pytest.mark.parametrize("signal", Signal)
def test_signal_selects_the_layout(signal):
    expected = {14: LoadWord, 15: BranchWord}.get(signal.value, AluWord)
    assert layout_of(signal.value << 60) is layout_of((signal.value + 1 << 60) - 1) is expected


def test_nop():
    nop = decode(NOP_WORD)
    assert nop.signal is Signal.NONE
    assert (nop.op_add, nop.op_mul) == (AddOp.NOP, MulOp.NOP)
    assert nop.cond_add is nop.cond_mul is Condition.NEVER
    assert [nop.waddr_add, nop.waddr_mul, nop.raddr_a, nop.raddr_b] == [39] * 4
    assert nop.sf == nop.ws == nop.pm == nop.pack == 0


@given(WORDS)
@PROFILE
def test_decode_then_encode_gives_the_word(word):
    instruction = decode(word)
    fields = {name: getattr(instruction, name) for name in POSITIONS[instruction.layout]}
    assert encode(instruction.layout, **fields) == word == instruction.word


@given(WORDS)
@PROFILE
def test_fields_are_the_bits_at_their_positions(word):
    instruction = decode(word)
    for name, (high, low) in POSITIONS[layout_of(word)].items():
        value = getattr(instruction, name)
        assert (value.value if isinstance(value, enum.Enum) else value) == (word >> low) % (1 << high - low + 1)


def test_fields_are_members_of_their_enums():
    alu = decode(0x1 << 60 | 31 << 24 | 7 << 29 | 6 << 9 | 7 << 49 | 2 << 57)
    assert (alu.op_add, alu.op_mul, alu.add_a) == (AddOp.V8SUBS, MulOp.V8SUBS, Mux.A)
    assert (alu.cond_add, alu.unpack) == (Condition.CC, Unpack.HALF_B)
    assert decode(0xE << 60 | 3 << 57).mode is LoadMode.PER_ELEMENT_UNSIGNED
    assert decode(0xF << 60 | 10 << 52).condition is BranchCondition.ANY_CS


def test_known_words():
    """End of a program, unlock of the scoreboard, and `mov r0, unif`, as every assembler writes them."""
    assert encode(AluWord, signal=Signal.PROGRAM_END, **_idle()) == 0x3000_09E7_009E_7000
    assert encode(AluWord, signal=Signal.UNLOCK_SCOREBOARD, **_idle()) == 0x5000_09E7_009E_7000
    fields = _idle() | {"waddr_add": 32, "cond_add": Condition.ALWAYS, "op_add": AddOp.OR, "raddr_a": 32}
    word = encode(AluWord, signal=Signal.NONE, **fields, add_a=Mux.A, add_b=Mux.A)
    assert word == 0x1002_0827_1582_7D80


def _idle():
    return dict.fromkeys(("waddr_add", "waddr_mul", "raddr_a", "raddr_b"), 39)


def test_decoded_fields_of_another_form_are_missing():
    with pytest.raises(AttributeError, match="BranchWord has no field 'op_add'"):
        _ = decode(0xF << 60).op_add


def test_encode_refuses():
    with pytest.raises(ValueError, match=r"waddr_add must be in 0\.\.63, not 64"):
        encode(AluWord, waddr_add=64)
    with pytest.raises(ValueError, match=r"immediate must be in 0\.\.4294967295, not -1"):
        encode(LoadWord, immediate=-1)
    with pytest.raises(TypeError, match="BranchWord has no field op_add, sf"):
        encode(BranchWord, op_add=AddOp.ADD, sf=1)
