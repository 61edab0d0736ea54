# Four rows of sixteen pixels whose colours run: red grows to the right, blue to the left, green downwards.
#
# The mul ALU turns floats into bytes of a colour, 0.0 into 0 and 1.0 into 255, one byte an instruction. A pixel is alpha, blue, green and red, from
# the highest byte to the lowest.
#
# Uniforms: address of the result.

.set rows, 4
.set write_rows_from_0, 0x1a00      # horizontal words, the next vector one row further
.set store_rows, 0x80104000 | rows << 23

    ldi vw_setup, write_rows_from_0
    itof r0, elem_num
    ldi r1, 0.0625
    fmul r0, r0, r1                 # x: 0 to 15/16
    ldi r1, 1.0
    fsub r1, r1, r0                 # 1 - x: 1/16 to 1
    ldi r2, 0.0                     # y: 0 to 3/4
    ldi rb0, 0.25
    ldi ra0, rows
    fmul r3.8abcd, 1.0, 1.0         # all four bytes 255; alpha stays so
:row
    fmul r3.8asf, r0, 1.0           # red
    fmul r3.8bsf, r2, 1.0           # green
    fmul r3.8csf, r1, 1.0           # blue
    mov vpm, r3
    sub.setf ra0, ra0, 1
    brr.allnz -, r:row
    fadd r2, r2, rb0                # the delay slots
    nop
    nop

    ldi vw_setup, store_rows
    mov vw_addr, unif
    thrend
    nop
    nop
