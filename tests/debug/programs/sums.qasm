# Adds up 1 to the first uniform, and stores the sums of all elements at the second one.
mov ra0, unif
ldi r0, 0
:again
add r0, r0, ra0
sub.setf ra0, ra0, 1
brr.anynz -, r:again
nop
mov rb3, r0
fmul r1, r0, 1.0
sub.setf -, elem_num, 8
mov.ifn r0, elem_num
:store
ldi vw_setup, 0x1a00
mov vpm, r0
ldi vw_setup, 0x80904000
mov vw_addr, unif
thrend
nop
nop
