"""The way to memory: one port signature for every client, one hub that serves them all; and the ways out of the GPU.

::

    instructions ──┐
    uniforms ──────┤  hub  ├──► windows ──► axi_master ──► memory
    VDW ───────────┘            (optional)      └ tags

    host ──► axi_lite ──► registers

``axi`` has the signatures of the buses outside.
"""
