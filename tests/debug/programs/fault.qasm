ldi vw_setup, 0x1a00
mov vpm, elem_num
ldi vw_setup, 0x80904000
ldi vw_addr, 0x70000000
nop
thrend
nop
nop
