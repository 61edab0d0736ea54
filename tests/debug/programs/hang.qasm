ldi r0, 5
sacq -, 0
thrend
nop
nop
