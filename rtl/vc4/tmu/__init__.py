"""TMU: lookups of textures and of memory for the QPUs of a slice (guide, section 4).

::

                 ┌────────────────────────────── tmu ───────────────────────────────┐
    parameters   │ ┌────────────┐ textures  ┌─────────── sampler ──────────────┐    │
    of QPUs ─────┼►│ requests_n ├──────────►│ set_up ─► levels, detail, choice │    │
                 │ └─────┬──────┘           │ points            channels       │    │
                 │       │ memory           └───┬───────────────▲───────┬──────┘    │
                 │       │     ┌────────────────┘               │       │ elements  │
                 │       ▼     ▼ addresses                      │ words │           │
                 │ ┌──────────────────────── cache ─────────────┼────┐  │           │
    lines ◄──────┼─┼─ fetches ◄── lookups, tags ─► places ─► reads   │  │           │
    from L2C ────┼─┼──────┴──────────── lines ─────────────────►│    │  │           │
                 │ └────────────────────────────────────────────┼────┘  │           │
    results      │ ┌───────────┐                                │       │           │
    of QPUs ◄────┼─┤ results_n │◄───────────────────────────────┴───────┘           │
                 │ └───────────┘                                                    │
                 └──────────────────────────────────────────────────────────────────┘

A lookup begins when its parameters are there and there is room for what it returns; nothing that has begun waits for its QPU.
The tags are ahead of the words: a line that is missing gets its place at once, and requests behind it go on. Its words are
written when the requests before it have been answered, so that none of those finds its line gone.

A texture passes these, each a file::

    set_up        parameters and uniforms of the lookup
    levels        where each level lies
    cube_face     the face of a cube, and the coordinates there
    detail        level of detail of a quad
    choice        levels and filter of an element
    points        fixed_point ─► axis (wrap modes) ─► window ─► texel_places ─► addresses of four texels
    channels      texel_decode ─► half_to_fixed ─► blend: rows, columns, levels ─► fixed_to_half ─► a word
"""
