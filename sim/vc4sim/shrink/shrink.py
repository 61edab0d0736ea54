"""Makes a failing run small: fewer launches, fewer instructions, simpler instructions, less data."""

import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from vc4.isa.timing import DELAY_SLOTS, END_SLOTS
from vc4.isa.word import NOP_WORD, WORD_BYTES

from ..backends.base import Job, Launch, Run
from ..lockstep import Difference
from .search import needed
from .simpler import steps
from .trial import Trial, on_model

__all__ = ["Shrunk", "shrink"]

_LINE_BYTES = 64
#: A memory as `vc4 run` has it if nothing else is asked for.
_PLAIN_MEMORY = {"latency": Job.latency, "gap": Job.gap, "seed": Job.seed}


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A small run that fails.

    job : the run
    error : what goes wrong
    code : index of the first word of the programs in memory, and of the one after the last
    runs : on the RTL, that it took
    """

    job: Job
    error: Difference | AssertionError
    code: range
    runs: int

    @property
    def instructions(self) -> int:
        """Instructions that are no nops."""
        words = _words(self.job)
        return sum(words[index] != NOP_WORD for index in self.code)


def shrink(run: Run, job: Job, most: int, told: Callable[[], object] = lambda: None) -> Shrunk | None:
    """The smallest failing run that is found with at most `most` runs of `run`; `None` if `job` does not fail.

    `told` is called before every run on the RTL. Programs are not moved, as branches and data may name their addresses.
    """
    trial = Trial(run, job, most, told)
    if not trial.error:
        return None
    small = _Shrinker(trial, job)
    small.shrink()
    return Shrunk(small.job, trial.error, small.code, trial.used)


def _words(job: Job) -> list[int]:
    """The memory as instructions."""
    return [word for (word,) in struct.iter_unpack("<Q", job.image[: len(job.image) // WORD_BYTES * WORD_BYTES])]


def _gaps(words: list[int], start: int, end: int) -> list[range]:
    """The indices of nops one after another from `start` to `end`, but of the last ones."""
    gaps = []
    for is_nop, group in groupby(range(start, end), lambda index: words[index] == NOP_WORD):
        indices = list(group)
        if is_nop and indices[-1] + 1 < end:
            gaps.append(range(indices[0], indices[-1] + 1))
    return gaps


class _Shrinker:
    """The smallest run until now, in `job`, whose programs lie in the words `code` of memory."""

    def __init__(self, trial: Trial, job: Job):
        self._trial = trial
        self.job = job
        self.code = trial.code

    def shrink(self) -> None:
        """All steps."""
        self._accept(replace(self.job, **_PLAIN_MEMORY))
        self._drop_launches()
        self._drop_instructions()
        self._close_gaps()
        self._simplify()
        self._drop_instructions()
        self._close_gaps()
        self._skip_nops()
        self._move_uniforms()
        self._drop_data()
        self._cut_memory()

    def _accept(self, job: Job) -> bool:
        """Go on with `job` if it fails."""
        fails = job != self.job and self._trial.fails(job)
        if fails:
            self.job = job
        return fails

    def _with(self, words: Mapping[int, int]) -> Job:
        """The run with other words at some indices."""
        image = bytearray(self.job.image)
        for index, word in words.items():
            struct.pack_into("<Q", image, WORD_BYTES * index, word)
        return replace(self.job, image=bytes(image))

    def _drop_launches(self) -> None:
        """Programs that are not needed, and sharing of the QPU."""
        launches = needed(self.job.launches, lambda some: bool(some) and self._launches_fail(some))
        alone = [replace(launch, threaded=False) for launch in launches]
        if alone != launches:
            self._launches_fail(alone)

    def _launches_fail(self, launches: Iterable[Launch]) -> bool:
        return self._accept(replace(self.job, launches=tuple(launches)))

    def _drop_instructions(self) -> None:
        """Nops instead of instructions: first all that are not executed, then whatever is not needed."""
        executed = on_model(self.job)[1]
        self._accept(self._with({index: NOP_WORD for index in self.code if index not in executed}))
        words = _words(self.job)
        active = [index for index in self.code if words[index] != NOP_WORD]

        def works(kept: list[int]) -> bool:
            gone = set(active) - set(kept)
            return self._accept(self._with(dict.fromkeys(gone, NOP_WORD)))

        needed(active, works)

    def _close_gaps(self) -> None:
        """What stands after nops moves up, program by program, the last nops first; some may have to stay."""
        starts = sorted((launch.pc - self.job.base) // WORD_BYTES for launch in self.job.launches)
        for start, end in zip(starts, [*starts[1:], self.code.stop], strict=True):
            for gap in reversed(_gaps(_words(self.job), start, end)):
                any(self._move_up(gap[stay:], end) for stay in range(min(len(gap), DELAY_SLOTS + 1)))
        words = _words(self.job)
        last = max(index for index in self.code if words[index] != NOP_WORD)
        self.code = range(self.code.start, min(self.code.stop, last + 1 + END_SLOTS))

    def _skip_nops(self) -> None:
        """Programs begin after their first nops, or a little before; what is left moves to the front."""
        words = _words(self.job)
        for number, launch in enumerate(self.job.launches):
            first = (launch.pc - self.job.base) // WORD_BYTES
            active = next((index for index in range(first, self.code.stop) if words[index] != NOP_WORD), first)
            later = (launch.pc + WORD_BYTES * (active - first - stay) for stay in range(DELAY_SLOTS + 1))
            any(self._launches_fail(self._with_pc(number, pc)) for pc in later if pc > launch.pc)
        start, words = self.code.start, _words(self.job)
        gap = min(launch.pc for launch in self.job.launches) - self.job.base - WORD_BYTES * start
        moved = tuple(replace(launch, pc=launch.pc - gap) for launch in self.job.launches)
        rest = [*words[start + gap // WORD_BYTES : self.code.stop], *[NOP_WORD] * (gap // WORD_BYTES)]
        if self._accept(replace(self._with(dict(enumerate(rest, start))), launches=moved)):
            self.code = range(start, self.code.stop - gap // WORD_BYTES)

    def _with_pc(self, number: int, pc: int) -> list[Launch]:
        """The launches, of which one begins elsewhere."""
        launches = list(self.job.launches)
        launches[number] = replace(launches[number], pc=pc)
        return launches

    def _move_up(self, gap: range, end: int) -> bool:
        """The instructions from `gap` to `end` move up into it."""
        rest = [*_words(self.job)[gap.stop : end], *[NOP_WORD] * len(gap)]
        return self._accept(self._with(dict(enumerate(rest, gap.start))))

    def _simplify(self) -> None:
        """Simpler instructions, one after the other."""
        for index in self.code:
            for step in steps(_words(self.job)[index]):
                self._accept(self._with({index: step(_words(self.job)[index])}))

    def _drop_data(self) -> None:
        """Zeros instead of data."""
        words = _words(self.job)
        data = [index for index, word in enumerate(words) if word and index not in self.code]

        def works(kept: list[int]) -> bool:
            return self._accept(self._with(dict.fromkeys(set(data) - set(kept), 0)))

        needed(data, works)

    def _move_uniforms(self) -> None:
        """Uniforms to the first line after the programs; nothing is copied if none are needed there."""
        address = self.job.base + self._code_bytes()
        moved = tuple(replace(launch, uniforms=address) for launch in self.job.launches)
        old = self.job.launches[0].uniforms - self.job.base
        image = bytearray(self.job.image)
        image[self._code_bytes() : self._code_bytes() + _LINE_BYTES] = image[old : old + _LINE_BYTES]
        if not self._launches_fail(moved):
            self._accept(replace(self.job, launches=moved, image=bytes(image[: len(self.job.image)])))

    def _code_bytes(self) -> int:
        """From the first byte of memory to the line after the programs."""
        return -(-self.code.stop * WORD_BYTES // _LINE_BYTES) * _LINE_BYTES

    def _cut_memory(self) -> None:
        """Memory after what is used. What leaves it does not end on the model, so most sizes cost no run."""
        last = max(launch.uniforms for launch in self.job.launches) - self.job.base
        first = max(self._code_bytes(), last // _LINE_BYTES * _LINE_BYTES + _LINE_BYTES)
        for size in range(first, len(self.job.image), _LINE_BYTES):
            if self._accept(replace(self.job, image=self.job.image[:size])):
                return
