"""Slice: QPUs and the units that they share (guide, section 2, figure 1).

::

                   ┌──────────── slice ─────────────────────────────┐
    programs ──────┼────────────┬─────────────────► ┌──────┐        │
                   │            │ first address     │      │        │
                   │ ┌──────────▼──┐  words         │      │ vectors│
    instruction ◄──┼─┤ instructions├───────────────►│ qpu0 ├────────┼──► VPM
    bus            │ │ (prefetch)  │◄───────────────┤      │        │
                   │ └─────────────┘  redirect      │      ├────────┼──► interrupt
                   │ ┌─────────────┐  uniforms      │      │        │
    uniform bus ◄──┼─┤ uniforms    ├───────────────►│      │        │
                   │ │ (prefetch)  │◄───────────────┤      │        │
                   │ └─────────────┘  move          └──────┘        │
                   └────────────────────────────────────────────────┘

Both streams read ahead of the QPU. A redirection or a move tells them where to go on; what they have fetched in vain is
dropped.
"""
