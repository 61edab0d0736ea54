"""What Python sees of a QPU."""

from collections.abc import Mapping

import numpy as np

from vc4.isa.registers import WRITE

from ...events import Retirement, Write
from ...launch import Launch
from ..compiled import Entry
from ..machine import Machine, Parts
from . import state as _s
from .decoded import decoded
from .instructions import UNITS
from .sequencer import PC, RESUME, RUNNING, THREAD, has_suspended, place_of, resume, view_of
from .status import LACKS, RETIRED, UNKNOWN, reason
from .step import start, step

__all__ = ["Qpu", "met", "retirement", "why"]

_start, _step = Entry(start), Entry(step)
_NAMES = [WRITE.name(number % 64, number // 64) for number in range(128)]


def why(machine: Machine, qpu: int, status: int) -> Exception:
    """Why an instruction of a QPU has not retired."""
    lacking = ""
    if status == LACKS:
        has = int(machine.qpus.units[qpu])
        todo = decoded(met(machine))
        lacks = (unit for unit in todo.units if not (unit in UNITS and has >> UNITS.index(unit) & 1))
        # Shaders have the set-ups of DMA, but no DMA.
        starts = ({"vr_addr": "vdr", "vw_addr": "vdw"}.get(WRITE.name(w.address, w.file)) for w in todo.writes)
        lacking = next(iter((*lacks, *filter(None, starts))), "")
    return reason(status, int(machine.effects.about[_s.WHAT]), lacking)


class Qpu:
    """QPU `number` of a GPU."""

    def __init__(self, parts: Parts, number: int):
        self.number = number
        self._parts = parts
        qpus = parts.machine.arrays.qpus
        self._sequence = parts.machine.views.qpus.sequences
        #: [file, register, element], [number, element]
        self.files, self.accumulators = qpus.files[number], qpus.accumulators[number]

    @property
    def pc(self) -> int:
        """Of the next instruction."""
        return self._sequence[self.number, PC]

    @property
    def thread(self) -> int:
        """Of the next instruction."""
        return self._sequence[self.number, THREAD]

    @property
    def running(self) -> bool:
        """There is a next instruction."""
        return bool(self._sequence[self.number, RUNNING])

    @property
    def suspended(self) -> bool:
        """A thread waits for the end of the other one, or for its thread switch."""
        return has_suspended(self._sequence, self.number)

    def has(self, thread: int) -> bool:
        """A program is in this thread, be it suspended."""
        sequence, number = self._sequence, self.number
        runs = sequence[number, RUNNING] and sequence[number, THREAD] == thread
        return bool(runs) or sequence[number, RESUME + thread] >= 0

    @property
    def view(self) -> int:
        """What register addresses are inverted by."""
        return view_of(self._sequence, self.number)

    def place(self, threaded: bool) -> int | None:
        """The thread that a program would get now, or `None`: it has to wait."""
        found = place_of(self._sequence, self.number, int(threaded))
        return None if found < 0 else found

    def start(self, launch: Launch, thread: int | None = None) -> None:
        """Begin a program in its place, or in `thread`; registers keep what they hold. There must be a place for it."""
        place = self.place(launch.threaded)
        assert place is not None, "there is no place for a program"
        arguments = launch.pc, launch.uniforms, launch.length, int(launch.threaded), place if thread is None else thread
        _start(self._parts.machine, self.number, *arguments)

    def resume(self) -> None:
        """Go on with the suspended thread, as the other one has ended."""
        resume(self._sequence, self.number)

    def step(self, observed: Mapping[str, int] | None = None, *, granted: bool = False) -> Retirement:
        """Execute one instruction and tell what it did.

        `observed` gives the state of DMA engines that a read shall see (default: idle). Raises `Waiting` if the instruction
        waits for a vector, a texture unit, or for another QPU unless it is known to be `granted`, `Unbuilt` for a service
        that its program has not and `MemoryFault` outside of memory; in all three cases nothing has happened.
        """
        seen = observed or {}
        arguments = self.number, seen.get("vr_busy", 0), seen.get("vw_busy", 0), int(granted)
        machine = self._parts.machine
        status = _step(machine, self._parts.memory.state, *arguments)
        if status == UNKNOWN:
            self._parts.instructions.add(met(machine.arrays))
            status = _step(machine, self._parts.memory.state, *arguments)
        self._parts.memory.tell()
        if status != RETIRED:
            raise why(machine.arrays, self.number, status)
        return retirement(machine.arrays)


def met(machine: Machine) -> int:
    """The word of the instruction that was met last."""
    about = machine.effects.about
    return int(about[_s.WORD_LOW]) | int(about[_s.WORD_HIGH]) << 32


def retirement(machine: Machine) -> Retirement:
    """The instruction that has retired last."""
    effects, qpus = machine.effects, machine.qpus
    about = effects.about.tolist()
    reads = []
    if about[_s.READS_UNIFORM]:
        reads.append(("unif", about[_s.UNIFORM]))
    if about[_s.READS_LOAD_BUSY]:
        reads.append(("vr_busy", about[_s.LOAD_BUSY]))
    if about[_s.READS_STORE_BUSY]:
        reads.append(("vw_busy", about[_s.STORE_BUSY]))
    writes = []
    for first, values in ((_s.ADD_REGISTER, effects.add_written), (_s.MUL_REGISTER, effects.mul_written)):
        register, elements, enables = about[first : first + 3]
        if register != _s.NOTHING:
            writes.append(Write.of(_NAMES[register], elements, enables, values.astype(np.uint32)))
    qpu = about[_s.QPU]
    if about[_s.ARRIVES]:
        writes.append(Write.of_r4(qpus.accumulators[qpu, 4].astype(np.uint32)))
    n, z, c = qpus.flags[qpu].tolist()
    flags = (n, z, c) if about[_s.SETS_FLAGS] else None
    word = about[_s.WORD_LOW] | about[_s.WORD_HIGH] << 32
    return Retirement(qpu, about[_s.THREAD], about[_s.PC], word, tuple(reads), tuple(writes), flags)
