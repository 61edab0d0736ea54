"""The registers that the host sees, as data: offsets, fields, access, reset values; and what performance counters count.

Hardware, model, C header, documentation and the `vc4 regs` command are made from these tables.

``register``     what a register and a field are, and the kinds of access
``identity``     identification, scratch, caches, interrupts of the pipeline
``lists``        the control list executor and the binner
``scheduler``    QPU scheduler and VPM
``counters``     performance counters and what they count
``debug``        halt, run and step of QPUs, and their interrupts
``diagnostics``  error and diagnostic registers
``extension``    what the chip does not have: bus errors and memory windows
``table``        all of them
"""
