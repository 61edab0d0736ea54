"""The way of QPUs to the texture units of their slices (guide, sections 3 and 4; QPU facts, 8.3).

Each QPU has FIFOs of its own for both names of units, which its threads share: parameters that were written (TFREQ), words
that came back (TFRCV). A slice with one unit has it do the work of both, which no program can see. A lookup leaves its slots
for the parameters when it begins, and begins when there is room for all it returns. It reads memory when its s is written.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from vc4.config import MAX_QPUS
from vc4.errata import Erratum
from vc4.isa.registers import ELEMENTS
from vc4.records.tmu import REQUEST_SLOTS, RESULT_SLOTS, TMU_NAMES, TmuParameterName

from ..compiled import kernel
from ..memory import MemoryState
from .parameters import PARAMETERS
from .reader import NO_FAULT, fetch
from .sampler import sample
from .texels import SamplerState, new_sampler

__all__ = [
    "LOOKUP_ERROR",
    "NO_FAULT",
    "NO_RESULT",
    "NO_SLOT",
    "TmuState",
    "has_unread_words",
    "new_tmu",
    "tmu_clear",
    "tmu_disable_swap",
    "tmu_is_empty",
    "tmu_is_full",
    "tmu_load",
    "tmu_start",
    "tmu_takes_uniform",
    "tmu_write",
]

#: What an instruction waits for that only this QPU could bring about; the number is that of the unit.
NO_SLOT, NO_RESULT = "a slot of tmu{}, and takes no result", "tmu{}, and no lookup is under way"

#: The bit of XBUSERR that a lookup outside of memory sets.
LOOKUP_ERROR = "ERR_LOOKUP"
_WORD_BYTES = 4
_LETTERS = len(TmuParameterName)
_S = TmuParameterName.S.value
_THREADS = 2
#: The QPUs of a slice whose units change places.
_SWAPPED = (2, 3)
#: Words of lookups that have begun, and of those that have not: each of these has a slot for a word at the least.
_WORDS = RESULT_SLOTS + REQUEST_SLOTS

#: Counts of a name: slots of parameters that wait for their s, and all slots that are taken; uniforms that they took; the
#: first lookup that has not begun, and how many there are; the first word, how many words there are, and of lookups that have
#: begun.
_WRITTEN, _TAKEN, _UNIFORMS, _FIRST_LOOKUP, _LOOKUPS, _FIRST_WORD, _ALL_WORDS, _RESULTS, _COUNTS = range(9)
#: Numbers of a lookup that has not begun: slots that it leaves, words that it returns.
_SLOTS_LEFT, _WORDS_MADE, _LOOKUP_FIELDS = range(3)


class TmuState(NamedTuple):
    """The texture units of all QPUs.

    swaps : for each QPU, whether its units change places
    swap_disabled : [qpu, thread]
    counts : [qpu, name, count]
    parameters : last value of each that waits for its s, [qpu, name, letter, element]
    uniforms : that these took, in their order, [qpu, name, number]
    waiting : a ring of lookups that have not begun, [qpu, name, number, field]
    words : a ring of what lookups return, [qpu, name, number, element]
    lookups : how many each QPU made
    faults : for each QPU the address of the first read outside of memory, or `NO_FAULT`
    sampler : for the lookup of the moment
    """

    swaps: np.ndarray
    swap_disabled: np.ndarray
    counts: np.ndarray
    parameters: np.ndarray
    uniforms: np.ndarray
    waiting: np.ndarray
    words: np.ndarray
    lookups: np.ndarray
    faults: np.ndarray
    sampler: SamplerState


def new_tmu(qpus_per_slice: int, errata: Collection[Erratum] = ()) -> TmuState:
    """The arrays of the texture units of as many QPUs as there can be, with these faults."""
    qpus, names = MAX_QPUS, (MAX_QPUS, TMU_NAMES)
    return TmuState(
        swaps=np.array([qpu % qpus_per_slice in _SWAPPED for qpu in range(qpus)], np.int64),
        swap_disabled=np.zeros((qpus, _THREADS), np.int64),
        counts=np.zeros((*names, _COUNTS), np.int64),
        parameters=np.zeros((*names, _LETTERS, ELEMENTS), np.int64),
        uniforms=np.zeros((*names, PARAMETERS), np.int64),
        waiting=np.zeros((*names, REQUEST_SLOTS, _LOOKUP_FIELDS), np.int64),
        words=np.zeros((*names, _WORDS, ELEMENTS), np.int64),
        lookups=np.zeros(qpus, np.int64),
        faults=np.full(qpus, NO_FAULT, np.int64),
        sampler=new_sampler(errata),
    )


def has_unread_words(tmu: TmuState) -> bool:
    """There are lookups whose results nobody has taken."""
    return bool(tmu.counts[..., _RESULTS].any())


@kernel
def tmu_clear(tmu: TmuState, qpu: int) -> None:
    """Forget all parameters and results of a QPU."""
    for name in range(TMU_NAMES):
        for count in range(_COUNTS):
            tmu.counts[qpu, name, count] = 0
        for letter in range(_LETTERS):
            for element in range(ELEMENTS):
                tmu.parameters[qpu, name, letter, element] = 0


@kernel
def _name(tmu: TmuState, qpu: int, thread: int, unit: int) -> int:
    """The unit after the name that a program gives it."""
    return unit ^ 1 if tmu.swaps[qpu] and not tmu.swap_disabled[qpu, thread] else unit


@kernel
def tmu_start(tmu: TmuState, qpu: int, thread: int) -> None:
    """A program begins, with the swap enabled; what others have left stays."""
    tmu.swap_disabled[qpu, thread] = 0


@kernel
def tmu_disable_swap(tmu: TmuState, qpu: int, thread: int, word: int) -> None:
    """A write of `tmu_noswap`: element 0."""
    tmu.swap_disabled[qpu, thread] = 1 if word else 0


@kernel
def tmu_is_full(tmu: TmuState, qpu: int, thread: int, unit: int) -> bool:
    """No slot is free, so that a write waits: only this QPU could free one."""
    return tmu.counts[qpu, _name(tmu, qpu, thread, unit), _TAKEN] >= REQUEST_SLOTS


@kernel
def tmu_is_empty(tmu: TmuState, qpu: int, thread: int, unit: int) -> bool:
    """There is no result, so that a load waits: only this QPU could ask for it."""
    return tmu.counts[qpu, _name(tmu, qpu, thread, unit), _RESULTS] == 0


@kernel
def tmu_takes_uniform(tmu: TmuState, qpu: int, thread: int, unit: int, letter: int) -> bool:
    """Whether a parameter takes a uniform: all but s alone. Letters are the codes of `TmuParameterName`."""
    return letter != _S or tmu.counts[qpu, _name(tmu, qpu, thread, unit), _WRITTEN] > 0


@kernel
def _begin(tmu: TmuState, qpu: int, name: int) -> None:
    """Lookups begin, in their order, as long as there is room."""
    while tmu.counts[qpu, name, _LOOKUPS]:
        first = tmu.counts[qpu, name, _FIRST_LOOKUP]
        results = tmu.counts[qpu, name, _RESULTS] + tmu.waiting[qpu, name, first, _WORDS_MADE]
        if results > RESULT_SLOTS:
            return
        tmu.counts[qpu, name, _RESULTS] = results
        tmu.counts[qpu, name, _TAKEN] -= tmu.waiting[qpu, name, first, _SLOTS_LEFT]
        tmu.counts[qpu, name, _FIRST_LOOKUP] = (first + 1) % REQUEST_SLOTS
        tmu.counts[qpu, name, _LOOKUPS] -= 1


@kernel
def _look_up(tmu: TmuState, memory: MemoryState, qpu: int, name: int) -> int:
    """Makes the lookup whose parameters are there, which leaves `words` of the sampler. Returns how many count."""
    sampler = tmu.sampler
    for number in range(PARAMETERS):
        sampler.uniforms[number] = tmu.uniforms[qpu, name, number]
    for letter in range(_LETTERS):
        for element in range(ELEMENTS):
            sampler.coordinates[letter, element] = tmu.parameters[qpu, name, letter, element]
            tmu.parameters[qpu, name, letter, element] = 0
    sampler.fault[0] = tmu.faults[qpu]
    made = 1
    if tmu.counts[qpu, name, _UNIFORMS]:
        made = sample(sampler, memory, tmu.counts[qpu, name, _UNIFORMS])
    else:
        for element in range(ELEMENTS):
            address = sampler.coordinates[_S, element] & -_WORD_BYTES
            sampler.words[0, element], _ = fetch(memory, sampler.fault, address, _WORD_BYTES)
    tmu.faults[qpu] = sampler.fault[0]
    return made


@kernel
def tmu_write(
    tmu: TmuState,
    memory: MemoryState,
    qpu: int,
    thread: int,
    unit: int,
    letter: int,
    value: np.ndarray,
    uniform: int,
) -> None:
    """A parameter, of sixteen elements, with the uniform that it took or -1. There must be a slot for it."""
    name = _name(tmu, qpu, thread, unit)
    for element in range(ELEMENTS):
        tmu.parameters[qpu, name, letter, element] = value[element]
    tmu.counts[qpu, name, _WRITTEN] += 1
    tmu.counts[qpu, name, _TAKEN] += 1
    taken = tmu.counts[qpu, name, _UNIFORMS]
    if uniform >= 0 and taken < PARAMETERS:
        tmu.uniforms[qpu, name, taken] = uniform
        tmu.counts[qpu, name, _UNIFORMS] = taken + 1
    if letter != _S:
        return
    tmu.lookups[qpu] += 1
    made = _look_up(tmu, memory, qpu, name)
    for number in range(made):
        last = (tmu.counts[qpu, name, _FIRST_WORD] + tmu.counts[qpu, name, _ALL_WORDS]) % _WORDS
        tmu.counts[qpu, name, _ALL_WORDS] += 1
        for element in range(ELEMENTS):
            tmu.words[qpu, name, last, element] = tmu.sampler.words[number, element]
    behind = (tmu.counts[qpu, name, _FIRST_LOOKUP] + tmu.counts[qpu, name, _LOOKUPS]) % REQUEST_SLOTS
    tmu.waiting[qpu, name, behind, _SLOTS_LEFT] = tmu.counts[qpu, name, _WRITTEN]
    tmu.waiting[qpu, name, behind, _WORDS_MADE] = made
    tmu.counts[qpu, name, _LOOKUPS] += 1
    tmu.counts[qpu, name, _WRITTEN] = 0
    tmu.counts[qpu, name, _UNIFORMS] = 0
    _begin(tmu, qpu, name)


@kernel
def tmu_load(tmu: TmuState, qpu: int, thread: int, unit: int, into: np.ndarray) -> None:
    """The next word of each element, which must be there: what a load brings to r4."""
    name = _name(tmu, qpu, thread, unit)
    first = tmu.counts[qpu, name, _FIRST_WORD]
    for element in range(ELEMENTS):
        into[element] = tmu.words[qpu, name, first, element]
    tmu.counts[qpu, name, _FIRST_WORD] = (first + 1) % _WORDS
    tmu.counts[qpu, name, _ALL_WORDS] -= 1
    tmu.counts[qpu, name, _RESULTS] -= 1
    _begin(tmu, qpu, name)
