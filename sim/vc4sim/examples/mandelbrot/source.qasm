# The Mandelbrot set, sixteen columns by twelve rows: how often z = z * z + c stays within 2, up to fifteen.
#
# A row is one vector. Elements that have left stay as they are, by the flags; when all of them have, a branch ends the
# row early.
#
# Uniforms: left, pitch of columns, top, pitch of rows, address of the result.

.set rows, 12
.set limit, 15
.set write_rows_from_0, 0x1a00      # horizontal words, the next vector one row further
.set store_rows, 0x80104000 | rows << 23

    ldi vw_setup, write_rows_from_0
    mov ra0, unif                   # left
    itof r0, elem_num
    fmul r0, r0, unif
    fadd ra0, r0, ra0               # real part of c
    mov ra1, unif                   # imaginary part of c
    mov rb1, unif                   # its pitch
    ldi ra2, rows
:row
    ldi r0, 0                       # z
    ldi r1, 0
    ldi ra3, 0                      # steps
    ldi rb2, limit
    nop
:step
    fmul r2, r0, r0
    fmul r3, r1, r1
    fadd ra4, r2, r3; fmul rb3, r0, r1
    fsub r2, r2, r3
    fsub.setf -, 4.0, ra4           # negative outside
    brr.alln -, r:done
    fadd.ifnn r0, r2, ra0
    fadd r3, rb3, rb3
    fadd.ifnn r1, r3, ra1
    add.ifnn ra3, ra3, 1
    mov r3, rb2
    sub.setf rb2, r3, 1
    brr.allnz -, r:step
    nop
    nop
    nop
:done
    mov vpm, ra3
    sub.setf ra2, ra2, 1
    brr.allnz -, r:row
    fadd ra1, ra1, rb1
    nop
    nop

    ldi vw_setup, store_rows
    mov vw_addr, unif
    thrend
    nop
    nop
