"""Programs that the 3D pipeline starts: each has a QPU for itself, and runs to its end."""

from vc4.regs.scheduler import KINDS

from ...launch import Launch
from ..compiled import Entry, kernel
from ..machine import Machine, Parts
from ..memory import MemoryState
from ..qpu.qpu import Qpu, met, why
from ..qpu.sequencer import RUNNING
from ..qpu.status import RETIRED, UNKNOWN
from ..qpu.step import clear, start, step
from ..unbuilt import Waiting
from ..vpm.vpm import use_as_program, use_as_shader
from .scheduler import FRAGMENT, may_run

__all__ = ["HangingProgram", "Shaders"]

#: Instructions until a run comes back to Python, which may compile it.
_CHUNK = 1000


class HangingProgram(Exception):
    """A program cannot go on; `at` is where, the text says why, `cause` is the exception that it was, if it was one."""

    def __init__(self, at: int, why: str, cause: Exception | None = None):
        super().__init__(why)
        self.at, self.cause = at, cause


@kernel
def _begin(machine: Machine, q: int, is_vertex: int, units: int, pc: int, uniforms: int, threaded: int) -> None:
    """A program for vertices or fragments, on a QPU that has 0 in all registers."""
    clear(machine, q)
    machine.qpus.units[q] = units
    machine.qpus.fragment[q] = 1 - is_vertex
    if is_vertex:
        use_as_shader(machine.vpm, q)
    start(machine, q, pc, uniforms, 0, threaded)


@kernel
def _finish(machine: Machine, memory: MemoryState, q: int, limit: int) -> int:
    """Instructions until the program ends, or as many as `limit` says."""
    for _ in range(limit):
        status = step(machine, memory, q, 0, 0, 0)
        if status != RETIRED or not machine.qpus.sequences[q, RUNNING]:
            return status
    return RETIRED


@kernel
def _release(machine: Machine, q: int, units: int) -> None:
    """The QPU is there for programs of users again."""
    clear(machine, q)
    machine.qpus.units[q] = units
    machine.qpus.fragment[q] = 0
    use_as_program(machine.vpm, q)


_begin_program, _run_program, _release_qpu = Entry(_begin), Entry(_finish), Entry(_release)


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
        scheduler = self._parts.machine.views.scheduler
        for qpu in self._qpus:
            if not qpu.running and not qpu.suspended and may_run(scheduler, qpu.number, kind):
                return qpu.number
        return None

    def lacks(self, kind: int) -> str:
        """What a program of a kind waits for, if there is no QPU for it now."""
        return f"a QPU for {KINDS[kind]} shaders" if self.free_qpu(kind) is None else ""

    def run(self, kind: int, launch: Launch, units: int, limit: int) -> None:
        """A program of a kind on its `free_qpu`, which there must be; one that needs more than `limit` instructions counts as one
        that hangs.

        Raises `HangingProgram`.
        """
        machine, views, qpu = self._parts.machine, self._parts.machine.views, self.free_qpu(kind)
        assert qpu is not None, "there is no QPU for it"
        before, users = views.qpus.counts[qpu, 0], views.qpus.units[qpu]
        lookups = views.tmu.lookups[qpu]
        threaded = int(launch.threaded)
        _begin_program(machine, qpu, int(kind != FRAGMENT), units, launch.pc, launch.uniforms, threaded)
        try:
            while views.qpus.sequences[qpu, RUNNING]:
                left = limit - (views.qpus.counts[qpu, 0] - before)
                if not left:
                    raise self._hanging(qpu, f"the program does not end within {limit} instructions")
                status = _run_program(machine, self._parts.memory.state, qpu, min(left, _CHUNK))
                if status == UNKNOWN:
                    self._parts.instructions.add(met(machine.arrays))
                elif status != RETIRED:
                    cause = why(machine.arrays, qpu, status)
                    text = f"waits for {cause}" if isinstance(cause, Waiting) else str(cause)
                    raise self._hanging(qpu, text, cause)
        finally:
            self.instructions += views.qpus.counts[qpu, 0] - before
            self.lookups += views.tmu.lookups[qpu] - lookups
            _release_qpu(machine, qpu, users)

    def _hanging(self, qpu: int, text: str, cause: Exception | None = None) -> HangingProgram:
        return HangingProgram(self._qpus[qpu].pc, text, cause)
