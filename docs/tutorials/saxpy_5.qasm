# y = a x + y, on several QPUs, four vectors at a time
mov ra0, unif                   # a
mov r3, qpu_num
shl r2, r3, 8                   # 256 bytes for each QPU before this one
shl r0, elem_num, 2             # where each element lies, in bytes
add r1, r0, r2
add r1, r1, unif                # x of each element
add r2, r2, unif                # y
mov ra1, unif                   # blocks for each QPU
shl r3, r3, 2                   # four rows of the VPM for each QPU
ldi ra3, 0x1a00                 # VPM: horizontal words, from row 0 on
ldi rb3, 0x82104000             # DMA: four rows of sixteen words, from row 0
add ra3, ra3, r3
shl r3, r3, 7
add rb3, rb3, r3
ldi ra4, -192
shl r3, unif, 8                 # bytes from a block of this QPU to its next one,
add ra5, r3, ra4                # and from the last vector of a block
ldi r3, 64                      # bytes of a vector
mov t0s, r1                     # looks up the first x
add t0s, r0, r2                 # and y
:loop
read vw_wait                    # the rows are free again
mov vw_setup, ra3; mov ra2, r2  # where this y goes
.rep i, 4
    .if i < 3
        .set step, r3
    .else
        .set step, ra5
    .endif
    add r1, r1, step; ldtmu0    # r4 = x
    mov t0s, r1                 # looks up the next x, which nobody may want
    fmul rb2, r4, ra0; ldtmu0   # r4 = y
    add r2, r2, step
    add t0s, r0, r2             # looks up the next y
    fadd vpm, rb2, r4
.endr
sub.setf ra1, ra1, 1
brr.anynz -, r:loop
mov vw_setup, rb3
mov vw_addr, ra2
nop
nop; ldtmu0                     # takes what nobody wants
nop; ldtmu0
read vw_wait
thrend
nop
nop
