"""Expressions, seen through `.long` and `ldi`."""

import pytest

from vc4sim.asm import AsmError, assemble


def value(expression):
    (found,) = assemble(f".long {expression}").words
    return found - (found >> 63 << 64)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("2 ** 10", 1024),
        ("2 * 3 ** 2", 18),
        ("1 << 4 | 3", 19),
        ("256 >> 4", 16),
        ("-16 >> 2", -4),
        ("16 << -2", 4),
        ("-1 <<< 4", -16),
        ("-1 >>> 28", (1 << 36) - 1),
        ("0x80000001 ><< 1", 3),
        ("3 >>< 1", 0x80000001),
        ("0x4000000000000001 ><<< 2", 5),
        ("5 >>>< 2", 0x4000000000000001),
        ("0xff00 & 0x0ff0 ^ 0x1000", 0x1F00),
        ("5 !^ 3", ~(5 ^ 3)),
        ("~0xf", ~0xF),
        ("!5 + !0", 1),
        ("- - 5 - -3", 8),
        ("3 < 2 || 3 >= 3", 1),
        ("1 && 0 ^^ 1", 1),
        ("1 !^^ 1", 1),
        ("(3 <=> 5) * 2", -2),
        ("1.5 == 1.5 && 1 != 2", 1),
        ("1 === 1.0", 0),
        ("1 !== 1.0", 1),
        ("0x1F + 0b11 + 010 + 9", 51),
        ("ra1 == ra0 + 1", 1),
        ("r1 == 1", 0),
        ("abs(-5)", 5),
        ("2.5 > 2", 1),
    ],
)
def test_integers(expression, expected):
    assert value(expression) == expected


@pytest.mark.parametrize(
    ("expression", "bits"),
    [
        ("3.0 + 0.25", 0x40500000),
        ("1.0e3", 0x447A0000),
        ("2.5e+1", 0x41C80000),
        ("10.0 / 4", 0x40200000),
        ("1.5 << 2", 0x40C00000),
        ("3.0 >> 1", 0x3FC00000),
        ("7.5 % 2", 0x3FC00000),
        ("-1.5", 0xBFC00000),
        ("2.0 ** 0.5 * sqrt(2.0)", 0x40000000),
        ("floor(2.7)", 0x40000000),
        ("ceil(2.1)", 0x40400000),
        ("exp2(3) + log2(8.0)", 0x41300000),
        ("cos(0) + erf(0.0)", 0x3F800000),
    ],
)
def test_floats(expression, bits):
    assert assemble(f".int {expression}").words == [bits]


def test_labels_are_addresses():
    assert assemble("a: nop\nb: .long :b + 1, :b / 2, 16 - :b, :b > :a, 1 + :b").words[1:] == [9, 4, 8, 1, 9]


@pytest.mark.parametrize(
    "expression",
    [
        "1 / 0",
        "1.0 % 0.0",
        "2 ** 64",
        "2 ** 10 ** 10",
        "1 << 100000000000",
        "1.0 << 100000",
        "1.0e999",
        "9" * 10000,
        "sqrt(-1.0)",
        "exp(10000)",
        "log(0)",
        "~1.5",
        "1.0 & 1",
        "r0 * 2",
        "[1] + 1",
        "1_000",
        "08",
        "0xzz",
        "1.2.3",
        "(" * 1000 + "1" + ")" * 1000,
        "undefined",
        "5.setf",
        '"text"',
        "[1.5]",
    ],
)
def test_what_has_no_value(expression):
    with pytest.raises(AsmError, match=r"^<text>:1:\d+: "):
        assemble(f".long {expression}")
