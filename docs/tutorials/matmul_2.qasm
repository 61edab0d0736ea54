# Sixteen elements of a row of C = A B; the row of A comes as uniforms
.set n, ra0                     # products of a sum
.set row_bytes, ra1             # of B and C
.set c, ra2                     # where the result goes

mov n, unif
mov r0, unif                    # address of the row of A
shl r1, elem_num, 2
add r1, r1, unif                # addresses of sixteen columns of B, one for each element
mov c, unif
mov unif_addr, r0               # uniforms are the row of A from here on
shl row_bytes, n, 2
mov r2, 0                       # the sums
:product
mov t0s, r1                     # looks up sixteen elements of B
sub.setf n, n, 1
nop; ldtmu0                     # r4 = B
fmul r3, r4, unif               # times an element of A
brr.anynz -, r:product
fadd r2, r2, r3                 # in the delay slots
add r1, r1, row_bytes
nop
mov r0, qpu_num                 # a row of the VPM for each QPU
ldi r1, 0x1a00
add vw_setup, r0, r1
mov vpm, r2
shl r0, r0, 7
ldi r1, 0x80904000
add vw_setup, r0, r1
mov vw_addr, c
read vw_wait
thrend
nop
nop

