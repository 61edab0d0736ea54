"""TLB: colour, Z, stencil and alpha mask of the tile that is drawn (guide, section 5; pipeline facts, 5).

::

    QPUs ─ports─► requests ──────────────┐                       store
                   ├ request_port          │         ┌───────────────────────────────────────┐
                   ├ depth_requests ───────┼─► tile ─► depth_stencil: compare, stencil          │
                   │      └ stencil_set_ups │  port   │ colour_buffer, another one of 8 bits   │
                   └ colour_requests       │         │   └─► sample_walk, tile_memory         │
    quads of vectors ─► scoreboard         │         └───────────────────────────────────────┘
    quads of coverage ─► coverage_updates ─┤
    records ─► transfers ──────────────────┘
                ├ transfer_records: what is moved, dump_place; clears
                ├ tile_walk ─► tile_addresses ─┬─► tile_reads, stored_pixels ─► bus_words ─► bus_bursts ─► memory
                └──────────────────────────────┴─► tile_loads ◄─────────────────────────────────────── memory

A word of a memory has one sample of the four pixels of a quad, `quad_place` says which. A clear is a new number in place of
1024 writes: what has another number reads as the value of the clear. Each tile buffer is cleared alone.
"""

from .tlb import Tlb

__all__ = ["Tlb"]
