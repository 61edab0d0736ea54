# Draws a part of a picture: for each pixel one lookup of a texture.
#
# A vector is four quads beside each other, eight by two pixels; a quad is two by two pixels, from which the texture unit
# takes its level of detail. A row of vectors goes to memory as it is: quad after quad.
#
# Pixel (x, y) has three coordinates: s = s_x * x + s_y * y + s_1, and so t and r. Of an image s / r and t / r are looked up, of
# a cube (where `cube` is 1) all three divided by the largest of them.
#
# Uniforms: address of the first row of vectors, and from one row to the next; vectors of a row, rows; setups of the VPM for
# writing and for storing a row; y of the first row, and from one row to the next; the nine factors; the border colour; the
# address of three config parameters.

.set address, ra0
.set address_step, rb0
.set columns, rb1
.set rows, ra1
.set write_setup, ra2
.set store_setup, ra3
.set y, ra4
.set y_step, rb2
.set s_x, rb3
.set s_y, rb4
.set s_1, rb5
.set t_x, rb6
.set t_y, rb7
.set t_1, rb8
.set r_x, rb9
.set r_y, rb10
.set r_1, rb11
.set border, rb12
.set config, ra5
.set left, rb13                     # x of the first vector
.set x, ra6
.set count, ra7                     # vectors that are left in the row
.set s_row, rb14                    # coordinates where x is 0
.set t_row, rb15
.set r_row, rb16

    mov address, unif
    mov address_step, unif
    mov columns, unif
    mov rows, unif
    mov write_setup, unif
    mov store_setup, unif

    shr r0, elem_num, 1             # centres of pixels; elements 2 and 3 of a quad are its lower row
    and r0, r0, 1
    itof r0, r0
    fadd r0, r0, 0.5
    fadd y, r0, unif
    and r0, elem_num, 1
    shr r1, elem_num, 2
    add r1, r1, r1
    add r0, r0, r1
    itof r0, r0
    fadd left, r0, 0.5

    mov y_step, unif
    mov s_x, unif
    mov s_y, unif
    mov s_1, unif
    mov t_x, unif
    mov t_y, unif
    mov t_1, unif
    mov r_x, unif
    mov r_y, unif
    mov r_1, unif
    mov border, unif
    mov config, unif

:row
    mov vw_setup, write_setup
    fmul r0, y, s_y
    fadd s_row, r0, s_1
    fmul r0, y, t_y
    fadd t_row, r0, t_1
    fmul r0, y, r_y
    fadd r_row, r0, r_1
    mov x, left
    mov count, columns
:vector
    mov unif_addr, config           # each lookup takes the same three
    fmul r0, x, s_x
    fadd r0, r0, s_row
    fmul r1, x, t_x
    fadd r1, r1, t_row
    fmul r2, x, r_x
    fadd r2, r2, r_row
.if cube
    fmaxabs r3, r0, r1
    fmaxabs r3, r3, r2
.else
    mov r3, r2
.endif
    mov recip, r3
    nop
    nop
    fmul r3, r3, r4                 # a step of Newton's, as the table has 15 bits: e * (2 - d * e)
    fsub r3, 2.0, r3
    fmul r3, r3, r4
    fmul r0, r0, r3
    fmul r1, r1, r3
.if cube
    fmul t0r, r2, r3
.else
    mov t0r, border
.endif
    mov t0t, r1
    mov t0s, r0                     # the lookup begins
    nop; ldtmu0
    sub.setf count, count, 1; mov vpm, r4
    brr.allnz -, r:vector
    fadd x, x, 8.0
    nop
    nop

    mov vw_setup, store_setup
    mov vw_addr, address
    read vw_wait
    sub.setf rows, rows, 1
    brr.allnz -, r:row
    add address, address, address_step
    fadd y, y, y_step
    nop

    thrend
    nop
    nop
