"""Programs that the 3D pipeline starts: each has a QPU for itself, and runs to its end."""

from collections.abc import Callable, Sequence

import numpy as np

from vc4.regs.scheduler import KINDS

from ...launch import Launch
from ..compiled import Buffers, Entry, kernel
from ..machine import Machine, Parts
from ..memory import MemoryState
from ..qpu.qpu import Qpu, met, why
from ..qpu.sequencer import RUNNING, has_suspended
from ..qpu.status import RETIRED, UNKNOWN
from ..qpu.step import clear, start, step
from ..unbuilt import Waiting
from ..vpm.vpm import use_as_program, use_as_shader
from .scheduler import FRAGMENT, may_run

__all__ = ["ABOUT", "CHUNK", "ENDED", "QPU", "RUNS", "RUN_PROGRAM", "HangingProgram", "Shaders", "run_program"]

# What is known of a program: its QPU, whether it is for vertices, what it may use, its start, how many instructions it may
# have; while it runs, that it does, how many it may still have, and what programs of users have on that QPU; instructions until
# it comes back to Python. From `ABOUT` on, whoever runs several programs has numbers of its own.
QPU, _IS_VERTEX, _UNITS, _PC, _UNIFORMS, _THREADED, _LIMIT, RUNS, _LEFT, _USERS, CHUNK, ABOUT = range(12)
# What `run_program` has come to, after the numbers of `status`: it has ended; it has had all of its instructions.
ENDED, _ENDLESS = 20, 21
#: Instructions until a run comes back to Python, which may compile it.
_CHUNK = 1000


class HangingProgram(Exception):
    """A program cannot go on; `at` is where, the text says why, `cause` is the exception that it was, if it was one."""

    def __init__(self, at: int, why: str, cause: Exception | None = None):
        super().__init__(why)
        self.at, self.cause = at, cause


@kernel
def run_program(machine: Machine, memory: MemoryState, about: np.ndarray) -> int:
    """Instructions of a program, which begins if it does not run yet, on a QPU that has 0 in all registers.

    With a chunk of 0 it only begins.
    """
    q = about[QPU]
    if not about[RUNS]:
        _begin(machine, about, q)
    for _ in range(about[CHUNK]):
        if not about[_LEFT]:
            return _ENDLESS
        status = step(machine, memory, q, 0, 0, 0)
        if status != RETIRED:
            return status
        about[_LEFT] -= 1
        if not machine.qpus.sequences[q, RUNNING]:
            _release(machine, about)
            return ENDED
    return RETIRED


@kernel
def _begin(machine: Machine, about: np.ndarray, q: int) -> None:
    about[RUNS] = 1
    about[_LEFT] = about[_LIMIT]
    about[_USERS] = machine.qpus.units[q]
    clear(machine, q)
    machine.qpus.units[q] = about[_UNITS]
    machine.qpus.fragment[q] = 1 - about[_IS_VERTEX]
    if about[_IS_VERTEX]:
        use_as_shader(machine.vpm, q)
    start(machine, q, about[_PC], about[_UNIFORMS], 0, about[_THREADED], 0)


@kernel
def _release(machine: Machine, about: np.ndarray) -> None:
    """The QPU is there for programs of users again."""
    q = about[QPU]
    about[RUNS] = 0
    clear(machine, q)
    machine.qpus.units[q] = about[_USERS]
    machine.qpus.fragment[q] = 0
    use_as_program(machine.vpm, q)


#: `run_program` as Python calls it.
RUN_PROGRAM = Entry(run_program)
_release_qpu = Entry(_release)


class Shaders:
    """Runs them.

    instructions, lookups : how many there were
    """

    def __init__(self, parts: Parts, qpus: list[Qpu]):
        self.instructions = self.lookups = 0
        self._parts = parts
        self._qpus = qpus

    def free_qpu(self, kind: int) -> int | None:
        """The number of a QPU that runs nothing, and may run programs of a kind, see `scheduler`; `None`: there is none now."""
        views = self._parts.machine.views
        sequences = views.qpus.sequences
        for qpu in range(len(self._qpus)):
            is_free = not sequences[qpu, RUNNING] and not has_suspended(sequences, qpu)
            if is_free and may_run(views.scheduler, qpu, kind):
                return qpu
        return None

    def lacks(self, kind: int) -> str:
        """What a program of a kind waits for, if there is no QPU for it now."""
        return f"a QPU for {KINDS[kind]} shaders" if self.free_qpu(kind) is None else ""

    def run(
        self,
        kind: int,
        launch: Launch,
        units: int,
        limit: int,
        *,
        go_on: Callable[..., int] = RUN_PROGRAM,
        more: Sequence[int] = (),
    ) -> None:
        """A program of a kind; it must not lack a QPU. One that needs more than `limit` instructions counts as one that hangs.

        `go_on(machine, memory, about)` runs it, as far as it comes, or this and others like it: see `run_program`. It finds `more` in
        `about`, from `ABOUT` on; machine and `about` are all that it changes.
        Raises `HangingProgram`.
        """
        machine, views = self._parts.machine, self._parts.machine.views
        qpu = self.free_qpu(kind)
        assert qpu is not None, "there is no QPU for it"
        before, lookups = views.qpus.counts[qpu, 0], views.tmu.lookups[qpu]
        start = launch.pc, launch.uniforms, int(launch.threaded)
        about = Buffers(np.array([qpu, int(kind != FRAGMENT), units, *start, limit, 0, 0, 0, _CHUNK, *more], np.int64))
        try:
            while (status := go_on(machine, self._parts.memory.state, about)) != ENDED:
                if status == UNKNOWN:
                    self._parts.instructions.add(met(machine.arrays))
                elif status == _ENDLESS:
                    raise self._hanging(qpu, f"the program does not end within {limit} instructions")
                elif status != RETIRED:
                    cause = why(machine.arrays, qpu, status)
                    text = f"waits for {cause}" if isinstance(cause, Waiting) else str(cause)
                    raise self._hanging(qpu, text, cause)
        finally:
            self.instructions += views.qpus.counts[qpu, 0] - before
            self.lookups += views.tmu.lookups[qpu] - lookups
            if about.arrays[RUNS]:
                _release_qpu(machine, about)

    def _hanging(self, qpu: int, text: str, cause: Exception | None = None) -> HangingProgram:
        return HangingProgram(self._qpus[qpu].pc, text, cause)
