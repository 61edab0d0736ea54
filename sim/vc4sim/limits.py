"""How slow the memory of a run may be, and how long a run may take."""

__all__ = ["CYCLES", "LARGEST_GAP", "LATENCIES", "SEEDS"]

#: Clocks from a request to its first word.
LATENCIES = range(1, 1025)
#: Chance of a pause in a clock, with which memory still gets on.
LARGEST_GAP = 0.95
#: What decides the pauses.
SEEDS = range(1 << 31)
#: Clocks after which a run is given up.
CYCLES = range(1, 1 << 31)
