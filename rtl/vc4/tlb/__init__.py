"""TLB: colour, Z, stencil and alpha mask of the tile that is drawn (guide, section 5; pipeline facts, 5).

::

    QPUs ─ports─► requests ────────────────┐
                   ├ request_port          │            store
                   ├ depth_requests        │         ┌────────────────────────────────────┐
                   │   └► stencil_set_ups  ├─ tile ─►│ depth_stencil: compare, stencil    │
                   └ colour_requests       │  port   │ colour_buffer, another of 8 bits   │
    quads of vectors ─► scoreboard         │         │   └─► sample_walk, tile_memory     │
    quads of coverage ─► coverage_updates ─┤         └────────────────────────────────────┘
    records ─► transfers ──────────────────┘            ▲ clears
                ├ transfer_records, dump_place ─────────┘
                └ tile_walk ─► tile_addresses ─┬─► tile_reads, stored_pixels ─► bus_words ─► bus_bursts ─► memory
                                               └─► tile_loads ◄───────────────────────────────────────────┘

Where both ways read a memory, `tile_turns` gives each its answers: of two tile buffers one is drawn while the other is stored.

A word of a memory has one sample of the four pixels of a quad, `quad_place` says which. A clear is a new number in place of
1024 writes: what has another number reads as the value of the clear. Each tile buffer is cleared alone. What a write of Z has left
in a quad is told to early Z (`depth_watch`).
"""

from .tlb import Tlb

__all__ = ["Tlb"]
