"""What the pipeline makes visible: each rule with the values that it must give, and the model beside it."""

import pytest

from vc4sim.backends.base import Ending

ELEMENTS = range(16)


def all_of(value):
    return (value & 0xFFFF_FFFF,) * 16


def test_a_register_read_too_early_has_its_old_value_however_long_the_reader_waits(lockstep):
    run = lockstep(
        """
        ldi ra1, rb1, 10
        nop
        ldi ra1, rb1, 11
        add r0, ra1, rb1        # still 10 and 10
        add r1, ra1, rb1        # 11 and 11
        mov r2, unif            # address of more uniforms
        ldi ra1, 12
        mov unif_addr, r2
        ldi ra1, 13
        mov r3, unif; mov rb2, ra1   # waits for the uniform; ra1 is still 12
        """,
        [0x1_8100],
        latency=60,
    )
    assert run.write(0x18, "r0") == all_of(20)
    assert run.write(0x20, "r1") == all_of(22)
    assert run.outcome.stalls["uniforms"] > 60
    assert run.last("rb2") == all_of(12)


def test_an_accumulator_is_there_for_the_next_instruction(lockstep):
    run = lockstep("ldi r0, 3\nadd r0, r0, r0\nmul24 r1, r0, r0\nfadd r2, r1, r1; mul24 r3, r1, r0")
    assert run.last("r1") == all_of(36)
    assert run.last("r3") == all_of(216)
    assert run.outcome.stalls["rotation"] == 0


def test_three_delay_slots_and_the_link(lockstep):
    run = lockstep(
        """
        ldi r0, 0
        brr ra1, rb1, -, r:there
        add r0, r0, 1
        add r0, r0, 2
        add r0, r0, 4
        add r0, r0, 8
        :there
        add r0, r0, 4
        add r0, r0, 4
        mov r1, ra1; mov r2, rb1
        """
    )
    assert run.last("r0") == all_of(7 + 8)
    assert run.outcome.stalls["link"] == 0
    assert run.last("r1") == run.last("r2") == all_of(0x1_0000 + 8 * 5)


def test_a_link_to_an_accumulator_is_only_written_if_the_branch_is_taken(lockstep):
    run = lockstep(
        """
        ldi r1, 7
        sub.setf -, elem_num, 15      # Z in element 15 only
        brr.allz r1, r:away
        mov r2, r1                    # the branch is not taken
        nop
        nop
        brr.anyz r1, r:on
        mov r3, r1                    # the link is there already
        nop
        nop
        :away
        ldi r0, 1
        :on
        """
    )
    assert run.last("r2") == all_of(7)
    assert run.last("r3") == all_of(0x1_0000 + 8 * 10)
    assert run.outcome.stalls["link"] == 8
    with pytest.raises(StopIteration):
        run.last("r0")


@pytest.mark.parametrize("slot", [1, 2])
def test_a_branch_in_the_first_two_delay_slots_is_not_taken(lockstep, slot):
    slots = ["nop"] * 3
    slots[slot - 1] = "brr.setf r1, r:away"
    run = lockstep("\n".join(["brr -, r:on", *slots, ":away", "ldi r0, 1", ":on"]))
    assert [event.writes for event in run.retired] == [()] * 7
    assert all(event.flags is None for event in run.retired)


def test_a_branch_in_the_third_delay_slot_is_taken_behind_three_instructions_at_the_first_target(lockstep):
    run = lockstep(
        """
        ldi r0, 0
        brr -, r:one
        nop
        nop
        brr -, r:two
        :one
        add r0, r0, 1
        add r0, r0, 2
        add r0, r0, 4
        add r0, r0, 8
        nop
        :two
        """
    )
    assert run.last("r0") == all_of(7)


def test_a_branch_target_comes_from_element_15(lockstep):
    run = lockstep(
        """
        brr ra1, r:here
        nop
        nop
        nop
        :here
        sub.setf -, elem_num, 15
        mov r0, ra1
        ldi r1, :there - :here
        ldi ra2, 0
        add.ifz ra2, r0, r1
        nop
        bra -, ra2
        nop
        nop
        nop
        ldi r3, 1
        :there
        ldi r3, 2
        """
    )
    assert [event.writes[0].words for event in run.retired if event.writes and event.writes[0].register == "r3"] == [
        all_of(2)
    ]


def test_a_branch_with_an_odd_register_sets_flags_from_the_link(lockstep):
    run = lockstep(
        """
        sub.setf -, r0, r0            # Z everywhere
        ldi ra3, 8 * 5
        nop
        brr -, ra3, 0                 # odd register: flags of the link, which is not zero
        nop
        nop
        nop
        nop
        nop
        mov.ifz r1, 1
        mov.ifnz r2, 1
        """
    )
    flags = [event.flags for event in run.retired if event.flags]
    assert flags == [(0, 0xFFFF, 0), (0, 0, 0)]


def test_rotation_of_what_was_just_written_waits_a_slot_and_sees_it(lockstep):
    run = lockstep(
        """
        mov r0, elem_num
        nop; mov r1, r0 << 3
        ldi r5rep, 5
        nop; mov r2, r0 << r5         # moves up by 5
        """
    )
    assert run.last("r1") == tuple((element + 3) % 16 for element in ELEMENTS)
    assert run.last("r2") == tuple((element - 5) % 16 for element in ELEMENTS)
    assert run.outcome.stalls["rotation"] == 8


def test_rotation_of_a_link_sees_it_in_every_quad(lockstep):
    run = lockstep(
        """
        mov r1, elem_num
        brr r1, r:on
        nop; mov r2, r1 << 5
        nop
        nop
        :on
        """
    )
    assert run.last("r2") == all_of(0x1_0000 + 8 * 5)
    assert run.outcome.stalls["link"] + run.outcome.stalls["rotation"] == 8


def test_a_port_that_reads_nothing_shows_the_last_quad_of_its_last_value(lockstep):
    run = lockstep("read elem_num\nldi r1, 3\nmov r0, ra39\nadd r2, elem_num, 7\nand r3, elem_num, rb39")
    assert run.last("r0") == (12, 13, 14, 15) * 4
    assert run.last("r3") == tuple(element & 7 for element in ELEMENTS)


def test_a_mul_nop_with_a_destination_writes_the_last_quad_of_the_result_before(lockstep):
    run = lockstep(
        """
        ldi.setf r0, [0,1,2,3,1,2,3,0,2,3,0,1,3,0,1,2]
        nop; v8adds r1, elem_num, r0
        nop; mnop r2
        """
    )
    assert run.last("r1") == (0, 2, 4, 6, 5, 7, 9, 7, 10, 12, 10, 12, 15, 13, 15, 17)  # the addendum's example
    assert run.last("r2") == (15, 13, 15, 17) * 4


def test_registers_of_the_vpm_are_written_by_both_alus(lockstep):
    """Addresses 49 and 50 of either file are two registers each, as 42 is, whose two a vendor's compiler writes at once."""
    run = lockstep(
        """
        ldi vw_setup, 0x1a00
        mov vpm, elem_num
        ldi r0, 0x101a00                # a vector from row 0
        ldi r1, 0x1a01                  # to row 1
        mov vr_setup, r0; mov vw_setup, r1
        nop
        mov r2, vpm
        add vpm, r2, r2
        ldi vr_setup, 0x80011040        # sixteen words to row 4
        ldi vw_setup, 0x80904080        # row 1 to the output
        mov r3, unif
        ldi r0, 0x19000
        mov vr_addr, r0; mov vw_addr, r3
        read vr_wait
        read vw_wait
        ldi vr_setup, 0x101a04
        mov ra0, vpm
        """,
        [0x1_8000, *range(1, 16)],
    )
    assert run.last("r2") == tuple(ELEMENTS)
    assert run.output(16) == tuple(2 * element for element in ELEMENTS)
    assert run.last("ra0") == (0x1_8000, *range(1, 16))


def test_a_peripheral_takes_the_whole_vector_under_any_condition(lockstep):
    run = lockstep(
        """
        ldi vw_setup, 0x1a00
        sub.setf -, elem_num, 3
        mov.ifz vpm, elem_num
        ldi vw_setup, 0x80904000
        mov vw_addr, unif
        read vw_wait
        """,
        [0x1_8000],
    )
    assert run.output(16) == tuple(ELEMENTS)


def test_r5_by_quads_and_by_element_0(lockstep):
    run = lockstep(
        "mov r5quad, elem_num\nmov r0, r5\nmov r5rep, elem_num\nmov r1, r5\nadd r5quad, elem_num, 1; mov r5rep, r0\nmov r2, r5"
    )
    assert run.write(8, "r0") == tuple(element // 4 * 4 for element in ELEMENTS)
    assert run.write(0x18, "r1") == all_of(0)
    # both at once: element 0 goes everywhere with the first quad, the others follow
    assert run.write(0x28, "r2") == tuple(0 if element < 4 else element // 4 * 4 + 1 for element in ELEMENTS)


def test_flags_change_only_where_the_condition_holds(lockstep):
    run = lockstep(
        """
        and.setf -, elem_num, 1
        and.setf.ifz -, elem_num, 2
        mov.ifz r0, 1
        sub.setf -, r0, r0
        mov.never.setf r1, 1
        """
    )
    assert run.retired[0].flags[1] == 0x5555
    assert run.retired[1].flags[1] == 0x1111
    assert run.retired[4].flags == run.retired[3].flags


def test_a_wait_right_behind_a_store_sees_it(lockstep):
    run = lockstep(
        """
        mov r0, unif
        ldi vw_setup, 0x1a00
        mov vpm, elem_num
        ldi vw_setup, 0x80904000
        mov vw_addr, r0
        read vw_wait
        """,
        [0x1_8000],
        latency=100,
    )
    assert run.output(16) == tuple(ELEMENTS)
    assert run.outcome.stalls["vdw"] > 100


def test_busy_is_seen_until_the_store_is_in_memory(lockstep):
    run = lockstep(
        """
        mov r0, unif
        ldi vw_setup, 0x1a00
        mov vpm, elem_num
        ldi vw_setup, 0x88104000      # sixteen rows
        mov vw_addr, r0
        :poll
        mov.setf -, vw_busy
        brr.allnz -, r:poll
        nop
        nop
        nop
        """,
        [0x1_8000],
    )
    polls = [event.reads for event in run.retired if event.reads and event.reads[0][0] == "vw_busy"]
    assert polls[0] == (("vw_busy", 1),)
    assert polls[-1] == (("vw_busy", 0),)
    assert len(polls) > 3


def test_a_uniform_right_behind_the_write_of_its_address_is_the_new_one(lockstep):
    run = lockstep(
        "mov r0, unif\nmov unif_addr, r0\nmov r1, unif\nldi unif_addr_rel, 2\nmov r2, unif",
        [0x1_9010, 1, 2, 3, 40, 50, 60, 70],
    )
    assert run.last("r1") == all_of(40)
    assert run.last("r2") == all_of(70)


def test_a_relative_uniform_address_counts_uniforms(lockstep):
    """A tessellator of the vendor's OpenVG reads two uniforms, writes -2, and reads the first one again; another one writes
    -1 so as not to take a uniform.
    """
    run = lockstep(
        "mov r0, unif\nmov r0, unif\nmov unif_addr_rel, -2\nmov r1, unif\nmov unif_addr_rel, -1\nmov r2, unif", [5, 6]
    )
    assert run.last("r0") == all_of(6)
    assert run.last("r1") == run.last("r2") == all_of(5)


def test_a_nop_of_the_add_alu_writes_nothing(lockstep):
    """The nop of an assembler that programs on boards have used since 2018 names r0 as its destination, always: r0 is kept."""
    run = lockstep("ldi r0, 5\n.long 0x009e7000, 0x10020827\nadd r1, r0, 1\nanop ra5\nanop vpm\nnop")
    assert run.last("r0") == all_of(5)
    assert run.last("r1") == all_of(6)
    assert not [write for event in run.retired[1:] for write in event.writes if write.register in ("r0", "ra5", "vpm")]


def test_two_slots_run_behind_the_end_and_the_next_program_follows(lockstep):
    run = lockstep("add ra1, ra1, 1\nthrend\nldi r0, 1\nldi r0, 2\nldi r0, 3", programs=3)
    assert run.last("r0") == all_of(2)
    # Every new program sees ra1 where the one before sees ra0.
    assert run.write(0, "ra1") == all_of(2)
    assert len(run.retired) == 12
    assert run.outcome.ending is Ending.DONE


def test_the_host_interrupt_wants_a_value_and_a_condition(lockstep):
    run = lockstep("ldi irq, 0\nsub.setf -, elem_num, 7\nmov.ifz irq, 5\nmov.ifz irq, r0\nmov.never irq, 1")
    assert run.outcome.interrupts == 1


def test_reads_that_need_no_unit(lockstep):
    run = lockstep("mov r0, x_coord; mov r1, y_coord\nmov r2, qpu_num\nmov r3, ra33")
    assert run.last("r0") == (0, 1, 0, 1) * 4
    assert run.last("r1") == (0, 0, 1, 1) * 4
    assert run.last("r2") == all_of(0)
    assert run.last("r3") == tuple(ELEMENTS)
