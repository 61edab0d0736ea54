ldi r0, 0xc0a03c00
mov r1, elem_num
itof r1, r1
shl r2, elem_num, 8
sub.setf r3, 3, elem_num
:end
thrend
nop
nop
