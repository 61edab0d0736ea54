"""Testbench parts.

=================  ==========================================================================
``memory``         a memory as hardware, with delays, gaps and bounds
``gpu``            the whole GPU with its memory, and a watch for its end
``vectors``        operands and expected results that a device is held against in hardware
``streams``        helpers that feed, collect and watch streams
=================  ==========================================================================
"""
