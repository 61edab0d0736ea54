"""Every pack and unpack, by every way to write it."""

import pytest

from vc4.isa.decode import decode
from vc4.isa.ops import FLOAT_INPUT_ADD, FLOAT_RESULT_ADD, AddOp, Pack, Unpack
from vc4sim.asm import assemble


def word(text):
    (found,) = assemble(text).words
    return found


PACKS = {
    Pack.HALF_A: "16a",
    Pack.HALF_B: "16b",
    Pack.BYTE_REPLICATED: "8abcd",
    Pack.BYTE_A: "8a",
    Pack.BYTE_B: "8b",
    Pack.BYTE_C: "8c",
    Pack.BYTE_D: "8d",
    Pack.SATURATE: "32s",
    Pack.HALF_A_SATURATE: "16as",
    Pack.HALF_B_SATURATE: "16bs",
    Pack.BYTE_REPLICATED_SATURATE: "8888s",
    Pack.BYTE_A_SATURATE: "8as",
    Pack.BYTE_B_SATURATE: "8bs",
    Pack.BYTE_C_SATURATE: "8cs",
    Pack.BYTE_D_SATURATE: "8ds",
}


@pytest.mark.parametrize("pack", PACKS)
def test_packs(pack):
    for text in (PACKS[pack], f"{PACKS[pack]}i"):
        for statement in (f"add ra4.{text}, r1, r2", f"mul24 ra4.{text}, r1, r2", f"ldi ra4.{text}, 77"):
            found = decode(word(statement))
            assert (found.pm, found.pack) == (0, pack.value), statement
    assert decode(word(f"mul24 ra4.{PACKS[pack]}, r1, r2")).ws == 1


def test_every_pack_is_tested():
    assert set(PACKS) == set(Pack) - {Pack.NONE}
    assert decode(word("add r0.32, r1, r2")).pack == 0


@pytest.mark.parametrize(("text", "pack"), [("8abcd", 3), ("8a", 4), ("8b", 5), ("8c", 6), ("8d", 7)])
def test_colour_packs(text, pack):
    for statement in (
        f"fmul r1.{text}sf, r2, r3",
        f"fmul.pack{text}sf rb1, r2, r3",
        f"fmul r1.{text}, r2, r3",
        f"fmul ra1.{text}s, r2, r3",
        f"mov r1.{text}sf, r2",
    ):
        found = decode(word(statement))
        assert (found.pm, found.pack) == (1, pack), statement


UNPACKS = {
    Unpack.HALF_A: "16a",
    Unpack.HALF_B: "16b",
    Unpack.BYTE_D_REPLICATED: "8dr",
    Unpack.BYTE_A: "8a",
    Unpack.BYTE_B: "8b",
    Unpack.BYTE_C: "8c",
    Unpack.BYTE_D: "8d",
}


@pytest.mark.parametrize("unpack", UNPACKS)
def test_unpacks(unpack):
    text = UNPACKS[unpack]
    for statement, pm in (
        (f"add r0, ra9.{text}, r1", 0),
        (f"sub.unpack{text} r0, r1, ra9", 0),
        (f"add r0, ra9.{text}i, rb1", 0),
        (f"fadd r0, r1, ra9.{text}f", 0),
        (f"fadd r0, ra9.{text}, unif", 0),
        (f"fmul r0, r4.{text}, r1", 1),
        (f"fadd r0, r4.{text}f, r1", 1),
    ):
        found = decode(word(statement))
        assert (found.pm, Unpack(found.unpack)) == (pm, unpack), statement


def test_moves_that_convert_halves_are_float_operations():
    assert decode(word("mov r0, ra1.16af")).op_add is AddOp.FMIN
    assert decode(word("mov ra1.16af, r0")).op_add is AddOp.FMIN
    assert decode(word("mov r0, ra1.16a")).op_add is AddOp.OR
    assert AddOp.FMIN in FLOAT_INPUT_ADD & FLOAT_RESULT_ADD
