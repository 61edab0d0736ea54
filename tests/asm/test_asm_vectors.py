"""The assembler and the disassembler against recorded words, programs and wrong statements."""

import re

import pytest

from vc4.isa.decode import decode
from vc4.isa.immediates import SMALL_IMMEDIATES
from vc4.isa.ops import AddOp, Condition, LoadMode, MulOp, Mux, Signal
from vc4.isa.word import LoadWord
from vc4sim.asm import AsmError, assemble, disassemble, disassemble_program

MASK = 0xFFFF_FFFF

#: What operations make of two equal operands; `None` stands for a value that is not known.
EQUAL_OPERANDS = {
    AddOp.OR: lambda x: x,
    AddOp.ADD: lambda x: 2 * x & MASK,
    AddOp.SHL: lambda x: x << (x & 31) & MASK,
    AddOp.SHR: lambda x: x >> (x & 31),
    AddOp.ROR: lambda x: (x << 32 | x) >> (x & 31) & MASK,
    AddOp.NOT: lambda x: x ^ MASK,
    AddOp.CLZ: lambda x: 32 - x.bit_length(),
    AddOp.XOR: lambda _: 0,
    MulOp.V8MIN: lambda x: x,
    MulOp.MUL24: lambda x: (x & 0xFFFFFF) ** 2 & MASK,
    MulOp.V8ADDS: lambda x: sum(min(2 * (x >> s & 255), 255) << s for s in (0, 8, 16, 24)),
    MulOp.V8SUBS: lambda _: 0,
}
UNKNOWN_OPERAND_IS_FINE = {AddOp.XOR, MulOp.V8SUBS}


def rows(recorded, name):
    return [line.split("\t") for line in (recorded / "vectors" / name).read_text().splitlines()]


def test_there_are_as_many_rows_as_the_readme_says(recorded):
    assert len(rows(recorded, "asm.tsv")) == 3671
    assert len(rows(recorded, "asm_errors.tsv")) == 263


def test_exact_words(recorded):
    exact = [(statement, word) for statement, word, rule in rows(recorded, "asm.tsv") if rule == "exact"]
    assert len(exact) == 3339
    wrong = [(s, word) for s, word in exact if assemble(s).words != [int(word, 16)]]
    assert wrong == []


def test_words_with_a_choice(recorded):
    wrong = [row for row in rows(recorded, "asm.tsv") if row[2] != "exact" and not fulfils(*row)]
    assert wrong == []


def fulfils(statement, recorded, rule):
    """Whether the word of a statement is the recorded one, or leaves the constants that the rule names."""
    (word,) = assemble(statement).words
    if word == int(recorded, 16):
        return True
    promises = re.findall(r"every lane of (\w+) = ([0-9a-f]{8})", rule)
    written = results(decode(word))
    condition = Condition.ZS if "condition ifz" in rule else Condition.ALWAYS
    return bool(promises) and all(written.get(name) == (int(bits, 16), condition) for name, bits in promises)


def results(instruction):
    """What an instruction leaves: destination to value and condition."""
    found = {}
    for side in ("add", "mul"):
        address, condition = getattr(instruction, f"waddr_{side}"), getattr(instruction, f"cond_{side}")
        file = instruction.ws if side == "add" else 1 - instruction.ws
        name = f"r{address - 32}" if address in range(32, 36) else f"r{'ab'[file]}{address}"
        found[name] = (value_of(instruction, side), condition)
    return found


def value_of(instruction, side):
    """The value of one ALU in all elements, `None` if it depends on more than the instruction."""
    if instruction.layout is LoadWord:
        return instruction.immediate if instruction.mode is LoadMode.WORD else None
    op = getattr(instruction, f"op_{side}")
    a, b = (getattr(instruction, f"{side}_{operand}") for operand in "ab")
    constant = instruction.signal is Signal.SMALL_IMMEDIATE and a is Mux.B
    if a is not b or op not in EQUAL_OPERANDS or not (constant or op in UNKNOWN_OPERAND_IS_FINE):
        return None
    return EQUAL_OPERANDS[op](SMALL_IMMEDIATES[instruction.raddr_b])


def test_programs(recorded):
    sources = sorted((recorded / "vectors" / "asm_programs").glob("*.qasm"))
    assert len(sources) == 42
    for source in sources:
        words = [int(word, 16) for word in source.with_suffix(".hex").read_text().split()]
        assert assemble(source.read_text(), str(source)).words == words, source.name


def test_cases(recorded):
    sources = sorted((recorded / "cases" / "qpu").glob("*/source.qasm"))
    assert len(sources) >= 67
    for source in sources:
        program = assemble(source.read_text(), str(source))
        assert program.code == source.with_name("program.bin").read_bytes(), source.parent.name


def test_wrong_statements(recorded):
    for statement, what in rows(recorded, "asm_errors.tsv"):
        source = statement.replace("\\n", "\n")
        with pytest.raises(AsmError) as caught:
            assemble(source, "wrong.qasm")
        error = caught.value
        lines = source.split("\n")
        assert 1 <= error.line <= len(lines), what
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1, what
        assert str(error).startswith(f"wrong.qasm:{error.line}:{error.column}: ")
        assert "\n" not in str(error)


def test_recorded_words_disassemble_to_statements(recorded):
    for _, recorded_word, _ in rows(recorded, "asm.tsv"):
        word = int(recorded_word, 16)
        text = disassemble(word)
        assert not text.startswith("."), text
        assert assemble(text).words == [word]


def test_case_programs_disassemble_to_statements(recorded):
    for binary in sorted((recorded / "cases" / "qpu").glob("*/program.bin")):
        listing = disassemble_program(binary.read_bytes())
        assert ".long" not in listing
        assert assemble(listing).code == binary.read_bytes(), binary.parent.name
