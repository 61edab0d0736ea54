"""The disassembler: what it prints assembles to the same word."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vc4.isa.decode import encode
from vc4.isa.ops import ADD_OPERANDS, AddOp, BranchCondition, Condition, LoadMode, MulOp, Mux, Signal
from vc4.isa.word import NOP_WORD, AluWord, BranchWord, LoadWord
from vc4sim.asm import assemble, disassemble, disassemble_program

thorough = settings(max_examples=600, derandomize=True)


def comes_back(word):
    text = disassemble(word)
    assert "\n" not in text
    assert assemble(text).words == [word], text


@pytest.mark.parametrize(
    "text",
    [
        "nop",
        "thrend",
        "add r0, ra1, rb2; fmul r1, r2, r3; ldtmu0",
        "mov r0, ra7",
        "mmov r0, ra7",
        "mov ra1, r0; mov rb2, r1",
        "sub.setf -, r0, r1",
        "mmov.setf -, r1",
        "add.ifz r0, r1, r2; mul24.ifnn ra4, rb5, ra6",
        "fadd.never r0, r1, -2",
        "fmul r0, r1, 0.00390625",
        "mov r0, r1 >> 3",
        "mov r0, r1 << 3",
        "fmul ra2, r0 >> 8, r1 >> 8",
        "mul24 r0, r1 << r5, r2 << r5",
        "sub r0, r1, -10; mov r2, r3 >> 6",
        "v8min r0 << 5, -11, -11",
        "add ra1.8as, ra2.8d, r0",
        "fmul r1.8abcdsf, r4.16a, r2",
        "fmul r1.8abcd, r4.16a, r2",
        "mul24 vpm.8bsf, r1, r2",
        "fmul ra1.8asi, r0, r2",
        "mul24 ra1.16b, r0, r2",
        "anop r1; mnop ra3",
        "av8adds r0, r1, r2; mv8subs r1, r2, r3",
        "read ra4; read vw_wait",
        "read 8",
        "mov vpm, unif",
        "ldi r0, -5",
        "ldi.ifz.setf ra1.16a, rb2, 0x12345678",
        "ldi ra1.ifz, rb2.ifn, 7",
        "ldipes r0, [0, 1, -2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1, -2, -1]",
        "ldipeu -, r0, [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]",
        "sacq -, 3",
        "srel r0, 256",
        "brr.anynz -, -40",
        "brr.setf -, 40",
        "bra ra31, ra30",
        "bra rb1, ra2, ra3, 0x10",
        "brr ra1, rb2, -, 8",
    ],
)
def test_statements_that_are_printed_as_they_are_written(text):
    (word,) = assemble(text).words
    assert disassemble(word) == text


def test_registers_of_both_files_are_named_by_file_if_the_name_says_too_little():
    (word,) = assemble("mov rb32, r1; read rb35").words
    assert disassemble(word) == "mov rb32, r1; read rb35  # mov r0, r1; read vary"


def test_words_that_the_language_cannot_say():
    reserved = NOP_WORD | AddOp.RESERVED_9.value << 24
    assert disassemble(reserved) == f".long {reserved:#018x}"
    not_idle = NOP_WORD | Mux.R3.value
    assert disassemble(not_idle) == f".long {not_idle:#018x}  # nop"
    for word in (0, (1 << 64) - 1, reserved, not_idle):
        comes_back(word)


def test_targets_of_branches():
    (word,) = assemble("brr -, -40").words
    assert disassemble(word, 0x100) == "brr -, -40  # to 0x000000f8"
    assert disassemble(word, 0) == "brr -, -40  # to 0xfffffff8"
    (word,) = assemble("bra -, 64").words
    assert disassemble(word, 0x100) == "bra -, 0x40"


@pytest.mark.parametrize("word", [-1, 1 << 64])
def test_words_have_64_bits(word):
    with pytest.raises(ValueError, match="64 bits"):
        disassemble(word)


@thorough
@given(st.integers(0, (1 << 64) - 1))
def test_any_word(word):
    comes_back(word)


def codes(bits):
    return st.integers(0, (1 << bits) - 1)


ALU = st.fixed_dictionaries(
    {
        "signal": st.sampled_from([signal for signal in Signal if signal.value < Signal.LOAD_IMMEDIATE.value]),
        "op_add": st.sampled_from([op for op in AddOp if ADD_OPERANDS[op]]),
        "op_mul": st.sampled_from([op for op in MulOp if op is not MulOp.NOP]),
        "cond_add": st.sampled_from(Condition),
        "cond_mul": st.sampled_from(Condition),
        "waddr_add": codes(5),
        "waddr_mul": codes(5),
        "ws": codes(1),
        "sf": codes(1),
        "raddr_a": codes(5),
        "raddr_b": codes(5),
        "add_a": st.sampled_from(Mux),
        "mul_a": st.sampled_from(Mux),
        "mul_b": st.sampled_from(Mux),
    }
)


@thorough
@given(ALU, st.sampled_from(Mux))
def test_pairs_of_operations_are_printed_as_such(fields, add_b):
    """Registers of the files at every place, so nothing is left that the language could not say."""
    fields["add_b"] = fields["add_a"] if ADD_OPERANDS[fields["op_add"]] == 1 else add_b
    word = encode(AluWord, **fields)
    assert not disassemble(word).startswith(".")
    comes_back(word)


@thorough
@given(ALU, codes(6), codes(6), codes(4), codes(3), codes(1))
def test_all_fields_of_an_operation(fields, raddr_b, waddr_mul, pack, unpack, pm):
    fields |= {"raddr_b": raddr_b, "waddr_mul": waddr_mul, "pack": pack, "unpack": unpack, "pm": pm}
    comes_back(encode(AluWord, **fields))


@thorough
@given(codes(32), st.sampled_from(LoadMode), codes(6), codes(6), codes(2), st.sampled_from(Condition), codes(4))
def test_loads(immediate, mode, waddr_add, waddr_mul, switches, condition, pack):
    comes_back(
        encode(
            LoadWord,
            signal=Signal.LOAD_IMMEDIATE,
            immediate=immediate,
            mode=mode,
            waddr_add=waddr_add,
            waddr_mul=waddr_mul,
            ws=switches & 1,
            sf=switches >> 1,
            cond_add=condition,
            cond_mul=Condition.ALWAYS,
            pack=pack,
        )
    )


@thorough
@given(codes(32), st.sampled_from(BranchCondition), codes(6), codes(6), codes(3), codes(5))
def test_branches(immediate, condition, waddr_add, waddr_mul, switches, raddr_a):
    comes_back(
        encode(
            BranchWord,
            signal=Signal.BRANCH,
            immediate=immediate,
            condition=condition,
            waddr_add=waddr_add,
            waddr_mul=waddr_mul,
            ws=switches & 1,
            relative=switches >> 1 & 1,
            register=switches >> 2,
            raddr_a=raddr_a,
        )
    )


def test_a_listing_has_labels():
    source = (
        "nop\nloop: sub.setf ra1, ra1, 1\nbrr.allnz -, r:loop\nnop\nbrr ra5, r:next\nnext: nop\nnop\nnop\n.byte 1, 2"
    )
    program = assemble(source)
    listing = disassemble_program(program.code, 0x8000)
    assert assemble(listing).code == program.code
    assert "brr.allnz -, r:L1 " in listing
    assert "# 00008010: f01809e7ffffffd8" in listing
    assert [line for line in listing.splitlines() if line.endswith(":")] == ["L1:", "L2:"]


@thorough
@given(st.binary(max_size=100))
def test_any_listing(code):
    assert assemble(disassemble_program(code)).code == code
