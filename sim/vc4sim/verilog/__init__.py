"""The GPU as Verilog, for tools that do not know Amaranth.

``alike``       which components are the same hardware
``once``        RTLIL with one module for each kind of component
``interfaces``  what block designs of Vivado want to know of the ports
``header``      the comment at the beginning of the file
``export``      Verilog from all of it
"""

from .export import TOP, export, export_component

__all__ = ["TOP", "export", "export_component"]
