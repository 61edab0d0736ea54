"""What the clocks of a run went to: instruction by instruction, and what limits the whole.

``counts``
    slots and requests of the RTL, counted
``work``
    what an instruction asks of the units
``limits``
    how busy each unit was, and how much it can do
``hot``
    instructions by line and by label
``report``
    these as text
``profile``
    all of it, of a run
``roofline``
    a picture of the limits
"""

from .profile import Profile, profile

__all__ = ["Profile", "profile"]
