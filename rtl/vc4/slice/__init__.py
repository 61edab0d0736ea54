"""Slice: QPUs and the units that they share (guide, section 2, figure 1).

::

                   ┌───────────────── slice ─────────────────────────────────┐
                   │ ┌───────────────────┐ words      ┌──────┐               │
    instruction ◄──┼─┤ instruction_cache ├───────────►│      ├───────────────┼──► VPM
    bus            │ │                   │◄───────────┤ qpu0 │◄──────────────┼─── programs
                   │ └───────────────────┘ redirects  │      │◄─────────────►│◄─► semaphores, mutex
                   │ ┌───────────────────┐ uniforms   │  to  ├───────────────┼──► interrupt
    uniform bus ◄──┼─┤ uniform_cache     ├───────────►│      │               │
                   │ │                   │◄───────────┤ qpu3 │  operands     │
                   │ └───────────────────┘ moves      │      ├─────► ┌─────┐ │
                   │                                  │      │  r4   │ sfu │ │
                   │                                  └──────┘◄───── └─────┘ │
                   └─────────────────────────────────────────────────────────┘

With what draws, `vri` interpolates varyings for the fragments of all its QPUs, ahead of their programs, from coefficients that the
front end sends to all slices.

Both streams read ahead of the QPU. A redirection or a move tells them where to go on; what they have fetched in vain is
dropped.

The caches of instructions and of uniforms are made of the same parts; a QPU has its turn every four clocks::

               ┌───────── instruction_cache, uniform_cache ──────────┐
               │            ┌────────────── lines ──────────────┐    │
               │ ┌───────┐  │  address                          │    │
    words ◄────┼─┤fetch_0├──┼──► turns ─► tags ─┬─► words ─┐    │    │
    redirect ──┼►│  ...  │◄─┼───────────────────┼──────────┘    │    │
    words ◄────┼─┤fetch_3│  │                   ▼ misses  ▲     │    │
    redirect ──┼►└───────┘  │                 fills ──────┘◄────┼────┼──► lines
               │            └───────────────────────────────────┘    │    from memory
               └─────────────────────────────────────────────────────┘

Between its QPU and `fetch`, a `uniform_reader` takes words apart, and counts for two threads.

The varyings interpolator, which is not in the slice yet, computes ahead of the programs::

              ┌───────────────────────────── vri ──────────────────────────────────┐
    slots ────┼─► varying_quads ── base, dx, dy ──┐                                 │
    quads ────┼─►      │ begins                   ▼                                 │
    planes ───┼────────┼───────────────────► A, B, C ─► varying_sums ─► varying_    │
              │        ▼                          ▲                     store_0 ────┼──► qpu0
              │  varying_thread_0 ─┐              │                       ...       │     ...
              │       ...          ├─► turns ─────┘                                 │
              └─────────────────────────────────────────────────────────────────────┘
"""
