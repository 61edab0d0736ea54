"""Area and speed of a part of the GPU on an FPGA, with open tools.

The part gets a frame of few pins (``frame``), Yosys makes cells of it (``netlist``), nextpnr places and routes them once a
seed (``route``), and ``figures`` holds what came out, with the components that cells belong to (``shares``)::

    ┌───────┐  RTLIL  ┌─────────┐  cells  ┌───────┐  report  ┌─────────┐
    │ frame ├────────▶│ netlist ├────────▶│ route ├─────────▶│ figures │
    └───────┘         └────┬────┘         └───────┘          └────▲────┘
                           └────────────── cells of the frame ────┘
"""
