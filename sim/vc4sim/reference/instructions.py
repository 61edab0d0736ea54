"""The page of the instruction set."""

import struct

from amaranth.lib import enum

from vc4.isa.decode import decode
from vc4.isa.immediates import ROTATE_FIRST, SMALL_IMMEDIATES
from vc4.isa.ops import (
    FLOAT_INPUT_ADD,
    FLOAT_INPUT_MUL,
    FLOAT_RESULT_ADD,
    FLOAT_RESULT_MUL,
    AddOp,
    BranchCondition,
    Condition,
    LoadMode,
    MulOp,
    MulPack,
    Mux,
    Pack,
    Signal,
    Unpack,
)
from vc4.isa.timing import (
    BRANCH_DISTANCE,
    DELAY_SLOTS,
    END_SLOTS,
    READ_AHEAD,
    READ_SETUPS,
    SFU_DISTANCE,
    SWITCH_SLOTS,
)
from vc4.isa.word import AluWord, BranchWord, LoadWord

from ..asm import assemble
from ..asm.names import BRANCH_CONDITIONS, CONDITIONS, PACK_TEXT, SIGNALS, UNPACK_TEXT
from .markdown import section, table
from .names import spelt
from .texts import docs_of, fields_of, member_texts

__all__ = ["page"]

_INTRODUCTION = """\
# Instruction set

An instruction is a word of 64 bits at an address that is a multiple of 8, with the low half first in memory. It works on
sixteen elements of 32 bits, and has an operation for each of two ALUs, add and mul. The other pages that a programmer wants are
[what its registers are](register_files.md), [set-up words](setup_words.md) for memory and textures,
[restrictions](restrictions.md) that the hardware does not watch, and the [language of the assembler](../user/assembly.md).

`vc4 isa NAME` prints what a name on these pages means. They are made from the tables in `rtl/vc4/isa`, which are also what
decoder, model, assembler and checker are made from. Numbers of tables and figures are those of the guide, see
[sources](sources.md).

## Forms

The signal, bits 63:60, says which form an instruction has:

"""

#: Lines that are shown with the fields of their words, one of each form.
_EXAMPLES = (
    "fadd.ifz ra1, r0, unif; fmul r2, r3, rb4; ldtmu0",
    "add.setf r0, r1, 15",
    "ldi r0, 0x1a00",
    "sacq -, 3",
    "brr.anynz -, -32",
)

_OPERANDS = """\
An operand is an accumulator, or what a register file delivers. Each file delivers one value an instruction, at address
`raddr_a` or `raddr_b`, and both ALUs may take it. [What the addresses are](register_files.md#reading)."""

_FLAGS = """\
Each element has three flags. With `sf` they are set by the result of the add ALU, or of the mul ALU if the add ALU has a nop: Z
if all 32 bits are 0, N if bit 31 is 1, C as the tables say. They change only in elements in which the condition of that write
holds, and the result counts as it is before it is packed. Conditions of the same instruction look at the flags before it ([QPU
facts](qpu_facts.md#2-flags))."""

_ADD = """\
Floats have 32 bits, no denormals and no NaNs: what an operation makes of special patterns is in [QPU
facts](qpu_facts.md#1-results)."""

_IMMEDIATES = """\
With the signal SMALL_IMMEDIATE, register file B delivers a constant, which `raddr_b` names. Codes from {first} on rotate the
result of the mul ALU: element i of it goes to element i + n, with n = code - {first}, and {first} itself takes n from the low
four bits of element 0 of r5. Operands from r0 to r3 are rotated over all sixteen elements, all others inside each quad only
(R4). File B then delivers -16 to -1."""

_PACKS = """\
With `pm` 0, `unpack` widens what is read from register file A, and `pack` narrows what is written to ra0 to ra31. Both take the
value as a float if the operation does: {float_in} read floats, {float_out} write them. A pack into a part of a register leaves
the other parts as they are. With `pm` 1, `unpack` widens r4, always as for floats, and `pack` makes a colour of the result of
the mul ALU, which can go anywhere ([QPU facts](qpu_facts.md#3-packs-and-unpacks))."""

_BRANCHES = """\
The target is the sum of the immediate, of the address after the delay slots if `relative` is 1, and of element 15 of a register
if `register` is 1. A branch that is taken also writes the address of the fourth instruction after it to both destinations, as a
call does. {slots} more instructions run in any case. A branch less than {distance} instructions after another one is not taken
(R14)."""

#: What the assembler calls loads and semaphores.
_LOADS = {
    LoadMode.WORD: ["ldi"],
    LoadMode.PER_ELEMENT_SIGNED: ["ldipes"],
    LoadMode.PER_ELEMENT_UNSIGNED: ["ldipeu"],
    LoadMode.SEMAPHORE: ["srel", "sacq"],
}


def _forms() -> list[str]:
    special = {Signal.SMALL_IMMEDIATE: "ALU, with a constant or a rotation", Signal.LOAD_IMMEDIATE: "load immediate"}
    special |= {Signal.BRANCH: "branch"}
    sections = {Signal.LOAD_IMMEDIATE: "load-immediates", Signal.BRANCH: "branches"}
    rows = [(f"{code.value}", text, f"[below](#{sections.get(code, 'alu')})") for code, text in special.items()]
    rows = [("0 to 12", "ALU", "[below](#alu)"), *rows]
    rows[2] = (rows[2][0], "load immediate, or semaphore", rows[2][2])
    return table(("signal", "form", "its bits"), rows)


def _layout(layout: type) -> list[str]:
    rows = ((one.place, f"`{one.name}`", one.text) for one in fields_of(layout))
    return table(("bits", "field", "meaning"), rows)


def _examples() -> list[str]:
    lines = ["An instruction of each form, with the fields that are not 0:", ""]
    rows = []
    for line in _EXAMPLES:
        (word,) = assemble(f"{line}\n").words
        decoded = decode(word)
        said = (f"{one.name} {one.said(word)}" for one in fields_of(decoded.layout) if one.of(word))
        rows.append((f"`{line}`", f"`{word:016x}`", ", ".join(said)))
    return [*lines, *table(("statement", "word", "fields"), rows)]


def _operations(kind: type[enum.Enum]) -> list[str]:
    rows = []
    for op in kind:
        text, _, carry = member_texts(kind).get(op.name, "reserved: does nothing").partition("; C: ")
        name = "" if "RESERVED" in op.name else f"`{op.name.lower()}`"
        rows.append((f"{op.value}", name, text, carry))
    return table(("code", "name", "result", "C is set if"), rows)


def _codes(kind: type[enum.Enum], names: dict, heading: str, prefix: str = "") -> list[str]:
    """Codes of an enumeration with the names that the assembler has for them."""
    rows = []
    for one in kind:
        text = member_texts(kind).get(one.name)
        if text is not None:
            rows.append((f"{one.value}", " ".join(f"`{prefix}{name}`" for name in names.get(one, ())), text))
    return table(("code", heading, "meaning"), rows)


def _all_names(words: dict) -> dict:
    return {value: spelt(words, value) for value in words.values()}


def _immediates() -> list[str]:
    def value(code: int) -> str:
        bits = SMALL_IMMEDIATES[code]
        if bits >> 23 & 0xFF in (0, 0xFF):
            return f"{bits - (bits >> 31 << 32)}"
        number = struct.unpack("<f", struct.pack("<I", bits))[0]
        return f"{number}" if number >= 1 else f"1/{1 / number:.0f}"

    rows = []
    for first in range(0, ROTATE_FIRST, 8):
        rows.append((f"{first} to {first + 7}", ", ".join(value(code) for code in range(first, first + 8))))
    rows += [(f"{ROTATE_FIRST}", "rotates by r5"), (f"{ROTATE_FIRST + 1} to 63", "rotates by 1 to 15")]
    return table(("code", "value"), rows)


def _floats(*sets: frozenset) -> str:
    return ", ".join(f"`{op.name.lower()}`" for kind in sets for op in sorted(kind, key=lambda op: op.value))


def _timing() -> list[str]:
    rows = [
        ("a register of a file", "2"),
        ("an accumulator, flags, r4 after a load", "1"),
        ("r4 after a write to the SFU", f"{SFU_DISTANCE}"),
        ("uniforms of a new address", "3"),
    ]
    lines = table(("what is written", "instructions until it can be read"), rows)
    rows = [
        ("a branch, taken or not", f"{DELAY_SLOTS}"),
        ("a thread switch", f"{SWITCH_SLOTS}"),
        ("the signal that ends a program", f"{END_SLOTS}"),
    ]
    lines += table(("after", "so many more instructions run"), rows)
    text = (
        f"Up to {READ_SETUPS} set-ups of VPM reads wait for their turn, and up to {READ_AHEAD} vectors are read ahead. "
        "What takes clocks is told by [the QPU](qpu.md); an instruction that would come too early waits, unless a "
        "[restriction](restrictions.md) says otherwise."
    )
    return [*lines, text, ""]


def page() -> str:
    """The page, in Markdown."""
    lines = [_INTRODUCTION.rstrip(), "", *_forms(), *_examples()]
    lines += [*section("ALU"), *_layout(AluWord)]
    lines += [*section("Operands", _OPERANDS), *_codes(Mux, {}, "")]
    lines += [*section("Operations of the add ALU", _ADD), *_operations(AddOp)]
    lines += [*section("Operations of the mul ALU"), *_operations(MulOp)]
    lines += [*section("Flags", _FLAGS)]
    lines += [*section("Conditions", "A result is written"), *_codes(Condition, _all_names(CONDITIONS), "suffix", ".")]
    lines += [*section("Signals"), *_codes(Signal, _all_names(SIGNALS), "name")]
    lines += [*section("Small immediates and rotation", _IMMEDIATES.format(first=ROTATE_FIRST)), *_immediates()]
    packs = _PACKS.format(
        float_in=_floats(FLOAT_INPUT_ADD, FLOAT_INPUT_MUL), float_out=_floats(FLOAT_RESULT_ADD, FLOAT_RESULT_MUL)
    )
    lines += [*section("Packs and unpacks", packs)]
    lines += [*section("Unpack", docs_of(Unpack), 3)]
    lines += _codes(Unpack, {value: [name] for value, name in UNPACK_TEXT.items()}, "suffix", ".")
    lines += [*section("Pack", docs_of(Pack), 3)]
    lines += _codes(Pack, {value: [name] for value, name in PACK_TEXT.items()}, "suffix", ".")
    lines += [*section("MulPack", docs_of(MulPack), 3), *_codes(MulPack, {}, "")]
    lines += [*section("Load immediates"), *_layout(LoadWord), *_codes(LoadMode, _LOADS, "statement")]
    branches = _BRANCHES.format(slots=DELAY_SLOTS, distance=BRANCH_DISTANCE)
    lines += [*section("Branches", branches), *_layout(BranchWord)]
    lines += _codes(BranchCondition, _all_names(BRANCH_CONDITIONS), "suffix", ".")
    lines += [*section("Timing"), *_timing()]
    return "\n".join(lines).rstrip() + "\n"
