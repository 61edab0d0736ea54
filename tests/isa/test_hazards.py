"""The table of programming restrictions: complete, consistent, and with the distances that the guide states."""

import dataclasses

import pytest

from vc4.isa import timing
from vc4.isa.hazards import HAZARDS, Form, Kind, Scope, Severity, Source, hazard
from vc4.isa.ops import Signal
from vc4.isa.registers import READ, WRITE

#: Who states each rule: D guide, A addendum, V vc4asm, C VC4C, M Mesa, K kernel, B Broadcom's driver.
SOURCES = {
    **{"DVM": {1, 2, 3, 6, 7, 8, 9, 10}, "DVMB": {5, 17, 18, 19}, "VM": {4}, "KM": {15}, "DM": {16}, "M": {20}},
    **{"D": {21, 28, 29, 35}, "DK": {11}, "DV": {22}, "V": {25}, "VK": {14}, "VA": {23}, "VC": {24}},
    **{"K": {12, 13, 26, 27, 30}, "B": {31, 32}, "A": {33, 34}},
}

#: Offsets after the trigger at which the second instruction is forbidden.
OFFSETS = {
    **dict.fromkeys(["R1", "R2", "R3"], [1]),
    **dict.fromkeys(["R5", "R6", "R8", "R14", "R15"], [1, 2]),
    "R7": [0, 1, 2, 3],
    **dict.fromkeys(["R4", "R10", "R11", "R12", "R22", "R23", "R24", "R25", "R28", "R32", "R17", "R20"], [0]),
    **dict.fromkeys(["R9", "R31"], [0, 1]),
    "R18": [0, 1, 2],
    "R19": [2],
    **dict.fromkeys(["R13", "R16", "R21", "R26", "R27", "R29", "R30", "R33", "R34", "R35"], []),
}

PHYSICAL = {f"r{file}{number}" for file in "ab" for number in range(32)} | {f"r{number}" for number in range(6)}
READABLE = PHYSICAL | {READ.name(address, file) for address in range(64) for file in range(2)}
WRITABLE = PHYSICAL | {register.name for pair in WRITE.values() for register in pair}


def reach(rule, side):
    """Everything that one side of a rule names, over all of its accesses."""
    accesses = getattr(hazard(rule), side)
    return {
        name: frozenset().union(*(getattr(access, name) for access in accesses))
        for name in ("reads", "writes", "signals", "forms")
    }


def test_all_rules_in_order():
    assert [one.rule for one in HAZARDS] == [f"R{number}" for number in range(1, 36)]
    assert all(hazard(one.rule) is one for one in HAZARDS)
    with pytest.raises(KeyError):
        hazard("R36")


def test_sources():
    assert sorted(number for numbers in SOURCES.values() for number in numbers) == list(range(1, 36))
    letters = dict(zip("DAVCMKB", Source, strict=True))
    for names, numbers in SOURCES.items():
        for number in numbers:
            assert hazard(f"R{number}").sources == {letters[name] for name in names}, number


@pytest.mark.parametrize("one", HAZARDS, ids=lambda one: one.rule)
class TestEach:
    def test_offsets_fit_the_kind(self, one):
        assert list(one.offsets) == OFFSETS[one.rule]
        assert one.distance == max(OFFSETS[one.rule], default=0)
        fits = {
            Kind.SEQUENCE: one.trigger and one.affected and 1 in one.offsets,
            Kind.INSTRUCTION: one.trigger and list(one.offsets) == [0],
            Kind.START: one.affected and not one.trigger and one.offsets,
            Kind.END: one.affected and one.offsets and reach(one.rule, "trigger")["signals"] >= {Signal.PROGRAM_END},
            Kind.PROGRAM: one.trigger and not one.offsets,
        }
        assert fits[one.kind]

    def test_names_are_those_of_the_registers(self, one):
        for access in one.trigger + one.affected + one.once + one.never_after:
            assert access.reads <= READABLE
            assert access.writes <= WRITABLE
            assert access.reads | access.writes | access.signals | access.forms, "an access that names nothing"

    def test_texts(self, one):
        assert one.title[0].islower() or one.title.startswith("r")
        assert not one.title.endswith(".")
        assert one.why.endswith(".")
        assert one.here.endswith(".")
        assert "\n" not in one.title + one.why + one.here

    def test_is_frozen_and_hashable(self, one):
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.rule = "R0"
        assert {one: one.rule}[dataclasses.replace(one)] == one.rule


def test_every_member_of_the_vocabulary_is_used():
    forms = {form for one in HAZARDS for access in one.trigger + one.affected for form in access.forms}
    assert forms == set(Form)
    assert {one.scope for one in HAZARDS} == set(Scope)
    assert {one.kind for one in HAZARDS} == set(Kind)
    assert {one.severity for one in HAZARDS} == set(Severity)


def test_what_some_rules_name():
    sfu = {"recip", "recipsqrt", "exp", "log"}
    tmu = {f"t{number}{letter}" for number in range(2) for letter in "strb"}
    tlb = {"tlbz", "tlbm", "tlbc", "tlbam"}  # the set-up of the stencil waits for nothing
    assert reach("R5", "trigger")["writes"] == sfu
    assert reach("R5", "affected")["reads"] == {"r4"}
    assert len(reach("R5", "affected")["signals"]) == 6
    assert reach("R7", "affected")["writes"] == tmu
    assert reach("R9", "affected")["writes"] == tlb
    assert reach("R10", "trigger") == reach("R10", "affected")
    assert reach("R10", "trigger")["writes"] == sfu | tmu | tlb
    assert reach("R15", "affected")["forms"] == {Form.BRANCH}
    assert len(reach("R17", "affected")["writes"]) == 64
    assert reach("R18", "affected")["reads"] == {
        *("unif", "vary", "vpm", "vr_busy", "vw_busy", "vr_wait", "vw_wait", "ra14", "rb14"),
    }
    assert reach("R18", "affected")["writes"] == {
        *("vpm", "vr_setup", "vw_setup", "vr_addr", "vw_addr", "ra14", "rb14"),
    }
    assert not reach("R23", "trigger")["writes"] & {"irq", *tlb}
    assert reach("R26", "trigger")["writes"] == {f"r{file}{number}" for file in "ab" for number in range(16, 32)}


def test_rotation_of_everything_that_a_port_reads():
    assert reach("R4", "trigger")["reads"] >= {"ra0", "rb31", "r4", "r5", "unif", "vary", "vpm", "elem_num", "qpu_num"}
    assert not reach("R4", "trigger")["reads"] & {"r0", "r1", "r2", "r3", "nop"}
    assert reach("R3", "trigger")["reads"] == {"vary"}


def test_both_names_of_a_register():
    one = hazard("R22")
    names = reach("R22", "trigger")["writes"]
    pairs = {(a, b) for a in names for b in names if a < b and one.fits_registers(a, b)}
    assert pairs == {("r5quad", "r5rep"), ("unif_addr", "unif_addr_rel")}
    assert all(one.fits_registers(name, name) for name in names)
    assert names == WRITABLE - PHYSICAL - {"-", "quad_x", "quad_y"} | one.divisible
    assert one.divisible == {"r0", "r1", "r2", "r3"}
    assert hazard("R25").fits_registers("vr_setup", "vw_setup")


def test_what_is_packed():
    by_file, by_mul = hazard("R24").trigger
    assert (by_file.forms, by_mul.forms) == ({Form.FILE_PACK}, {Form.BYTE_PACK})
    assert by_file.writes - by_mul.writes == {"r0", "r1", "r2", "r3"}
    assert not by_file.writes & hazard("R17").affected[0].writes


def test_what_comes_once():
    assert (
        {one.rule for one in HAZARDS if one.once} == {one.rule for one in HAZARDS if one.never_after} == {"R7", "R15"}
    )
    assert reach("R7", "never_after")["writes"] == {"tmu_noswap"}
    assert (
        reach("R15", "once")["signals"] < reach("R15", "never_after")["signals"] == reach("R15", "trigger")["signals"]
    )


def test_the_kernel_asks_for_more():
    assert {one.rule: list(one.shader_offsets) for one in HAZARDS if one.shader_offsets} == {"R14": [1, 2, 3]}


def test_agrees_with_the_timing_of_the_hardware():
    """A branch that the sequencer drops is one that the rule forbids, and the end reaches over its delay slots."""
    assert hazard("R14").distance == timing.BRANCH_DISTANCE - 1
    assert hazard("R18").distance == hazard("R19").distance == timing.END_SLOTS
