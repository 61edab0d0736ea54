"""VPM: the vertex pipe memory, and the DMA between it and memory (guide, section 7; QPU facts, 8.4 to 8.6).

::

                 ┌───────────────────────── vpm ─────────────────────────┐
                 │ ┌─ qpu_port ──┐   of all QPUs                         │
    commands, ───┼─► write_port ─┼─► merge ─► scatter ─► merge ─► store ─┼─┐
    vectors      │ │             │                         ▲             │ │ quads
    (of each     │ │ dma_port ───┼─► merge ─► vdr ─────────┘             │ │
    QPU)         │ │    └────────┼─► merge ─► vdw ──────┐                │ │
                 │ │             │             ▲        ▼                │ │
    vectors  ◄───┼─◄ read_port ──┼─► merge ────┼────► merge ─► addresses │ │
                 │ │    ▲        │             │                         │ │
                 │ └────┼────────┘             │                         │ │
                 │      └───────── gather ◄────┴─────────────────────────┼─┘
                 └───────────────────────────────────────────────────────┘

    vdr:  block ─► dma_units ─► dma_requests ────────────────────────────────────────► requests
                                     └─► vdr_packer ◄───────────────────────────────── responses
                                              └─► quads for the store

    vdw:  block ─► dma_units ─► dma_requests ────────────────────────────────────────► requests
                                     └─► vdw_reader ─► vdw_gather ─► vdw_packer ─────► writes
                                              ▲ quads of the store

Each QPU writes and reads vectors of sixteen elements in the rows and columns of the store; an address makes the VDR
load a block of rows or columns from memory, or the VDW store one to memory. Whatever has to do with rows that an engine
is not done with waits for it, the other engine by `dma_order`; so a program sees its commands happen in order however
long memory takes. Shaders of vertices have rows of their own; what one does not write of its results becomes 0, by
`result_rows` after its write port.
"""

from .port import VpmBeat, VpmCommand, VpmPort
from .vpm import Vpm

__all__ = ["Vpm", "VpmBeat", "VpmCommand", "VpmPort"]
