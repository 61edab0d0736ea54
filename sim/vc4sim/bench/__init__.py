"""Testbench parts.

=================  ==========================================================================
``memory``         a memory as hardware, with delays, gaps and bounds
``streams``        helpers that feed, collect and watch streams
=================  ==========================================================================
"""
