"""Where vc4asm is followed though it is odd: each habit, and the way around it."""

from vc4.isa.decode import decode
from vc4.isa.ops import AddOp, Condition, MulOp, Pack
from vc4sim.asm import assemble


def decoded(text):
    (word,) = assemble(text).words
    return decode(word)


def test_zero_of_the_same_register_keeps_the_mul_alu_from_being_idle():
    assert decoded("sub r0, r1, r1").cond_mul is Condition.ALWAYS
    assert decoded("xor r0, ra1, ra1").cond_mul is Condition.ALWAYS
    assert decoded("xor r0, ra1, ra1; mnop").cond_mul is Condition.NEVER
    assert decoded("sub r0, r1, r2").cond_mul is Condition.NEVER


def test_a_register_moved_to_two_destinations_goes_to_the_second():
    found = decoded("mov ra1, rb2, r3")
    assert (found.op_add, found.waddr_add, found.op_mul, found.waddr_mul) == (AddOp.NOP, 1, MulOp.V8MIN, 2)
    found = decoded("mov ra1, r3; mov rb2, r3")
    assert (found.op_add, found.op_mul) == (AddOp.OR, MulOp.V8MIN)


def test_one_pack_behind_a_mnemonic_does_not_saturate():
    assert Pack(decoded("add.pack16bs ra1, r0, r1").pack) is Pack.HALF_B
    assert Pack(decoded("add ra1.16bs, r0, r1").pack) is Pack.HALF_B_SATURATE
    assert Pack(decoded("add.pack16as ra1, r0, r1").pack) is Pack.HALF_A_SATURATE


def test_a_negative_exponent_is_subtracted():
    assert assemble("ldi r0, 2.5e-3").words == assemble("ldi r0, 2.5 - 3").words
    assert assemble("ldi r0, 2.5e3").words == assemble("ldi r0, 2500.0").words
    assert assemble("ldi r0, 2.5 / 1.0e3").words == assemble("ldi r0, 0.0025").words


def test_halves_have_a_bit_inverted():
    assert assemble(".half 1.5").code == b"\x00\x7e"
    assert assemble(".float16 1.5").code == b"\x00\x3e"
