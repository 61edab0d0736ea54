# Sixteen columns of m rows of C = A B. The m rows of A lie in memory column after column.
.set m, 24
.set n, ra0                     # products of a sum
.set row_bytes, ra1             # of B and C
.set c, ra2                     # where the result goes
.set sums, ra8                  # ra8 to ra8 + m - 1

mov n, unif
mov r0, unif                    # address of the rows of A
shl r1, elem_num, 2
add r1, r1, unif                # addresses of sixteen columns of B, one for each element
mov c, unif
mov unif_addr, r0               # uniforms are the rows of A from here on
shl row_bytes, n, 2
.rep i, m
    mov sums + i, 0
.endr
.rep i, 3
    add r1, r1, row_bytes; mov t0s, r1
.endr
shr n, n, 2
mov r3, 0; ldtmu0               # r4 = B
:products                       # four columns of A at a time
sub.setf n, n, 1
.rep k, 4
    add r1, r1, row_bytes; mov t0s, r1
    .rep i, m
        .set last, sums + (i + m - 1) % m
        .if k == 3 && i == m - 3
            brr.anynz -, r:products
        .endif
        .if i < m - 1
            fadd last, last, r3; fmul r3, r4, unif
        .else
            fadd last, last, r3; fmul r3, r4, unif; ldtmu0
        .endif
    .endr
.endr
.set last, sums + m - 1
fadd last, last, r3; ldtmu0     # the last ones; what was looked up in vain goes
nop; ldtmu0

mov r0, qpu_num                 # four rows of the VPM for each QPU
shl r0, r0, 2
ldi r1, 0x1a00
add ra3, r0, r1                 # set-up of vectors
shl r0, r0, 7
ldi r1, 0x82104000
add ra4, r0, r1                 # of a store of four rows
ldi r1, 0xc0000000 - 64
add ra5, r1, row_bytes          # and of what lies between them in memory
shl r2, row_bytes, 2
.rep part, m / 4
    read vw_wait                # the rows are free
    mov vw_setup, ra3
    .rep i, 4
        mov vpm, sums + i + 4 * part
    .endr
    mov vw_setup, ra4
    mov vw_setup, ra5
    mov vw_addr, c
    add c, c, r2
.endr
read vw_wait
thrend
nop
nop
