"""Hardware threads: directed programs on RTL and model, which must agree on every effect."""

import pytest

from vc4sim.backends.base import Ending


def order(run):
    """Thread and index of the instructions in the order in which they retired."""
    return [(event.thread, (event.pc - 0x10000) // 8) for event in run.retired]


def run_two(lockstep, source, **options):
    return lockstep(source, programs=2, threaded=True, **options)


def test_two_programs_take_turns(lockstep):
    run = run_two(lockstep, "nop\nnop; thrsw\nnop\nnop\nnop\nnop; lthrsw\nnop\nnop")
    first, second, third = range(4), range(4, 8), range(8, 11)
    assert order(run) == [(t, n) for part in (first, second, third) for t in (0, 1) for n in part]
    assert run.outcome.ending is Ending.DONE


@pytest.mark.parametrize("threaded", [False, True])
def test_alone_a_switch_goes_on(lockstep, threaded):
    run = lockstep("nop; thrsw\nldi r0, 1\nldi r0, 2\nldi r0, 3", threaded=threaded)
    assert order(run) == [(0, n) for n in range(7)]


def test_programs_that_are_not_threaded_do_not_share(lockstep):
    run = lockstep("nop; thrsw\nnop\nnop\nnop", programs=2)
    assert order(run) == [(0, n) for n in range(7)] * 2


def test_each_thread_has_registers_of_its_own(lockstep):
    run = run_two(
        lockstep, "mov r0, unif\nmov ra3, r0\nmov rb3, r0; thrsw\nnop\nnop\nadd ra4, ra3, rb3", uniforms=[7] * 2
    )
    sums = [w.words[0] for e in run.retired for w in e.writes if w.register == "ra4"]
    assert sums == [14, 14]


def test_accumulators_are_shared(lockstep):
    run = run_two(lockstep, "add r0, r0, 1\nnop; thrsw\nnop\nnop\nadd r0, r0, 1")
    assert [w.words[0] for e in run.retired for w in e.writes if w.register == "r0"] == [1, 2, 3, 4]


def test_each_thread_has_uniforms_of_its_own(lockstep):
    run = run_two(lockstep, "mov r0, unif\nmov r0, unif; thrsw\nnop\nnop\nmov r0, unif", uniforms=[5, 6, 7])
    assert [value for e in run.retired for _, value in e.reads] == [5, 6, 5, 6, 7, 7]


def test_uniforms_moved_in_the_last_slot_belong_to_the_thread_that_leaves(lockstep):
    source = "mov r1, unif\nnop; thrsw\nnop\nmov unif_addr, r1\nmov r0, unif"
    run = run_two(lockstep, source, uniforms=[0x1_9010, 1, 2, 3, 40, 50])
    assert [value for e in run.retired for _, value in e.reads] == [0x1_9010, 0x1_9010, 40, 40]


def test_a_branch_in_front_of_a_switch(lockstep):
    """The last delay slots of both are the same; the thread goes on at the target."""
    run = run_two(lockstep, "brr -, r:there\nnop; thrsw\nnop\nnop\nldi r0, 1\nldi r0, 2\n:there\nldi r0, 3")
    assert order(run) == [(t, n) for part in (range(4), range(6, 10)) for t in (0, 1) for n in part]


def test_a_branch_into_a_switch(lockstep):
    """The switch is the last delay slot of the branch, its own are at the target."""
    run = run_two(lockstep, "brr -, r:there\nnop\nnop\nnop; thrsw\nldi r0, 1\n:there\nnop\nnop\nldi r0, 2")
    first = [0, 1, 2, 3, 5, 6]
    assert order(run) == [(t, n) for part in (first, range(7, 11)) for t in (0, 1) for n in part]


@pytest.mark.parametrize("what", ["brr -, r:there", "nop; thrsw", "nop; thrend"])
@pytest.mark.parametrize("slot", [0, 1])
def test_in_the_slots_of_a_switch_control_flow_does_nothing(lockstep, what, slot):
    slots = ["nop", "nop"]
    slots[slot] = what
    run = run_two(lockstep, "nop; thrsw\n" + "\n".join(slots) + "\nnop\nnop\nnop\n:there\nldi r0, 1")
    assert order(run) == [(t, n) for part in (range(3), range(3, 10)) for t in (0, 1) for n in part]


def test_a_switch_in_the_slots_of_an_end_does_nothing(lockstep):
    run = run_two(lockstep, "nop; thrsw\nnop\nnop\nnop; thrend\nnop; thrsw\nnop")
    assert order(run) == [(t, n) for part in (range(3), range(3, 6)) for t in (0, 1) for n in part]


def test_a_new_program_comes_before_a_suspended_one(lockstep):
    """The second program ends first; the third takes its place while the first one waits."""
    source = "mov r0, unif\nnop; thrsw\nnop\nnop\nnop"
    run = lockstep(source, programs=3, threaded=True)
    threads = [event.thread for event in run.retired]
    assert threads == [0] * 4 + [1] * 4 + [0] * 4 + [0] * 4 + [1] * 4 + [0] * 4


def test_a_program_that_shares_nothing_waits_for_both(lockstep):
    run = lockstep("nop; thrsw\nnop\nnop\nnop", programs=2, threaded=True)
    assert len(run.retired) == 14


def test_flags_and_a_late_write_cross_the_switch(lockstep):
    """The last instruction of one thread is written back while the first one of the other reads: it gets the old value."""
    run = run_two(lockstep, "sub.setf -, r0, 1\nnop; thrsw\nnop\nldi ra0, 9\nmov.ifn r1, ra0\nmov.ifn r1, ra0")
    values = [w.words[0] for e in run.retired for w in e.writes if w.register == "r1"]
    assert len(values) == 4
