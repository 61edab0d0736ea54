"""Tools for control lists: written from Python, read from memory, printed.

==============  =================================================================
``builder``     lists and shader records, written record by record
``walk``        everything that a list in memory leads to, in order
``text``        records as lines of text
``primitives``  whole compressed lists, to bytes and back
``capture``     captured frames: memory, registers, what is to come out
==============  =================================================================
"""

from .builder import ListBuilder, gl_shader_record, nv_shader_record, vg_shader_record
from .capture import Capture, CaptureJob, load_capture, new_capture, save_capture
from .primitives import compress, decompress
from .text import describe
from .walk import Line, walk

__all__ = [
    "Capture",
    "CaptureJob",
    "Line",
    "ListBuilder",
    "compress",
    "decompress",
    "describe",
    "gl_shader_record",
    "load_capture",
    "new_capture",
    "nv_shader_record",
    "save_capture",
    "vg_shader_record",
    "walk",
]
