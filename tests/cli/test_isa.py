"""`vc4 isa`: names and set-up words."""

import pytest


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("t0s", ["write address 56: s of TMU 0"]),
        ("TMU0_S", ["write address 56: s of TMU 0"]),
        ("mutex", ["read address 51: waits", "write address 51: frees"]),
        ("fadd", ["operation 1 of the add ALU: a + b, floats"]),
        ("v8adds", ["operation 30 of the add ALU", "operation 6 of the mul ALU"]),
        ("elem_num", ["read address 38 of file A: element number"]),
        ("ldtmu1", ["signal 11: "]),
        (".ifz", ["condition 2: where Z is set"]),
        ("anync", ["condition of branches 11: at least one element has C clear"]),
        ("16a", ["pack 1: ", "unpack 1: "]),
        ("rb31", ["register 31 of file B: "]),
        ("ldi", ["statement: load immediate"]),
    ],
)
def test_names(name, lines, output_of):
    printed = output_of("isa", name).splitlines()
    assert len(printed) == len(lines)
    for line, expected in zip(printed, lines, strict=True):
        assert line.startswith(f"{name.lower().lstrip('.')}: {expected}")


def test_a_set_up_word(output_of):
    lines = [line.split()[:3] for line in output_of("isa", "vw_setup", "0x1a00").splitlines()[1:]]
    assert lines == [
        ["7:0", "address", "0"],
        ["9:8", "size", "WORD"],
        ["10", "laned", "0"],
        ["11", "horizontal", "1"],
        ["17:12", "stride", "1"],
        ["31:30", "id", "WRITE"],
    ]
    assert "no known kind" in output_of("isa", "vr_setup", "0x40000000")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["isa", "t0x"], "the nearest are t0"),
        (["isa", "zzzzzzzz"], "docs/reference/instructions.md"),
        (["isa", "fadd", "3"], "no word sets up 'fadd', but vw_setup, vr_setup"),
        (["isa", "vw_setup", "0x100000000"], "must be an integer from 0 to 4294967295"),
        (["isa"], "required"),
    ],
)
def test_wrong_arguments(arguments, text, refused):
    assert text in refused(*arguments)
