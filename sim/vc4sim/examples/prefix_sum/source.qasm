# Running sums of sixteen squares, by four rotations.
#
# Each step adds to every element the one that stands 1, 2, 4, 8 places before it. A rotation wraps, so elements that
# have none before them are left out by a condition.
#
# Uniforms: address of the result. Rows: squares, running sums.

.set write_rows_from_0, 0x1a00      # horizontal words, the next vector one row further
.set store_2_rows, 0x81104000       # two rows of sixteen words

    ldi vw_setup, write_rows_from_0
    add r1, elem_num, 1
    nop
    mul24 r0, r1, r1                # 1, 4, 9, ... 256
    mov vpm, r0

.macro add_from, distance
    sub.setf -, elem_num, distance
    mov r1, r0 >> distance
    add.ifnn r0, r0, r1
.endm
    add_from 1
    add_from 2
    add_from 4
    add_from 8
    mov vpm, r0

    ldi vw_setup, store_2_rows
    mov vw_addr, unif
    thrend
    nop
    nop
