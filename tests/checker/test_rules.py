"""Every rule: a program that breaks it, found at the right instruction, and the nearest one that does not."""

from dataclasses import dataclass, field

import pytest

from vc4.isa.decode import encode
from vc4.isa.hazards import HAZARDS, Kind
from vc4.isa.ops import AddOp, Condition, Pack
from vc4.isa.registers import NOP, write_address
from vc4.isa.word import AluWord
from vc4sim.asm import assemble
from vc4sim.checker import Subject, check
from vc4sim.checker.special_rules import WHOLE
from vc4sim.checker.table_rules import generic
from vc4sim.events import Retirement

END = "\nthrend\nnop\nnop"


@dataclass(frozen=True)
class Example:
    """Statements between `|`; `at`: instructions that break the rule; `near`: the program that does not."""

    rule: str
    broken: str
    at: tuple[int, ...]
    near: str
    options: dict = field(default_factory=dict)


FRAGMENT = {"subject": Subject.FRAGMENT}
VERTEX = {"subject": Subject.VERTEX}
TWO_TMUS = {"two_tmus": True}


def packed(address):
    """A sum that file A shall saturate on its way to `address`, which the assembler does not write."""
    word = encode(
        AluWord,
        **{"signal": 1, "op_add": AddOp.ADD, "cond_add": Condition.ALWAYS, "waddr_add": address, "waddr_mul": NOP},
        **{"raddr_a": NOP, "raddr_b": NOP, "pack": Pack.SATURATE},
    )
    return f".qword {word:#x}"


PACKED_VPM, PACKED_R1 = (packed(write_address(name)) for name in ("vpm", "r1"))

LOOKUPS = ".rep i, {} | mov t0s, r0 | .endr"

EXAMPLES = (
    Example("R1", "mov ra5, 1 | mov r0, ra5", (1,), "mov ra5, 1 | nop | mov r0, ra5"),
    Example("R1", "mov ra5, 1 | mov r0, ra5", (1,), "mov ra5, 1 | mov r0, rb5"),
    Example("R1", "mov.ifz ra5, r1 | mov.ifz r0, ra5", (1,), "mov.ifz ra5, r1 | mov.ifnz r0, ra5"),
    Example("R1", "mov.ifz.setf ra5, r1 | mov.ifnz r0, ra5", (1,), "mov.ifz ra5, r1 | mov.ifnz r0, ra5"),
    Example("R1", "mov ra5, r1 | bra -, ra5 | nop | nop | nop", (1,), "mov ra5, r1 | nop | bra -, ra5 | nop | nop | nop"),
    Example("R1", "mov ra5, r1 | mov r0, ra5; mov r1, r2", (1,), "mov ra5, r1 | mov -, ra5; mov r1, r2"),
    Example("R2", "mov r1, 1 | mov r0, r1 >> 3", (1,), "mov r1, 1 | mov r0, r2 >> 3"),
    # Element 0, all that an address takes, comes from element 3 of the same quad, or from the last quad.
    Example("R2", "mov r1, 1 | mov vw_addr, r1 >> 12", (1,), "mov r1, 1 | mov vw_addr, r1 >> 13"),
    Example("R3", "mov r5rep, 1 | mov r0, r1 >> r5", (1,), "mov r5rep, 1 | nop | mov r0, r1 >> r5"),
    Example("R3", "mov r0, vary | mov r0, r1 >> r5", (1,), "mov r0, vary | nop | mov r0, r1 >> r5"),
    Example("R4", "mov r0, ra1 >> 3", (0,), "mov r0, r1 >> 3"),
    Example("R4", "mov r0, elem_num >> 3", (0,), "mov r0, r1 >> 3; mov r2, elem_num"),
    Example("R4", "mov r0, unif >> r5 | mov r0, vpm >> 1", (0, 1), "mov r0, unif | mov r0, vpm"),
    Example("R4", "mul24 r0, r1 >> 4, ra1 >> 4", (0,), "add r0, r1, ra1; mov r2, r1 >> 4"),
    Example("R5", "mov recip, r0 | nop | mov r1, r4", (2,), "mov recip, r0 | nop | nop | mov r1, r4"),
    Example("R5", "mov recip, r0 | nop; ldtmu0 | mov exp, r1", (1, 2), "mov recip, r0 | mov t0s, r1 | nop | nop; ldtmu0"),
    Example("R6", "mov unif_addr, r0 | nop | mov r1, unif", (2,), "mov unif_addr, r0 | nop | nop | mov r1, unif"),
    Example("R6", "mov unif_addr, r0 | mov t0t, r1 | nop | mov t0s, r1", (1,), "mov unif_addr, r0 | mov t0s, r1"),
    Example("R7", "mov tmu_noswap, r0 | nop | nop | mov t0s, r0", (3,), "mov tmu_noswap, r0 | nop | nop | nop | mov t0s, r0"),
    Example("R7", "mov t0s, r0 | nop; ldtmu0 | nop | mov tmu_noswap, r0", (3,),
            "mov tmu_noswap, r0 | nop | nop | nop | mov t0s, r0 | nop; ldtmu0"),
    Example("R7", "mov tmu_noswap, r0; mov t0s, r1", (0,), "mov tmu_noswap, r0; mov r0, r1"),
    Example("R8", "nop | sbwait | mov tlbz, r0 | nop | mov r0, ms_mask", (4,),
            "nop | sbwait | mov tlbz, r0 | nop | nop | mov r0, ms_mask", FRAGMENT),
    Example("R9", "nop; sbwait | mov tlbc, r0", (0, 1), "mov stencil, r0 | nop | nop; sbwait | mov tlbc, r0", FRAGMENT),
    Example("R10", "mov t0s, r0; mov recip, r1", (0,), "mov t0s, r0; mov r1, r1"),
    Example("R10", "mov r0, mutex; ldtmu0", (0,), "mov tlbm, r0; loadc"),
    Example("R11", "mov t0t, unif | mov t0s, r0", (0,), "mov t0s, unif"),
    Example("R11", "mov t0t, r1 | mov t0s, unif", (1,), "mov t0t, r1 | mov t1s, unif | mov t0s, r0"),
    Example("R12", "mov t0t, r0; mov t0s, r1", (0,), "mov t0t, r0; mov r0, r1"),
    Example("R13", "mov t0t, r0 | mov t0r, r0 | mov t0b, r0 | mov t0t, r0 | mov t0s, r0", (4,),
            "mov t0t, r0 | mov t0r, r0 | mov t0b, r0 | mov t0s, r0 | mov t0t, r0 | mov t0s, r0", FRAGMENT),
    Example("R13", "mov t0t, r0 | brr.allz -, 0 | nop | nop | nop | mov t0s, r0", (5,),
            "brr.allz -, 0 | nop | nop | nop | mov t0t, r0 | mov t0s, r0", FRAGMENT),
    Example("R14", "brr.allz -, 0 | nop | brr.allz -, 0 | nop | nop | nop", (2,),
            "brr.allz -, 8 | nop | nop | brr.allz -, 0 | nop | nop | nop | nop"),
    Example("R14", "brr.allz -, 0 | nop | nop | brr.allz -, 0 | nop | nop | nop", (3,),
            "brr.allz -, 0 | nop | nop | nop | brr.allz -, 0 | nop | nop | nop", VERTEX),
    Example("R15", "nop; lthrsw | nop | nop | nop | nop; thrsw | nop | nop", (4,),
            "nop; thrsw | nop | nop | nop | nop; lthrsw | nop | nop"),
    Example("R15", "nop; thrsw | nop | nop; thrsw | nop", (2,), "nop; thrsw | nop | nop | nop; thrsw | nop | nop"),
    Example("R15", "nop; thrsw | brr.allz -, 0 | nop | nop | nop", (1,), "nop; thrsw | nop | nop | brr.allz -, 0 | nop | nop | nop"),
    Example("R16", "mov t0s, r0 | nop; thrsw | nop | nop | nop; thrsw | nop | nop", (6,),
            "mov t0s, r0 | nop; thrsw | nop | nop | nop; thrsw | nop | nop; ldtmu0"),
    Example("R16", "nop | nop | mov tlbc, r0 | nop; thrsw | nop | nop", (3,), "nop; thrsw | nop | mov t0s, r0 | mov tlbc, r0"),
    Example("R16", "nop; thrsw | nop | nop | mov t0s, r0 | nop; ldtmu0", (4,),
            "mov t0s, r0 | nop; thrsw | nop | nop | nop; ldtmu0"),
    Example("R17", "mov ra1, r0; thrend | nop | nop", (0,), "mov r1, r0; thrend | mov ra1, r0 | nop"),
    Example("R18", "thrend | mov r0, unif | mov ra14, r0", (1, 2), "mov r0, unif | thrend | nop | mov ra13, r0"),
    Example("R19", "nop | nop | thrend | nop | mov tlbz, r0", (4,), "nop | nop | thrend | mov tlbz, r0 | nop"),
    Example("R20", "nop | nop | mov tlbc, r0; thrend | nop | nop", (2,),
            "nop | nop | nop; sbwait | mov tlbc, r0; thrend | nop | nop", FRAGMENT),
    Example("R21", "mov t0s, r0 | thrend | nop | nop", (3,), "mov t0s, r0 | thrend | nop | nop; ldtmu0", FRAGMENT),
    Example("R22", "mov r0, r1; mov r0, r2", (0,), "mov.ifz r0, r1; mov.ifnz r0, r2"),
    Example("R22", "mov.ifz vpm, r0; mov.ifnz vpm, r1", (0,), "mov vpm, r0; mov r0, r1"),
    Example("R22", "mov.ifz r5quad, r0; mov.ifnz r5rep, r1", (0,), "mov r5quad, r0; mov r0, r1"),
    Example("R22", "mov unif_addr, r0; mov unif_addr_rel, r1", (0,), "mov unif_addr, r0; mov r1, r1"),
    Example("R23", "mov.ifz vpm, r0", (0,), "mov.ifz irq, r0"),
    Example("R23", "mov.ifn recip, r0", (0,), "mov.ifn tlbc, r0"),
    Example("R24", "mmov vpm.8asf, r0", (0,), "mmov r0.8asf, r1"),
    Example("R24", "mmov tlbc.8bsf, r0", (0,), "mmov tlbc.8abcdsf, r0"),
    Example("R24", f"nop | {PACKED_VPM}", (1,), "mov ra1.16a, r0 | nop"),
    Example("R24", f"nop | {PACKED_R1}", (1,), "add rb1, r0, r0; mov ra1.8888, r1"),
    Example("R25", "mov vw_setup, r0; mov vpm, r1", (0,), "mov vw_setup, r0 | mov vpm, r1"),
    Example("R26", "nop; thrsw | nop | nop | mov ra16, r0", (3,), "nop; thrsw | nop | nop | mov ra15, r0", FRAGMENT),
    Example("R27", "brr.allz -, 400 | nop | nop | nop", (0,), "brr.allz -, 8 | nop | nop | nop | nop"),
    Example("R27", "brr.allz -, 4 | nop | nop | nop", (0,), "brr.allz -, 0 | nop | nop | nop"),
    Example("R27", "nop | thrend | nop", (2,), "nop | thrend | nop | nop"),
    Example("R28", "sacq t0s, 1", (0,), "sacq r0, 1"),
    Example("R30", "mov r0, r0 | brr.allz -, -32 | nop | mov r1, unif | nop", (3,),
            "mov r0, r0 | brr.allz -, 0 | nop | mov r1, unif | nop | nop", VERTEX),
    Example("R31", "nop | mov t0s, r0 | nop; ldtmu0", (1,), "nop | nop | mov t0s, r0", TWO_TMUS),
    # The addendum's own programs: two and two are too many, one and three are fine.
    Example("R33", "ldi vr_setup, 0x00201a00 | ldi vr_setup, 0x00201a02 | mov r0, vpm | mov r0, vpm", (1,),
            "ldi vr_setup, 0x00101a00 | ldi vr_setup, 0x00301a01 | mov r0, vpm | mov r0, vpm | mov r0, vpm | mov r0, vpm"),
    Example("R33", "ldi vr_setup, 0x00301a00 | mov r0, vpm | ldi vr_setup, 0x00101a02", (2,),
            "ldi vr_setup, 0x00301a00 | mov r0, vpm | mov r0, vpm | ldi vr_setup, 0x00101a02"),
    Example("R33", "ldi vr_setup, 0x00001a00 | ldi vr_setup, 0x00101a00", (1,), "ldi vr_setup, 0x80001a00 | ldi vr_setup, 0x00101a00"),
    # Four are reliable, more are not (addendum, TMU FIFO).
    Example("R34", LOOKUPS.format(5), (4,), LOOKUPS.format(4)),
    Example("R34", f"{LOOKUPS.format(4)} | nop; ldtmu0 | mov t0s, r0 | mov t0s, r0", (6,),
            f"{LOOKUPS.format(4)} | nop; ldtmu0 | mov t0s, r0 | mov t1s, r0"),
    Example("R35", "ldi vr_setup, 0x00201a1f", (0,), "ldi vr_setup, 0x00101a1f", {"user_rows": 32}),
    Example("R32", "fadd r0, r4.8a, r0; fmul r1, r4.8a, r1", (0,), "fmax r0, r4.8a, r4.8a; fmul r1, r1, r1"),
)  # fmt: skip


def words(text):
    source = text.replace(" | ", "\n")
    return assemble(source if "thrend" in source else source + END).words


def places(text, example):
    """Instructions where the rule of `example` is broken."""
    found = check(words(text), **example.options)
    return tuple(finding.offset // 8 for finding in found if finding.hazard.rule == example.rule)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.rule}: {example.broken}")
class TestEach:
    def test_is_found(self, example):
        assert places(example.broken, example) == example.at

    def test_near_miss(self, example):
        assert places(example.near, example) == ()

    def test_along_one_path(self, example, breaches):
        """A run that takes no branch finds the same, as far as it does not depend on values."""
        for text in (example.broken, example.near):
            events = [Retirement(0, 0, 8 * index, word) for index, word in enumerate(words(text))]
            found = {one.order for one in breaches(0, 8 * len(events), events)}
            static = check(words(text))
            first = {min(one.order for one in static if one.offset == other.offset) for other in static}
            assert found <= first
            assert found == first or ".if" in text or "brr" in text


def test_a_run_knows_of_two_threads_when_the_first_switch_has_come(breaches):
    """Whoever reads all of the program knows at once."""
    text = "mov t0s, r0 | nop; ldtmu0 | nop; thrsw | nop | nop"
    assert [(one.hazard.rule, one.offset) for one in check(words(text)) if one.hazard.rule == "R16"] == [("R16", 8)]
    events = [Retirement(0, 0, 8 * index, word) for index, word in enumerate(words(text))]
    assert not breaches(0, 8 * len(events), events)


def test_every_rule_has_an_example_but_the_one_that_cannot_be_broken():
    assert {example.rule for example in EXAMPLES} == {one.rule for one in HAZARDS} - {"R29"}


def test_only_rules_of_the_whole_program_have_functions():
    assert set(WHOLE) == {one.rule for one in HAZARDS if one.kind is Kind.PROGRAM}
    assert set(WHOLE) == {one.rule for one in HAZARDS if not list(generic(one))}
