"""Bitstreams of boards, and projects for the tools of vendors.

::

    ┌────────┐  RTLIL, pins  ┌───────────┐  cells  ┌───────────┐
    │ design ├──────────────▶│ bitstream ├────────▶│  figures  │
    └───▲────┘               └───────────┘         └───────────┘
        │                    ┌───────────┐
      table ────────────────▶│  project  │  Verilog, XDC, Tcl
                             └───────────┘

``memories`` says which memories a board may have, ``sdram`` has LiteDRAM make the controller of one.
"""
