"""CLE: the control list executor (guide, sections 8 and 9; pipeline facts, 1).

::

                        ┌──────────────────── list_thread ─────────────────────┐
                 ┌──────┼─► list_fetch ─┬─► record_reader ─┬─► record_rules     │
    memory ◄─► hub      │               │                  ▼                   │   items of
                 │      │               └─► primitive_assembly ────────────────┼─► the pipeline
                 │      │  registers  ◄──►  control, returns, semaphore        │
                 │      └──────────────────────────────────────────────────────┘
                 └──────► list_thread, of the other pipeline

    primitive_assembly:  bytes ─┬─► vertex_reader ─► vertex_list ──┬─► vertices ─► primitive
                                └─► compressed_list ───────────────┘
                                    primitive_count

Each thread has a window of the bytes that come next, of the control list or of the indices that a list points to.
Records are taken from it whole. What is state for the pipeline, and each primitive of a list, leaves in one stream in the
order of the list, so nobody has to look at a register that the list may have changed since. Vertices are assembled in
place: a strip, a fan, and a compressed primitive write only what they do not share with the one before.
"""

from .cle import Cle, PipelinePort
from .structs import ItemKind, ListItem, Primitive

__all__ = ["Cle", "ItemKind", "ListItem", "PipelinePort", "Primitive"]
