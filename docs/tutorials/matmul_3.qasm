# Sixteen elements of a row of C = A B; lookups are made ahead, and both ALUs work
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
mov r2, 0; mov r3, 0            # the sums, and the products that are not in them yet
.rep i, 3
    add r1, r1, row_bytes; mov t0s, r1
.endr
shr n, n, 2
nop; ldtmu0                     # r4 = B
:products                       # four at a time
sub.setf n, n, 1
.rep i, 4
    add r1, r1, row_bytes; mov t0s, r1
    .if i == 2
        brr.anynz -, r:products # three more instructions run
    .endif
    fadd r2, r2, r3; fmul r3, r4, unif; ldtmu0
.endr
fadd r2, r2, r3; ldtmu0         # the last ones; what was looked up in vain goes
nop; ldtmu0
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

