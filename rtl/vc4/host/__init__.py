"""What the host sees of the GPU.

::

    host ◄──► register_file ◄──┬──► interrupts   of the pipeline
                               ├──► counter_0 .. counter_15
                               ├──► debug ──► halt, run and step of QPUs
                               ├──► bus_errors
                               └──► registers of the blocks, by name

    irq ◄── interrupts, debug, bus_errors

    error_status ──► ERRSTAT, of the blocks

``port`` and ``structs`` are how registers are reached: by the host with an offset, by the blocks with a name. ``registers``
holds all parts.
"""
