"""What the host sees of the GPU.

::

    host ◄──► debug ──► halt, run and step of QPUs
                ▲
                └────── interrupts that programs raise

``debug`` the registers that halt, run and step QPUs, and those of the interrupts that programs raise
"""
