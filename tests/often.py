"""How often something happens in random runs."""

from math import exp, lgamma, log, log1p


def often(number: int, runs: int, rate: float) -> bool:
    """Whether what happened in `number` of `runs` may happen in a part `rate` of all, or in more: so few of them, or fewer, are no
    accident of less than one in a million. One run alone says nothing.
    """

    def chance(count: int) -> float:
        ways = lgamma(runs + 1) - lgamma(count + 1) - lgamma(runs - count + 1)
        return exp(ways + count * log(rate) + (runs - count) * log1p(-rate))

    return sum(map(chance, range(number + 1))) > 1e-6
