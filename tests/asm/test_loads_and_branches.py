"""Load immediates, semaphores and branches, and their words."""

import pytest

from vc4.isa.decode import encode
from vc4.isa.ops import BranchCondition, Condition, LoadMode, Signal
from vc4.isa.registers import NOP
from vc4.isa.word import BranchWord, LoadWord
from vc4sim.asm import assemble


def word(text):
    (found,) = assemble(text).words
    return found


def load(**fields):
    return encode(LoadWord, **{"signal": Signal.LOAD_IMMEDIATE, "waddr_add": NOP, "waddr_mul": NOP, **fields})


def branch(**fields):
    return encode(
        BranchWord,
        **{"signal": Signal.BRANCH, "waddr_add": NOP, "waddr_mul": NOP, "condition": BranchCondition.ALWAYS, **fields},
    )


def test_loads():
    always = {"cond_add": Condition.ALWAYS, "cond_mul": Condition.ALWAYS}
    assert word("ldi ra5, rb6, -1") == load(immediate=0xFFFF_FFFF, waddr_add=5, waddr_mul=6, **always)
    assert word("ldi rb5, ra6, -2.5") == load(immediate=0xC020_0000, waddr_add=5, waddr_mul=6, ws=1, **always)
    elements = "[0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]"
    unsigned = {"mode": LoadMode.PER_ELEMENT_UNSIGNED, "immediate": 0xCCCC_AAAA}
    signed = {"mode": LoadMode.PER_ELEMENT_SIGNED, "immediate": 0xFFFF_0000}
    assert word(f"ldi r0, {elements}") == load(waddr_add=32, cond_add=Condition.ALWAYS, **unsigned)
    assert word(f"mov r0, {elements}") == word(f"ldipeu r0, {elements}")
    minus_two = f"[{','.join(['-2'] * 16)}]"
    assert word(f"ldipes r0, {minus_two}") == load(waddr_add=32, cond_add=Condition.ALWAYS, **signed)


def test_semaphores():
    assert word("sacq -, 4") == word("mov -, sacq4") == word("sacq 4") == load(mode=LoadMode.SEMAPHORE, immediate=0x14)
    assert word("srel r0, 15") == load(mode=LoadMode.SEMAPHORE, immediate=15, waddr_add=32, cond_add=Condition.ALWAYS)


BRANCH_CONDITIONS = {
    "ZS": ("z", "zs"),
    "ZC": ("nz", "zc"),
    "NS": ("n", "ns"),
    "NC": ("nn",),
    "CS": ("c", "cs"),
    "CC": ("nc", "cc"),
}


@pytest.mark.parametrize("state", BRANCH_CONDITIONS)
@pytest.mark.parametrize("quantity", ["ALL", "ANY"])
def test_branch_conditions(quantity, state):
    condition = BranchCondition[f"{quantity}_{state}"]
    for name in BRANCH_CONDITIONS[state]:
        assert word(f"bra.{quantity.lower()}{name} -, 64") == branch(condition=condition, immediate=64)


def test_branches():
    assert word("brr -, -40") == branch(relative=1, immediate=0xFFFF_FFD8)
    assert word("bra -, ra3") == branch(register=1, raddr_a=3)
    assert word("brr ra7, ra9, 24") == branch(relative=1, register=1, raddr_a=9, immediate=24, waddr_add=7)
    assert word("brr ra7, rb8, -, 24") == branch(relative=1, immediate=24, waddr_add=7, waddr_mul=8)
    assert word("bra rb7, ra8, ra9, 16") == branch(register=1, raddr_a=9, immediate=16, waddr_add=7, waddr_mul=8, ws=1)
    assert word("brr.setf -, 8") == branch(relative=1, immediate=8, raddr_a=1)
    assert word("bra.setf -, ra3") == word("bra -, ra3")
