# QPU 0 waits until QPU 1 has counted semaphore 3 up.
mov.setf -, unif
brr.anynz -, r:second
nop
nop
nop
:first
sacq -, 3
mov r2, 7
thrend
nop
nop
:second
mov r3, qpu_num
mov recip, 2.0
nop
nop
mov ra31, r4
srel -, 3
thrend
nop
nop
