# A coordinate shader: brings a vertex from the screen, 640 by 480 pixels, back to clip space.
#
# Sixteen equal vertices, one an element. Every result is one row of the VPM; at the end all seven go to memory:
#     0 clip x   1 clip y   2 clip z   3 clip w   4 screen xy   5 screen z   6 1/w
#
# Uniforms: screen x and y as 12.4 fixed point in the low and the high half, screen z, 1/w, address of the result.
#
# The words are those of program.hex, bit by bit. They were not made by an assembler: in many of them the fields of an
# ALU that does nothing hold other values than the language gives them. These words are numbers here, each with an
# instruction that does the same.

.set write_rows_from_0, 0x17bc1ac0
.set write_rows_from_2, 0x17bc1ac2
.set store_7_rows, 0x83904000

    nop
    .long 0x1002002715827df7        # mov ra0, unif         screen x and y
    .long 0x1002006715827df7        # mov ra1, unif         screen z
    .long 0x100200a715827df7        # mov ra2, unif         1/w

    ldi vw_setup, write_rows_from_2
    ldi vpm, 0                      # clip z
    ldi vpm, 1.0                    # clip w
    .long 0x10020c2715027df7        # mov vpm, ra0          screen xy
    .long 0x10020c2715067df7        # mov vpm, ra1          screen z
    .long 0x10020c27150a7df7        # mov vpm, ra2          1/w

    shr r0, ra0.16a, 4              # whole pixels of x
    shr r1, ra0.16b, 4              # and of y
    .long 0x10022827080001f7        # itof r0, r0           these four set flags, which nobody reads
    .long 0x10022867080003f7        # itof r1, r1
    ldi r2, 0x3b4d1ed9              # 2 / 639
    ldi r3, 0x3b88d181              # 2 / 479
    .long 0x100079e020000dc2        # fmul r0, r0, r2       0 to 2
    .long 0x100079e120000dcb        # fmul r1, r1, r3
    fsub r0, r0, 1.0; read ra0      # -1 to 1
    fsub r1, r1, 1.0; read ra0

    ldi vw_setup, write_rows_from_0
    mov vpm, r0                     # clip x
    .long 0x10020c27159e7249        # mov vpm, r1           clip y

    ldi vw_setup, store_7_rows
    .long 0xd0021ca715800df7        # mov vw_addr, unif     the store begins
    sbdone
    thrend
    nop
    nop
