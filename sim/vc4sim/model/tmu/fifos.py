from typing import NamedTuple

import numpy as np

from ..compiled import kernel


class TmuState(NamedTuple):
    x: np.ndarray
    lookups: np.ndarray


def new_tmu(qpus, per, units):
    return TmuState(np.zeros(4, np.int64), np.zeros(4, np.int64))


@kernel
def tmu_start(tmu, qpu, thread):
    pass


@kernel
def tmu_disable_swap(tmu, qpu, thread, word):
    pass


@kernel
def tmu_is_full(tmu, qpu, thread, unit):
    return False


@kernel
def tmu_is_empty(tmu, qpu, thread, unit):
    return True


@kernel
def tmu_takes_uniform(tmu, qpu, thread, unit, letter):
    return letter != 0


@kernel
def tmu_write(tmu, memory, qpu, thread, unit, letter, value, uniform):
    pass


@kernel
def tmu_load(tmu, qpu, thread, unit, into):
    pass


LOOKUP_ERROR = "ERR_LOOKUP"


@kernel
def has_results(tmu):
    return False


@kernel
def lookup_fault(tmu):
    return -1
