"""The GPU of the model put together."""

from collections import deque
from collections.abc import Container, Iterable, Iterator

from vc4.config import BUILT_UNITS, V3DConfig

from ..events import Retirement, Start
from ..launch import Launch
from .memory import Memory
from .qps.sync import Sync, place
from .qpu.qpu import Qpu
from .tmu.port import LOOKUP_ERROR, TmuPort
from .unbuilt import Waiting
from .vpm.port import VpmPort
from .vpm.vpm import READ_ERRORS, Vpm

__all__ = ["Deadlock", "ModelV3D"]


class Deadlock(Exception):
    """All QPUs wait for each other; the text says of each one where, and for what."""


class ModelV3D:
    """QPUs, VPM and a memory that holds `image` from address `base` on.

    built : services that programs may use; texture units only in a configuration that has them
    current : the QPU that made the last step of `run`, or tried to
    waits : by number of a QPU, what it waits for
    """

    def __init__(self, config: V3DConfig, image: bytes, base: int, built: frozenset[str] = BUILT_UNITS):
        self.memory = Memory(len(image), base, image)
        self.vpm = Vpm(config.vpm_rows, self.memory)
        self.sync = Sync()
        built = built - (BUILT_UNITS - config.units)
        self.qpus = [
            Qpu(number, self.memory, VpmPort(self.vpm), self._tmu(config, number), self.sync, built)
            for number in range(config.qpus)
        ]
        self.current = self.qpus[0]
        self.waits: dict[int, str] = {}

    def _tmu(self, config: V3DConfig, number: int) -> TmuPort:
        """The way of a QPU to the texture units of its slice."""
        return TmuPort(self.memory, config.tmus_per_slice, number % config.qpus_per_slice)

    @property
    def places(self) -> list[str]:
        """Where each QPU stands that runs a program, and what it waits for, if it waits."""
        running = (qpu for qpu in self.qpus if qpu.sequencer.running)
        return [place(qpu.number, qpu.sequencer.pc, self.waits.get(qpu.number, "")) for qpu in running]

    @property
    def pcs(self) -> tuple[int, ...]:
        """Where each QPU stands that runs a program."""
        return tuple(qpu.sequencer.pc for qpu in self.qpus if qpu.sequencer.running)

    @property
    def errors(self) -> frozenset[str]:
        """Names of the bits of ERRSTAT and XBUSERR that are set."""
        lookups = {LOOKUP_ERROR} if any(qpu.tmu.fault for qpu in self.qpus) else set()
        return frozenset(self.vpm.errors | lookups)

    @property
    def chances(self) -> frozenset[str]:
        """Names of errors of which it is chance whether they come: whether the hardware reads what nobody takes."""
        unread = any(not qpu.tmu.empty for qpu in self.qpus)
        return READ_ERRORS | {LOOKUP_ERROR} if unread else READ_ERRORS

    @property
    def interrupts(self) -> int:
        """Writes to the host interrupt."""
        return sum(qpu.interrupts for qpu in self.qpus)

    def run(self, launches: Iterable[Launch], reserved: Container[int] = ()) -> Iterator[Start | Retirement]:
        """Run programs, an instruction an item; the QPUs take turns, and each program begins as soon as there is a place.

        reserved : numbers of QPUs that run no programs

        Raises `Deadlock`, and what `Qpu.step` raises.
        """
        queue = deque(launches)
        while queue or any(qpu.sequencer.running or qpu.sequencer.waiting for qpu in self.qpus):
            moved = False
            for qpu in self.qpus:
                self.current, sequencer = qpu, qpu.sequencer
                if queue and qpu.number not in reserved and sequencer.place(queue[0].threaded) is not None:
                    launch = queue.popleft()
                    qpu.start(launch)
                    yield Start(qpu.number, launch)
                elif not sequencer.running and sequencer.waiting:
                    sequencer.resume()
                if sequencer.running:
                    try:
                        event = qpu.step()
                    except Waiting as what:
                        self.waits[qpu.number] = str(what)
                    else:
                        moved = True
                        self.waits.pop(qpu.number, None)
                        yield event
            if not moved:
                raise Deadlock("; ".join(self.places))
