"""Programs: labels, joined lines, blocks, definitions and data."""

import pytest

from vc4.isa.word import NOP_WORD
from vc4sim.asm import assemble


def words(*lines):
    return assemble("\n".join(lines)).words


def data(*lines):
    return assemble("\n".join(lines)).code


def same(lines, statements):
    assert assemble(lines).words == assemble(statements).words


def test_a_program_knows_its_labels_and_lines():
    program = assemble("# start\n:one\nnop\n  two: nop # here\n.int 5\n::three\nnop\n", "p.qasm")
    assert program.labels == {"one": 0, "two": 8, "three": 24}
    assert program.lines == {0: ("p.qasm", 3), 8: ("p.qasm", 4), 24: ("p.qasm", 7)}
    assert program.words == [NOP_WORD, NOP_WORD, 5, NOP_WORD]


def test_an_odd_half_word_is_filled():
    assert assemble(".int 7").code == b"\7\0\0\0"
    assert words(".int 7") == [7]


def test_lines_of_macros_are_where_they_are_written():
    assert assemble(".macro m\nnop\n.endm\nm\nm").lines == {0: ("<text>", 2), 8: ("<text>", 2)}


def test_labels_forward_and_back():
    same("a: brr -, r:b\nb: brr -, :a", "brr -, -24\nbrr -, -40")
    same("1: nop\nbrr -, r:1b\nbrr -, r:1f\n1: nop\nbrr -, r:1", "nop\nbrr -, -40\nbrr -, -24\nnop\nbrr -, -40")
    same("bra -, :end\nend:", "bra -, 8")
    same("ldi r0, :b - :a\na: nop\nb: nop", "ldi r0, 8\nnop\nnop")
    same(".if :b - :a == 8\nnop\n.endif\na: nop\nb: nop", "nop\nnop\nnop")


def test_joined_lines():
    joined = "add r0, r1, r2; fmul r3, r1, r2; ldtmu0"
    same("add r0, r1, r2\n; fmul r3, r1, r2; ldtmu0", joined)
    same("add r0, r1, r2 ;;\nfmul r3, r1, r2; ldtmu0", joined)
    same("add r0, r1, r2;\n;fmul r3, r1, r2;\n;ldtmu0", joined)
    same("nop;\nnop", "nop\nnop")
    same("add r0, r1, r2;;\n: fmul r3, r1, r2", "add r0, r1, r2\nfmul r3, r1, r2")


def test_definitions():
    same(".set a, 5\n.equ b a + 1\n.define c, ra0 + b\n.const d, 1.5\nldi c, a\nldi r0, d", "ldi ra6, 5\nldi r0, 1.5")
    same(".set low, ra3.16a\nadd low, r0, r1\nadd r2, low, r1", "add ra3.16a, r0, r1\nadd r2, ra3.16a, r1")
    same(".set f(x, y) x * y\n.set g(x), f(x, x)\nldi r0, g(5) + 1", "ldi r0, 26")
    same(".set a, 1\n.local\n.lset a, 2\nldi r0, a\n.unset a\nldi r0, a\n.endloc", "ldi r0, 2\nldi r0, 1")
    same(".set a, 1\n.undef a\n.undef a\n.ifset a\nnop\n.else\nldi r0, 3\n.endif", "ldi r0, 3")
    same(".lconst a, 1\n.lunset a\n.lconst a, 2\nldi r0, a", "ldi r0, 2")


def test_functions():
    source = """
    .func fact(n)
    .if n > 1
    n * fact(n - 1)
    .else
    1
    .endif
    .endf
    ldi r0, fact(6)"""
    same(source, "ldi r0, 720")


def test_macros():
    source = """
    .macro store, n, to
    .if n
    ldi vw_setup, n
    store n - 1, to
    .else
    mov vw_addr, to
    .endif
    .endm
    store 2, rb3"""
    same(source, "ldi vw_setup, 2\nldi vw_setup, 1\nmov vw_addr, rb3")
    same(".macro go, where\nbrr -, where\n.endm\ngo r:1f\n1:", "brr -, -24")
    same(".macro twice, r\nadd r, r, r\n; fmul r3, r, r\n.endm\ntwice r1", "add r1, r1, r1; fmul r3, r1, r1")


def test_loops():
    same(".rep i, 2\n.rep j 2\nmov ra0 + 2 * i + j, r0\n.endr\n.endr", "\n".join(f"mov ra{n}, r0" for n in range(4)))
    same(".set i, 9\n.rep i, 1\nldi r0, i\n.endr\nldi r0, i", "ldi r0, 0\nldi r0, 9")
    same(".foreach r, ra1, rb2, 7\nread r\n.endfor", "read ra1\nread rb2\nread 7")
    same(".foreach x, [1, 2]\nldi r0, x\n.endfor", "ldi r0, 1\nldi r0, 2")


@pytest.mark.parametrize(("value", "result"), [(0, 10), (1, 11), (2, 12), (3, 13)])
def test_conditions(value, result):
    source = f"""
    .set v, {value}
    .if v == 0
    ldi r0, 10
    .elseif v == 1
    ldi r0, 11
    .elseif v == 2
    .ifnset w
    ldi r0, 12
    .else
    nop
    .endif
    .else
    ldi r0, 13
    .endif"""
    same(source, f"ldi r0, {result}")


def test_branches_not_taken_may_be_nonsense():
    same('.if 0\n!!! "\n.macro\n.endm\n.else\nnop\n.endif', "nop")


def test_back():
    same("nop\nthrsw\nloadc\n.back 2\nbrr -, r:end\n.endb\nend: nop", "nop\nbrr -, -8\nthrsw\nloadc\nnop")
    same("nop\n.back 1\nthrsw\n.back 1\nloadc\n.endb\n.endb", "loadc\nthrsw\nnop")


def test_clone():
    same("brr -, r:a + 8\n.clone :a, 1\nnop\na: thrsw\nloadc", "brr -, 0\nthrsw\nnop\nthrsw\nloadc")


def test_alignment():
    assert words("nop", ".align 32", "thrend")[1:4] == [NOP_WORD] * 3
    assert data(".byte 1", ".align 4", ".byte 2") == b"\1\0\0\0\2"
    assert data(".byte 1", ".align 8, 2", ".byte 2") == b"\1\0\2"
    assert assemble(".byte 1\na: nop").labels == {"a": 8}
    assert assemble("nop\na: .align 32\nb: nop").labels == {"a": 8, "b": 32}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (".byte 1, -1, 0x80", "01ff80"),
        (".short 1, -2", "0100feff"),
        (".int 0x01020304, 1.0", "040302010000803f"),
        (".long -2", "feffffffffffffff"),
        (".qword 0xffffffffffffffff", "ffffffffffffffff"),
        (".int1 1, 0, 1, 1", "0d"),
        (".bit 1, 0, 0, 0, 0, 0, 0, 0, 1", "0101"),
        (".int2 1, -1, 2", "2d"),
        (".int4 1, 2, 3", "2103"),
        (".int8 5", "05"),
        (".int16 5", "0500"),
        (".int32 5", "05000000"),
        (".int64 5", "0500000000000000"),
        (".float16 1.5, -2.0, 1", "003e00c0003c"),
        (".half 1.5, -2.0", "007e0080"),
        (".float 1.0, -2", "0000803f000000c0"),
        (".float32 0.5", "0000003f"),
        (".double 1.0", "000000000000f03f"),
        (".float64 1.0", "000000000000f03f"),
    ],
)
def test_data(line, expected):
    assert data(line).hex() == expected


def test_included_files_lie_beside_the_source(tmp_path):
    (tmp_path / "inner.qinc").write_text(".set a, 3\n.lset b, 4\nldi r0, a\n")
    main = tmp_path / "main.qasm"
    for quoted in ('"inner.qinc"', "<inner.qinc> # comment"):
        program = assemble(f".include {quoted}\nldi r1, a\n.ifset b\nnop\n.endif", str(main))
        assert program.words == assemble("ldi r0, 3\nldi r1, 3").words
        assert program.lines[0] == (str(tmp_path / "inner.qinc"), 3)


def test_sections_and_exports_change_nothing():
    same(".code\n.global start\nstart: nop\n.global x, 5\n.data\n.rodata\n.text\n.assert :start == 0", "nop")
