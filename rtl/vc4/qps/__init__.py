"""QPS: what all QPUs share (guide, sections 3 and 4, registers of the QPU scheduler).

::

                       ┌──────────────────── qps ─────────────────────┐
    host ──────────────┼─► user_requests ─► scheduler ────────────────┼─► programs to QPU 0 ... n
    shaders ───────────┼───────────────────►    ▲                     │
                       │                        └─────────────────────┼── programs that end
    QPU 0 ◄────────────┼─►                                            │
     ...   ◄───────────┼─►  sync: semaphores, mutex                   │
    QPU n ◄────────────┼─►                                            │
                       └──────────────────────────────────────────────┘
"""
