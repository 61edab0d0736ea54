"""VCM and VCD: vertices of primitives, from their indices to shaded words in the VPM (guide, sections 7 to 9; pipeline facts, 3).

::

            ┌────────────────────────── vertex_thread, one a thread ──────────────────────────┐
    cle ────┼─► vertex_cache ─► items ────────────────────────────────────────────► primitives ┼─► binner, renderer
            │        └─► indices, batch_ring ◄──────────────────────────────────┐              │
            └──────────────────┼───────────────┼─────────────────────────────────┼─────────────┘
                               │ batches       │ rows that are given back        │ batches that have ended
                               ▼               ▼                                 │
                        vpm_allocator ─► row_clear ─► vcd ─► shading ────────────┘
                               ▲             │         │        │ ▲
    shader_records ◄─► memory  │             └────┬────┘        ▼ │
           └─► formats, arrays ┘                  ▼            QPUs
                                                 VPM

    vcd:  batch ─► vertex_units ─► vertex_loads ─► quads for the VPM

Primitives of a list are collected until their vertices fill a batch of sixteen; each vertex is shaded once in a batch. A
batch gets rows of the VPM for attributes and results, its attributes from memory, and a QPU; attributes are given back when
the program has ended, results when the last primitive has gone. Everything of a thread leaves in the order of its lists, so
state travels with the primitives. What both threads share takes turns by the batch.
"""

from .structs import VcmItem, VcmKind
from .vcm import Vcm

__all__ = ["Vcm", "VcmItem", "VcmKind"]
