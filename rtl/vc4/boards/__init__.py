"""The GPU on a board: with a memory, and a host that reaches both over a serial line.

::

    rx ─► uart_receiver ─► host_bridge ─► uart_transmitter ─► tx
                             │      └─────────────┐
                   registers │                    ├─► hub ──► memory: on_chip_memory, sdram, or another one
                            v3d ──► bus_gate ─────┤
                                       └─► written_pages
                                    a screen (dvi) ┘

    sdram: sdram_bridge, sdram_start ──► a controller as Verilog (sdram_core) ──► pins

``protocol`` and ``facts`` say what host and board tell each other.
"""
