# y = a x + y, with the next lookups and the last store under way
mov ra0, unif                   # a
shl r0, elem_num, 2             # where each element lies, in bytes
add r1, r0, unif                # x of each element
mov r2, unif                    # y
mov ra1, unif                   # vectors that are left
ldi r3, 64                      # bytes of a vector
ldi ra3, 0x1a00                 # VPM: horizontal words, from row 0 on
ldi rb3, 0x80904000             # DMA: a row of sixteen words, from row 0
ldi ra4, 0x80                   # turns row 0 into row 1 in that word
mov t0s, r1                     # looks up the first x
add t0s, r0, r2                 # and y
:loop
add r1, r1, r3; ldtmu0          # r4 = x
mov t0s, r1                     # looks up the next x, which nobody may want
fmul ra2, r4, ra0; ldtmu0       # r4 = y
add r2, r2, r3; mov rb2, r2     # rb2 = this y
add t0s, r0, r2                 # looks up the next y
mov vw_setup, ra3
fadd vpm, ra2, r4
sub.setf ra1, ra1, 1
read vw_wait                    # until the store before has ended
mov vw_setup, rb3
mov vw_addr, rb2
brr.anynz -, r:loop
xor ra3, ra3, 1                 # the other row
xor rb3, rb3, ra4
nop
nop; ldtmu0                     # takes what nobody wants
nop; ldtmu0
read vw_wait
thrend
nop
nop
