"""Memory with damage anywhere, and what model and RTL make of it: the same.

``mutation``     bytes that are different, missing or doubled
``whole_frame``  a frame with everything that the binner knows
``compare``      a binning list on the RTL, and what the model makes of it
``binning``      binning lists with damage, and how they end
"""

from .binning import DamagedJob, compare_damaged, damaged_job
from .compare import compare_binning
from .mutation import Damage, mutate

__all__ = ["Damage", "DamagedJob", "compare_binning", "compare_damaged", "damaged_job", "mutate"]
