"""Random episodes: frames, user programs beside them and a host that meddles, on the RTL with the model beside it.

The seed decides all of an episode. It is a row of parts that can be left out one by one: what remains is an episode as well.

``acts``      what the host does meanwhile
``episode``   a random episode
``job``       an episode as the RTL gets it
``lockstep``  the model beside it
``compare``   an episode on both, and what is left of one that fails
``numbers``   parts in the words of a command
``workers``   episode after episode
"""

from .compare import Compared, ShrunkEpisode, compare_episode, shrink_episode
from .episode import Episode, Part
from .job import SoakJob, episode_job
from .numbers import numbers_of, ranges_of
from .workers import Finding, compared, side_by_side

__all__ = [
    "Compared",
    "Episode",
    "Finding",
    "Part",
    "ShrunkEpisode",
    "SoakJob",
    "compare_episode",
    "compared",
    "episode_job",
    "numbers_of",
    "ranges_of",
    "shrink_episode",
    "side_by_side",
]
