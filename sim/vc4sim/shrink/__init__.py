"""Makes a failing run as small as it gets, and keeps it.

``trial``    says whether a run fails as the first one did, and how many runs are left
``again``    says whether anything fails as it did
``search``   the smallest set that still fails
``simpler``  simpler words than a given one
``shrink``   all steps, from launches to single fields
``keep``     writes the run as a case directory
"""

from .keep import keep
from .shrink import Shrunk, shrink
from .trial import failure

__all__ = ["Shrunk", "failure", "keep", "shrink"]
