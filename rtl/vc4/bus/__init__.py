"""The way to memory: one port signature for every client, one hub that serves them all.

::

    instructions ──┐
    uniforms ──────┤  hub  ├──► memory
    VDW ───────────┘
"""
