"""VPM: the vertex pipe memory, and the DMA that stores blocks of it (guide, section 7; fact sheet, 8.4 to 8.6).

::

                 ┌───────────── vpm ────────────────────────────────────────────────────┐
    set-ups,     │ ┌────────────┐  quads  ┌───────┐   ┌───────┐  quads                  │
    vectors,  ──►│─► write_port ├─────────► merge ├───► store ├────────┐                │
    addresses    │ └──▲───┬─────┘  of all └───────┘   └───▲───┘  ┌─────▼──── vdw ─────┐ │
    (of each     │    │   │         QPUs ┌───────┐        └──────┤ reader ─► packer ──┼─┼─► writes
    QPU)         │    │   └──────────────► merge ├───────────────► runs ──────────────┼─┼─► requests
                 │    │           stores └───────┘               │ answers ◄──────────┼─┼── responses
                 │    └──────────────────────────────────────────┤                    │ │
                 │      rows not yet read, done                  └────────────────────┘ │
                 └──────────────────────────────────────────────────────────────────────┘

Each QPU writes vectors of sixteen elements into the rows of the store; an address makes the VDW store a block of rows to
memory. A vector that would overwrite what a store has yet to read waits for it, so a program sees its commands happen
in order however long memory takes.
"""

from .port import VpmBeat, VpmCommand, VpmPort, VpmUnbuilt
from .vpm import Vpm

__all__ = ["Vpm", "VpmBeat", "VpmCommand", "VpmPort", "VpmUnbuilt"]
