"""Random frames for the half of the GPU that renders: a list of one or a few tiles, with everything that may be in one.

Frames are small, keep to the rules, and always end. A frame is a row of things that can be left out one by one: what remains is a
frame as well, so that a frame that shows a fault can be made small.

``values``     random numbers of all kinds
``things``     what a frame consists of
``state``      records of state
``fragments``  fragment shaders
``textures``   textures that they sample
``vertices``   vertices, and programs that shade them
``lists``      lists of primitives
``binning``    memory of the binner, coordinates
``transfers``  the configuration of a frame, its loads and stores
``frame``      a random frame
``image``      a frame in memory
``compare``    a frame on the RTL, with the model beside it, and what is left of one that fails
"""

from .compare import ShrunkFrame, compare_frame, shrink_frame
from .frame import RandomFrame
from .image import FrameImage, frame_job

__all__ = ["FrameImage", "RandomFrame", "ShrunkFrame", "compare_frame", "frame_job", "shrink_frame"]
