"""Paths: branches with their delay slots, ends, and targets that nobody knows."""

from vc4sim.asm import assemble
from vc4sim.checker import Flow, check

NOPS = "nop\n" * 3
END = "thrend\nnop\nnop\n"


def flow(source, base=0):
    return Flow(assemble(source).words, base)


def found(source, **options):
    """(rule, instruction, instruction of the trigger) of each finding."""
    return [(one.hazard.rule, one.offset // 8, one.trigger // 8) for one in check(assemble(source).words, **options)]


def test_a_program_in_order():
    assert flow(f"nop\n{END}nop\nnop").indices == {0, 1, 2, 3}


def test_a_branch_is_both_taken_and_not():
    assert flow(f"brr.allz -, r:skip\n{NOPS}nop\nskip:\n{END}").indices == set(range(8))


def test_what_is_always_jumped_over_is_not_reached():
    assert flow(f"brr -, r:skip\n{NOPS}.long 1\nskip:\n{END}").indices == {0, 1, 2, 3, 5, 6, 7}


def test_the_base_counts_for_absolute_targets_only():
    source = f"bra -, 0x1028\n{NOPS}nop\n{END}"
    assert flow(source, 0x1000).indices == {0, 1, 2, 3, 5, 6, 7}
    assert found(source, base=0x1000) == []
    assert found(source) == [("R27", 0, 0)]
    assert found(f"brr -, r:skip\n{NOPS}nop\nskip:\n{END}", base=0xFFFF_F000) == []


def test_the_last_delay_slot_and_the_target_are_neighbours():
    source = "brr.allz -, r:skip\nnop\nnop\nmov ra1, r0\nnop\nskip:\nmov r0, ra1\n"
    assert found(source + END) == [("R1", 5, 3)]
    assert found(source.replace("brr.allz", "nop #") + END) == []


def test_a_loop_has_its_end_before_its_beginning():
    loop = f"loop:\nmov r0, ra1\nbrr.anyz -, r:loop\nnop\nnop\nmov ra1, r0\n{END}"
    assert found(loop) == [("R1", 0, 4)]


def test_a_branch_in_the_last_delay_slot_of_another():
    """One instruction at the first target, which is a slot of the second branch."""
    source = f"brr -, r:one\nnop\nnop\nbrr -, r:two\n.long 0\none:\nnop\nnop\nnop\ntwo:\n{END}"
    assert flow(source).indices == {0, 1, 2, 3, 5, 6, 7, 8, 9, 10}


def test_a_branch_too_close_behind_another_is_lost():
    source = f"brr -, r:one\nnop\nbrr -, r:two\nnop\none:\n{END}two:\n{END}"
    assert flow(source).indices == {0, 1, 2, 3, 4, 5, 6}


def test_only_a_branch_that_is_taken_writes():
    """Each way that the branch can go, with what it has done then: parameters make s take a uniform, nothing else does."""
    source = f"mov t0t, r0\n{{}}\n{NOPS}mov t0s, unif\n{END}"
    assert found(source.format("brr.allz t0s, 0")) == [("R11", 5, 5)]
    assert found(source.format("brr t0s, 0")) == []
    assert found(source.format("nop")) == [("R11", 5, 5)]


def test_behind_a_register_branch_everything_may_run():
    source = f"brr ra1, r:call\n{NOPS}mov ra2, r0\nmov r0, ra2\n{END}call:\nbra -, ra1\n{NOPS}"
    assert flow(source).indices == set(range(13))
    assert found(source) == [("R1", 5, 4)]


def test_several_beginnings():
    words = assemble(f"nop\nnop\n{END}mov t0s, r0\n{END}").words
    assert check(words, two_tmus=True) == []
    (one,) = check(words, two_tmus=True, entries=(0, 5))
    assert (one.hazard.rule, one.offset, one.trigger) == ("R31", 40, 40)


def test_no_program():
    assert check([]) == []


def test_one_finding_a_rule_and_pair():
    (one,) = check(assemble(f"mov ra1, r0\nadd r0, ra1, ra1; mov r1, ra1\n{END}").words)
    assert one.message == "reads ra1, right after an instruction that writes ra1"
    assert one.is_error
