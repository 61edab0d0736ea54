"""Wrong sources: where they are wrong, and that nothing but an `AsmError` comes of them."""

import contextlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vc4sim.asm import AsmError, assemble

quick = settings(max_examples=300, derandomize=True)


@pytest.mark.parametrize(
    ("source", "where", "message"),
    [
        ("nop\nfrob r0, r1", "2:1", "expected an operation, a signal or a macro, not 'frob'"),
        ("add r0, r1", "1:1", "add needs 3 operands, not 2"),
        ("add r0, r1, r6", "1:13", "expected a register or a defined name, not 'r6'"),
        ("add r5, r1, r2", "1:5", "expected a register that can be written, not r5"),
        ("add r0, r1, t0s", "1:13", "expected a register that can be read, not t0s"),
        ("add r0, ra1, ra2", "1:14", "there is no read port for ra2: that of file A has ra1"),
        (
            "add ra0, r1, r2; mul24 ra1, r0, r0",
            "1:24",
            "ra0 and ra1 are both in file A, expected one A and one B",
        ),
        ("add r0, r1, r2; sub r0, r1, r2", "1:17", "sub needs the add ALU, which has add"),
        ("add r0, r1, 17", "1:13", "this value is no small immediate: -16 to 15 or a power of two, 1/256 to 128.0"),
        ("add r0, r1, 1; ldtmu0", "1:16", "a small immediate takes the place of the signal ldtmu0"),
        ("add r0, r1 << 1, r2", "1:9", "only the mul ALU can rotate"),
        ("v8min r0, r1 << 1, r1 << 2", "1:20", "expected one rotation, not two"),
        ("ldtmu0; ldtmu1", "1:9", "expected one signal, not two"),
        ("ldi r0, 5; ldtmu0", "1:12", "ldtmu0 cannot share an instruction with ldi"),
        ("ldi r0, 1 << 33", "1:9", "8589934592 does not fit into 32 bits"),
        ("ldi r0, [1, 2]", "1:9", "expected 16 values, not 2"),
        ("add.ifz r0.nz, r1, r2", "1:9", "expected one condition, not two"),
        ("add.frob r0, r1, r2", "1:4", "expected a condition, a pack or .setf, not .frob"),
        ("add r0.16a, r1, r2", "1:5", "expected a destination in ra0 to ra31 for this pack, not r0"),
        ("fadd ra0.16ai, r1, r2", "1:6", "expected an integer operation for an integer pack"),
        ("add r0, r1.8a, r2", "1:9", "only registers of file A and r4 can be unpacked"),
        ("add r0, ra1.8a, ra1.8b", "1:17", "the unpacker of file A cannot do .8b: it does .8a"),
        ("brr -, r:nowhere", "1:10", "there is no label 'nowhere'"),
        ("bra -, rb1", "1:8", "expected ra0 to ra31 as target, not a register of file B"),
        ("a:\na: nop", "2:1", "the label 'a' is defined already"),
        ("sacq -, 16", "1:9", "expected a semaphore from 0 to 15"),
        ("mov r0, (1", "1:11", "expected ')', not end of the statement"),
        ("mov r0 $", "1:8", "expected a name, number or operator, not '$'"),
        (".rep i, 2\nnop", "1:1", "expected .endr after .rep"),
        ("nop\n.endr", "2:1", "expected a directive, not .endr, or it has no beginning"),
        (".assert 1 > 2", "1:9", "the assertion does not hold"),
        (".macro m, a\nmov a, 5 + a\n.endm\nm r0", "2:10", "'+' does not take the integer 5 and an accumulator"),
        (".set f(x) x / 0\nldi r0, f(1)", "2:9", "in f: division by zero in '/'"),
        (".macro m\nm\n.endm\nm", "2:1", "expected at most 96 levels of nesting"),
        (".rep i, 1 << 40\n.endr", "1:1", "more than 131072 lines to assemble, expected an end"),
        (".align 0", "1:8", "expected a power of two up to 65536, not 0"),
        ("; nop", "1:1", "expected an instruction on the line before, to join"),
        (".func f()\nnop: 1\n.endf\nldi r0, f()", "2:1", "a function can neither add to the program nor define labels"),
        ("mmov r0, ra1.16af", "1:1", "no ALU that mmov may use can do it"),
        (
            "add r0, rb1, 5; mul24 r1, unif, vary",
            "1:14",
            "there is no place for this value: file B has rb1",
        ),
        ("v8min r0, r1 << 2, rb1", "1:20", "there is no read port for rb1: that of file B has a rotation"),
        (
            "add r0, ra1, 5; mul24 r1, r2, unif",
            "1:31",
            "there is no read port for unif: that of file A has ra1, that of file B has the small immediate 0x5",
        ),
        ("mov r0, 1000; ldtmu0", "1:1", "this constant needs a load immediate, alone in its instruction"),
    ],
)
def test_place_and_message(source, where, message):
    with pytest.raises(AsmError) as caught:
        assemble(source, "file.qasm")
    error = caught.value
    assert str(error) == f"file.qasm:{where}: {message}"
    assert (error.filename, f"{error.line}:{error.column}", error.message) == ("file.qasm", where, message)


def test_all_errors_are_told_each_once():
    """Of statements, directives and blocks, in the order of the source; a loop repeats none."""
    source = (
        "add r0, r1, 17\n.rep i, 3\nfrob i\n.endr\n.macro m, 1\nfrob\n.endm\nnop; .if\n.if x\nfrob\n.endif\nadd r0\n"
    )
    with pytest.raises(AsmError) as caught:
        assemble(source)
    assert [error.line for error in (caught.value, *caught.value.others)] == [1, 3, 5, 8, 9, 12]


def test_every_wrong_statement_of_a_file_is_told(recorded):
    """The statements that vc4asm rejects, all in one source: each line is reported, and no other."""
    rows = (recorded / "vectors/asm_errors.tsv").read_text().splitlines()
    wrong = [row.split("\t")[0] for row in rows]
    wrong = [text for text in wrong if "\\n" not in text and not re.search(r"^\.|:|;$|^;", text)]
    assert len(wrong) > 180
    with pytest.raises(AsmError) as caught:
        assemble("".join(f"{text}\nnop\n" for text in wrong))
    told = [error.line for error in (caught.value, *caught.value.others)]
    assert told == list(range(1, 2 * len(wrong), 2))


def test_an_error_shows_its_line():
    with pytest.raises(AsmError) as caught:
        assemble("\tadd r0, ra1, ra2 # here\n", "f")
    assert caught.value.shown()[1:] == ["     add r0, ra1, ra2 # here", "                  ^"]


def test_errors_of_included_files_name_them(tmp_path):
    inner = tmp_path / "inner.qinc"
    inner.write_text("nop\nadd\n")
    with pytest.raises(AsmError) as caught:
        assemble('.include "inner.qinc"', str(tmp_path / "main.qasm"))
    assert (caught.value.filename, caught.value.line) == (str(inner), 2)


@pytest.mark.parametrize("name", ["missing.qinc", "/dev/zero", ".", "a\0b"])
def test_files_that_cannot_be_included(name):
    with pytest.raises(AsmError, match=r"^<text>:1:10: "):
        assemble(f'.include "{name}"')


@pytest.mark.parametrize(
    "source",
    [
        ".set f(x) f(x + 1) + f(x + 2)\nldi r0, f(0)",
        ".macro m\nm\nm\n.endm\nm",
        ".rep i, 1 << 60\n.rep j, 1 << 60\nnop\n.endr\n.endr",
        ".rep i, 100000\n.align 65536\nnop\n.endr",
        ".if 1\n" * 200 + ".endif\n" * 200,
        ".func f(x)\nf(x)\n.endf\nldi r0, f(1)",
        '.include "test_asm_errors.py"\n' * 3,
    ],
)
def test_sources_without_end(source):
    with pytest.raises(AsmError):
        assemble(source, __file__)


def only_asm_error(source):
    with contextlib.suppress(AsmError):
        assemble(source)


@quick
@given(st.text(max_size=60))
def test_random_text(source):
    only_asm_error(source)


PIECES = """
add sub fmul mov ldi nop brr bra sacq read ldtmu0 .rep .endr .if .else .elseif .endif .macro .endm .set .func .endf
.back .endb .clone .align .foreach .endfor .local .endloc .int .byte .float .assert .include .unset .ifset .global
r0 r4 r5 ra1 rb2 unif vpm t0s - , , , ; ;; : :: ( ) [ ] + - * / ** << >> == && ~ ! .setf .ifz .16a .8as .unpack8b
0 1 5 -1 1.5 0x10 99999999999 m f i x :1 :a a: r:1f r:a 1: #
"""
WORDS = [*PIECES.split(), "\n", "\n", "\n"]


@quick
@given(st.lists(st.sampled_from(WORDS), max_size=30))
def test_random_pieces(pieces):
    only_asm_error(" ".join(pieces))


VALID = [
    "fadd.ifz ra1.16a, ra2.16b, r1; fmul.ifnz rb3, r2, r3; ldtmu0",
    "mov r0, r1 << 3; sub r2, r3, -13",
    "ldi.setf ra1, rb2, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]",
    ".rep i, 3\nmov ra0 + i, unif\n.endr",
    ".macro m, a, b\nadd a, a, b\n.endm\nm r0, ra1\n.back 1\nbrr.allnz -, r:1f\n.endb\n1: nop",
    ".set f(x) (x & 15) << 20 | 0xa00\nldi vw_setup, f(3) + 1.0",
]


@quick
@given(st.sampled_from(VALID), st.lists(st.tuples(st.integers(0, 200), st.sampled_from([*WORDS, ""])), max_size=3))
def test_random_changes(source, changes):
    for place, piece in changes:
        place %= len(source) + 1
        source = source[:place] + piece + source[place + 1 :]
    only_asm_error(source)
