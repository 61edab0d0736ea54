"""Timelines of runs, as a viewer of traces shows them: files in the Trace Event Format, which ui.perfetto.dev opens.

``trace_file``
    the file, event by event
``names``
    what instructions are called
``qpus``, ``memory``, ``queues``, ``drawing``, ``stages``
    tracks of QPUs, of the way to memory, of the queues between blocks, of a frame, and of the blocks that draw
``timeline``
    all of them, for a run
``frames``, ``model_frames``
    the same for frames
"""

from .names import Names
from .timeline import Timeline, timeline_of

__all__ = ["Names", "Timeline", "timeline_of"]
