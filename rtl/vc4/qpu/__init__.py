"""QPU: sixteen elements, four lanes, one instruction every four clocks (guide, section 3, figure 2).

An instruction waits in SP until `issue` lets it go; from then on nothing stops it. It is in each stage for four clocks, a
quad in each, and comes to the next stage a clock later::

      SP           RA      RA2     RU       RR         A0    A1    A2        IO
    ┌───────────┐ ┌──────────────┐┌──────────────────────────────────────┐ ┌─────────┐
    │ sequencer │ │ file_a       ││ lane_0 to lane_3                     │ │ outputs ├─► VPM, uniforms,
  ─►│ decode    ├►│ file_b       ├►   unpack   operands   add_alu         ├►│         │   interrupt
    │ issue     │ │ read_ports   ││            │          mul_alu  rotate │ └─────────┘
    └──▲────────┘ │ immediate    ││            │                 results │      WB
       │          └──────▲───────┘└────────────▲───────────────┬───▲───┬─┘ ┌────────────┐
       │                 │                     │ accumulators ◄┘   │   └──►│ write_back │
       │                 │                                         │       │   pack     │
       │                 │                                     flags ◄─────┤            │
       │                 └─────────────────── file_a, file_b ◄─────────────┤            │
       │                                                           │       └────────────┘
       └─────────────── redirect ◄── branch ◄── decision ◄─────────┘

What programs see of the pipeline follows from three distances:

* accumulators are written at the end of A2, before the next instruction has the same quad in RR: it can use them;
* WB has no clock of its own: `write_back` keeps the results until the next instruction, or an empty slot, is in RR. That
  one has read its registers by then and got the old ones, however long it had to wait;
* a branch is decided in the first clock of A2, in time for the fourth instruction after it: three delay slots.

What instructions say to the VPM, with reads of vectors and the ends of programs, stands in `vpm_queue` in the order of the
program, however early a vector was read.

A fragment shader begins when the four quads of its vector have come (`fragment_quads`): an empty slot brings W and Z into
registers (`fragment_start`). What it says to the tile buffer goes through `tile_queue` in the order of the program, with the flags
that its pixels have by then (`fragment_flags`); a load asks there before its instruction goes (`tile_load`). A varying is taken
in RA like a vector of the VPM, and its C is in r5 for the next instruction. `fragment_issue` knows what SP has to wait for.

`newest` says which ALU wrote a byte of an accumulator last, `control` and `pipeline` what travels with an instruction,
`stall` why it waits, `structs` what goes in and out, and `trace` what is told of every instruction that is done.
"""
