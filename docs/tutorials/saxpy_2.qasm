# y = a x + y, so many vectors of sixteen floats, one after the other
mov ra0, unif                   # a
shl r0, elem_num, 2             # where each element lies, in bytes
add r1, r0, unif                # x of each element
mov r2, unif                    # y
mov ra1, unif                   # vectors that are left
ldi r3, 64                      # bytes of a vector
:loop
mov t0s, r1                     # looks up x
add t0s, r0, r2                 # and y
ldi vw_setup, 0x1a00            # VPM: horizontal words, from row 0 on
nop; ldtmu0                     # r4 = x
fmul ra2, r4, ra0; ldtmu0       # r4 = y, for the next instruction
sub.setf ra1, ra1, 1
fadd vpm, ra2, r4
ldi vw_setup, 0x80904000        # DMA: a row of sixteen words
mov vw_addr, r2                 # to y
read vw_wait
brr.anynz -, r:loop
add r1, r1, r3                  # in the delay slots: the next vectors
add r2, r2, r3
nop
thrend
nop
nop
