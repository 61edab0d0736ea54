"""Every pack and unpack, by every way to write it."""

import pytest

from vc4.isa.decode import decode
from vc4.isa.ops import FLOAT_INPUT_ADD, FLOAT_RESULT_ADD, AddOp, Pack, Unpack
from vc4sim.asm import AsmError, assemble


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


@pytest.mark.parametrize(("text", "pack"), [("8abcd", 11), ("8a", 4), ("8b", 5), ("8c", 6), ("8d", 7)])
def test_colour_packs(text, pack):
    """The codes are those that vc4asm 0.3 gives, also where the guide has 3 (`tests/data/vectors/asm.tsv`)."""
    for statement in (
        f"fmul r1.{text}sf, r2, r3",
        f"fmul.pack{text}sf rb1, r2, r3",
        f"fmul ra1.{text}s, r2, r3",
        f"mov r1.{text}sf, r2",
    ):
        found = decode(word(statement))
        assert (found.pm, found.pack) == (1, pack), statement


@pytest.mark.parametrize(("text", "pack"), [("8abcd", 3), ("8888", 3), ("8abcds", 11), ("8888s", 11), ("8a", 4)])
@pytest.mark.parametrize("destination", ["vpm", "r1", "rb3", "t0s", "-"])
def test_bytes_outside_of_file_a_are_colours(destination, text, pack):
    """vc4asm: a pack into bytes that is not marked belongs to the mul ALU unless it writes ra0 to ra31 (its doPack)."""
    for operation in ("fmul", "mul24", "v8adds", "v8min"):
        found = decode(word(f"{operation} {destination}.{text}, r2, r3"))
        assert (found.pm, found.pack, found.op_add) == (1, pack, AddOp.NOP), operation
    assert word(f"mul24.pack{text} {destination}, r2, r3") == word(f"mul24 {destination}.{text}, r2, r3")
    assert word(f"mov {destination}.{text}, r2") == word(f"mmov {destination}.{text}, r2")


def test_packs_of_destinations_as_behind_a_mnemonic():
    """vc4asm's table of suffixes: `.packXX` stands at a mnemonic or destination, `.unpackXX` at a mnemonic or source."""
    assert word("add ra1.pack8as, r0, r1") == word("add ra1.8as, r0, r1")
    assert word("add r0, ra1.unpack8b, r1") == word("add r0, ra1.8b, r1") == word("add.unpack8b r0, ra1, r1")
    assert word("mov r0, ra1.unpack16af") == word("mov r0, ra1.16af")
    assert word("fmul r0, r4.unpack8cf, r1") == word("fmul r0, r4.8cf, r1")
    for statement in ("add ra1.unpack8a, r0, r1", "add r0, ra1.pack8a, r1"):
        with pytest.raises(AsmError):
            assemble(statement)


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
