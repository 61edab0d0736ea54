"""Coverage: what is executed is counted, what cannot be reached is not, and what is missing is told."""

import re
from pathlib import Path

import numpy as np
import pytest

from vc4.config import V3DConfig
from vc4.isa.hazards import HAZARDS
from vc4sim.asm import assemble
from vc4sim.backends import model
from vc4sim.backends.base import Job, Launch
from vc4sim.coverage import Coverage, RuleCount, table
from vc4sim.coverage.groups import GROUPS, Gap, Group
from vc4sim.coverage.holes import holes
from vc4sim.coverage.page import left_out, unbroken
from vc4sim.coverage.rules import UNBROKEN
from vc4sim.random_programs import random_job

END = "\nthrend\nnop\nnop\n"
PAGE = Path(__file__).parents[2] / "docs/reference/coverage.md"


def group_of(name):
    (found,) = (group for group in GROUPS if group.name.startswith(name))
    return found


def covered(source, name):
    """The cells of a group that a program reaches, as tuples of labels."""
    job = Job(
        image=assemble(source + END).code.ljust(1024, b"\0"),
        base=0x10000,
        launches=(Launch(0x10000, 0x10200),),
        config=V3DConfig(),
    )
    coverage, group = Coverage(), group_of(name)
    model.run(job, coverage)
    coverage.finish()
    labels = list(group.dimensions.values())
    return {
        tuple(names[number] for names, number in zip(labels, cell, strict=True))
        for cell in np.argwhere(coverage.reached(group))
    }


@pytest.mark.parametrize(
    ("source", "group", "cells"),
    [
        ("add r0, r1, unif", "add: operation x operand a", {("add", "r0 to r3")}),
        ("add r0, r1, unif", "add: operation x operand b", {("add", "A uniform")}),
        ("fadd r0, ra3.16a, r5", "add: operation x operand a", {("fadd", "A register half_a")}),
        ("fmul r0, r4.8b, 2.0", "mul: operation x operand a", {("fmul", "r4 byte_b")}),
        ("fmul r0, rb4, r2", "mul: operation x operand a", {("fmul", "B register")}),
        ("sub.setf.ifcs r0, r1, r2", "add: operation x condition", {("sub", "cs", "set")}),
        ("fadd.ifz ra1.16b, r0, r0", "add: operation x pack x d", {("fadd", "half_b", "file A")}),
        ("fmul r0.8c, r1, r1", "mul: operation x pack x d", {("fmul", "pm colour_c", "elsewhere")}),
        (
            "mov.ifn rb5, unif\nldi.ifnz ra1, 7",
            "load immediate: mode x pack x condition of add",
            {("word", "none", "zc")},
        ),
        ("add r0, ra1, 7", "small immediate", {("7", "add", "b")}),
        ("mov r0, r1 >> 3", "rotation", {("v8min", "by 3", "r0 to r3", "r0 to r3")}),
        ("srel -, 3\nsacq -, 3", "semaphore", {("3", "release"), ("3", "acquire")}),
    ],
)
def test_cells_of_an_instruction(source, group, cells):
    empty = covered("", group)
    assert covered(source, group) - empty == cells


def test_branches_know_their_places():
    goal = "brr{} -, r:{}f"
    taken = [goal.format(".allz", 1), "nop", "nop", goal.format("", 2), ":1", "nop", "nop", "nop", ":2"]
    lost = [goal.format(".anyn", 3), goal.format("", 3), "nop", "nop", "nop", ":3"]
    assert covered("\n".join(["mov.setf r0, 0", *taken, *lost]), "branch") == {
        ("all_zs", "yes", "no", "free", "yes"),
        ("always", "yes", "no", "delay slot 3", "yes"),
        ("any_ns", "yes", "no", "free", "no"),
        ("always", "yes", "no", "delay slot 1", "no"),
    }


def test_a_branch_is_lost_in_the_slots_of_a_switch():
    assert covered("thrsw\nbrr -, r:1f\nnop\nnop\nnop\n:1", "branch") == {
        ("always", "yes", "no", "slot of a switch", "no")
    }


def test_hazards_have_a_distance():
    found = covered("mov ra1, r0\nadd r0, r0, ra1\nmov.setf r1, r0\nmov.ifz rb2, r1\nnop\nmov r2, rb2", "hazard")
    assert {
        ("register of file A, read", "1", "add"),
        ("r0 to r3, read", "1", "add"),
        ("flags, condition", "1", "add"),
        ("register of file B, read", "2", "add"),
    } <= found
    assert ("register of file A, read", "2", "add") not in found


def test_special_functions_have_a_distance():
    found = covered("mov recip, r0\nmov r1, r4\nmov r2, r0; mov log, r1", "hazard")
    assert {("special function, reads r4", "1", "add"), ("special function, another one", "2", "add")} <= found
    assert ("special function, reads r4", "2", "add") not in found


def test_runs_are_apart():
    """Nothing is a hazard with a run before."""
    coverage = Coverage()
    write, read = (
        Job(
            image=assemble(f"{source}{END}").code.ljust(256, b"\0"),
            base=0x10000,
            launches=(Launch(0x10000, 0x10080),),
            config=V3DConfig(),
        )
        for source in ("nop", "mov r0, ra1")
    )
    for job in (write, read):
        model.run(job, coverage)
        coverage.finish()
    assert coverage.instructions == 8
    assert not coverage.reached(group_of("hazard")).any()


@pytest.mark.thorough
class TestRandomPrograms:
    """A few programs reach nearly everything, and nothing that is said to be out of reach."""

    @pytest.fixture(scope="class")
    @staticmethod
    def coverage():
        coverage = Coverage()
        seed = 0
        while coverage.instructions < 36_000:
            seed += 1
            model.run(random_job(seed, 4000, V3DConfig()), coverage)
            coverage.finish()
        return coverage

    @pytest.mark.parametrize("name", ["mul: operation x condition", "semaphore", "write", "read", "signal", "hazard"])
    def test_small_groups_are_full(self, coverage, name):
        assert coverage.holes(group_of(name)) == []

    def test_nothing_is_a_surprise(self, coverage):
        assert coverage.surprises() == []

    def test_everything_that_counts_is_in_the_table(self, coverage):
        lines = "\n".join(table(coverage))
        for group in GROUPS:
            reached, total = coverage.counts(group)
            assert f"  {group.name} " in lines
            assert 0 < reached <= total
            assert f"of {total:,}" in lines
        counts = [coverage.counts(group) for group in GROUPS if group.in_total]
        total = sum(total for _, total in counts)
        assert coverage.summary().endswith(f" % of {total:,} cells")
        assert float(coverage.summary().split()[1]) == pytest.approx(
            100 * sum(reached for reached, _ in counts) / total, abs=0.1
        )

    def test_programs_break_rules(self):
        rules, job = RuleCount(), random_job(1, 1000, V3DConfig())
        rules.begin(job)
        outcome = model.run(job, rules)
        assert rules.instructions == outcome.instructions
        assert {"R1", "R2", "R4", "R5", "R14", "R23", "R24"} <= rules.broken


def test_every_rule_is_broken_or_has_a_reason():
    """The reasons, and what the page says is broken, are all rules and no rule twice."""
    (sentence,) = re.findall(r"broken (R[R0-9, ]+);", PAGE.read_text())
    rules = [*sentence.split(", "), *(rule for some in UNBROKEN.values() for rule in some)]
    assert sorted(rules) == sorted(one.rule for one in HAZARDS)


def test_gaps_name_what_there_is():
    for group in GROUPS:
        for gap in group.gaps:
            assert set(gap.where) <= set(group.dimensions)
            assert group.cells(gap).any()


def test_holes_are_slices():
    group = Group("g", {"a": ("0", "1"), "b": ("x", "y", "z")}, lambda now: iter(()), (Gap("why", {"b": (2,)}),))
    reached = np.zeros((2, 3), bool)
    assert holes(group, reached) == ["everything"]
    reached[0, 0] = True
    assert holes(group, reached) == ["a=1", "b=y"]
    reached[1, 1] = True
    assert holes(group, reached) == ["a=0, b=y", "a=1, b=x"]
    assert holes(group, np.ones((2, 3), bool)) == []


def test_the_page_leaves_out_what_the_groups_do():
    text = PAGE.read_text()
    assert "\n".join(left_out()) in text
    assert "\n".join(unbroken()) in text
    for group in GROUPS:
        about = "" if group.in_total else " (not in the total)"
        assert f"| {group.name}{about} | " in text
        assert f" | {group.reachable().sum():,} |\n" in text
