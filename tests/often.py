"""How often something happens in random runs."""

import math


def often(number: int, runs: int, rate: float) -> bool:
    """Whether what happened in `number` of `runs` may happen in a part `rate` of all, or in more: with five standard deviations,
    so that a test which asserts it fails by chance once in some million times, and says nothing of one run alone.
    """
    return number >= runs * rate - 5 * math.sqrt(runs * rate * (1 - rate))
