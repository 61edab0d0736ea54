"""What a run can stop at."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

from ..events import Retirement, Start, Write
from ..model.v3d import V3D
from .moment import Moment
from .state import next_pc

__all__ = ["FLAGS_NAME", "AtAddress", "Begins", "Condition", "Met", "Stalls", "WritesMemory", "WritesRegister"]

#: Registers that write r5, by how they do it.
_R5 = ("r5quad", "r5rep")
#: What all three flags are called.
FLAGS_NAME = "flags"


class Met(NamedTuple):
    """A condition is met: what has happened, in words, and to which QPU, if it is one."""

    text: str
    qpu: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition(ABC):
    """Something that moments are or are not; `qpu` is the number of the QPU that it must be, or `None` for any."""

    qpu: int | None = None

    @abstractmethod
    def met(self, moment: Moment, gpu: V3D) -> Met | None:
        """What has happened, if it was this; `gpu` is as it is then."""

    @abstractmethod
    def name(self) -> str:
        """As it is written, without the QPU."""

    def __str__(self) -> str:
        return self.name() if self.qpu is None else f"{self.name()} qpu {self.qpu}"

    def _is_mine(self, number: int) -> bool:
        return self.qpu is None or self.qpu == number


@dataclass(frozen=True, slots=True, kw_only=True)
class AtAddress(Condition):
    """The next instruction of a QPU is that at `address`, which it was not before; `text` is how the place was named."""

    address: int
    text: str

    def met(self, moment: Moment, gpu: V3D) -> Met | None:
        """See `Condition`."""
        event = moment.event
        if event is None or not self._is_mine(event.qpu) or next_pc(gpu, event.qpu) != self.address:
            return None
        return Met(f"QPU {event.qpu} is at {self.text}", event.qpu)

    def name(self) -> str:
        """See `Condition`."""
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class WritesRegister(Condition):
    """An instruction writes a register, by its name in assembly; `r5` and `flags` have several ways."""

    register: str

    def met(self, moment: Moment, gpu: V3D) -> Met | None:
        """See `Condition`."""
        event = moment.event
        if not isinstance(event, Retirement) or not self._is_mine(event.qpu):
            return None
        if self.register == FLAGS_NAME:
            return None if event.flags is None else Met(f"QPU {event.qpu} has set flags", event.qpu)
        found = next((write for write in event.writes if self._is_it(write)), None)
        return Met(f"QPU {event.qpu} has written {found}", event.qpu) if found else None

    def _is_it(self, write: Write) -> bool:
        return write.register == self.register or (self.register == "r5" and write.register in _R5)

    def name(self) -> str:
        """See `Condition`."""
        return self.register


@dataclass(frozen=True, slots=True, kw_only=True)
class WritesMemory(Condition):
    """Bytes from `address` on are written; by an instruction, unless no QPU is asked for."""

    address: int
    size: int

    def met(self, moment: Moment, gpu: V3D) -> Met | None:
        """See `Condition`."""
        if self.qpu is not None and (moment.event is None or moment.event.qpu != self.qpu):
            return None
        for address, data in moment.writes:
            if address < self.address + self.size and self.address < address + len(data):
                who = None if moment.event is None else moment.event.qpu
                name = "the pipeline" if who is None else f"QPU {who}"
                return Met(f"{name} has written {len(data)} bytes at {address:#010x}", who)
        return None

    def name(self) -> str:
        """See `Condition`."""
        return f"[{self.address:#010x}, {self.size}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stalls(Condition):
    """A QPU cannot go on."""

    def met(self, moment: Moment, gpu: V3D) -> Met | None:
        """See `Condition`."""
        found = next(((qpu, what) for qpu, what in moment.waits if self._is_mine(qpu)), None)
        return Met(f"QPU {found[0]} cannot go on: {found[1]}", found[0]) if found else None

    def name(self) -> str:
        """See `Condition`."""
        return "stall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Begins(Condition):
    """A program begins; `kind` is one of `vc4.regs.scheduler.KINDS`, or empty for any."""

    kind: str = ""

    def met(self, moment: Moment, gpu: V3D) -> Met | None:
        """See `Condition`."""
        event = moment.event
        if not isinstance(event, Start) or not self._is_mine(event.qpu) or self.kind not in ("", moment.kind):
            return None
        return Met(f"QPU {event.qpu} begins a {moment.kind} program", event.qpu)

    def name(self) -> str:
        """See `Condition`."""
        return f"start {self.kind}".rstrip()
