"""Testbench parts.

======================  ==========================================================================
``memory``              a memory as hardware, with delays, gaps and bounds
``traced``              the whole GPU with its memory, and what happens in it
``gpu``, ``lists``      the same for programs and for control lists: how a run begins and ends
``taker``, ``writer``   what control lists need around it: in place of binner and renderer, and a host
``vectors``             operands and expected results that a device is held against in hardware
``streams``             helpers that feed, collect and watch streams
======================  ==========================================================================
"""
