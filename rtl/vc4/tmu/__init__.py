"""TMU: lookups of textures and of memory for the QPUs of a slice (guide, section 4).

::

                 ┌────────────────────────────── tmu ───────────────────────────────┐
    parameters   │ ┌────────────┐ textures  ┌─────────── sampler ──────────────┐    │
    of QPUs ─────┼►│ requests_n ├──────────►│ set_up ─► levels                 │    │
                 │ └─────┬──────┘  vectors  │ vectors ─► elements ─► detail    │    │
                 │       │                  │ passes ─► points       channels  │    │
                 │       │ memory           └──────────────┬────────▲───────┬──┘    │
                 │       │     ┌───────────────────────────┘        │       │       │
                 │       ▼     ▼ addresses                    words │       │       │
                 │ ┌──────────────────────── cache ─────────────────┼────┐  │       │
    lines ◄──────┼─┼─ fetches ◄── lookups, tags ─► places ───────► reads  │  │       │
    from L2C ────┼─┼──────┴──────────── words ─────────────────────►│    │  │       │
                 │ └────────────────────────────────────────────────┼────┘  │       │
    results      │ ┌───────────┐                                    │       │       │
    of QPUs ◄────┼─┤ results_n │◄───────────────────────────────────┴───────┘       │
                 │ └───────────┘                                         elements   │
                 └──────────────────────────────────────────────────────────────────┘

A lookup begins when its parameters are there and there is room for what it returns; nothing that has begun waits for its QPU.
The tags are ahead of the words: a line that is missing gets its place at once, and requests after it go on. It comes beside
the line before it, so that its words need not wait until nobody reads that any more.

A texture passes these, each a file, and each busy with another lookup; what a lookup is lies in its context, from which every
stage takes what it needs (texture_fields)::

    set_up        parameters and uniforms of the lookup, one a clock
    levels        where its levels lie, one a clock
    vectors       its four vectors, an element a clock
    elements      cube_face ─► fixed_point: coordinates and bias
    detail        float_distance ─► float_scale ─► float_square ─► float_sum: level of detail of a quad, every four clocks
    passes        choice: levels and filter of an element, a pass a clock from here on
    points        axis (wrap modes) ─► window ─► texel_places ─► addresses of four texels
    channels      texel_decode, yuv_decode ─► four_halves or blend: rows, columns ─► level_blend ─► fixed_to_half ─► a word
"""
