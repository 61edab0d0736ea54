"""L2C: the cache that instructions, uniforms and textures share (guide, section 2; addendum, cache details).

::

                 ┌──────────────────────── l2c ─────────────────────────┐
    requests ────┼─┬─► tags ──► hit, miss ──┬─► answers ──────┬─────────┼─► lines from
    of clients   │ │ ▲                      │    │ reads      │ misses  │   memory
                 │ │ │  again               ▼    ▼            ▼         │
    responses ◄──┼─┼─┼─────────────────── slots  words ◄── lines come ◄─┼──
                 │ └─┴──────────────────────┘                           │
                 └──────────────────────────────────────────────────────┘

Each request has a slot until it is answered. One that hits goes to `answers` at once. Any other one waits in its slot: for
its line, for another line of the same set, or for an earlier request of the same tag; then it is looked up again.
"""
