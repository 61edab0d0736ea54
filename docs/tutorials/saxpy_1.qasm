# y = a x + y, sixteen floats
mov ra0, unif                   # a
shl r0, elem_num, 2             # where each element lies, in bytes
add t0s, r0, unif               # looks up x
mov r1, unif                    # where y lies
add t0s, r0, r1                 # looks up y
ldi vw_setup, 0x1a00            # VPM: horizontal words, from row 0 on
nop; ldtmu0                     # r4 = x
fmul r2, r4, ra0; ldtmu0        # r4 = y, for the next instruction
fadd vpm, r2, r4                # row 0
ldi vw_setup, 0x80904000        # DMA: a row of sixteen words
mov vw_addr, r1                 # to y
read vw_wait
thrend
nop
nop
:x
.float 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
