"""The control list executor: both threads, their semaphores, and the registers (guide, sections 8 to 10; pipeline facts, 1.3)."""

from collections.abc import Callable
from enum import Enum

from vc4.records.control import Threads
from vc4.regs.table import register

from ..memory import Memory
from .list_thread import ListThread, Step
from .pipeline import Pipeline

__all__ = ["BINNING", "REGISTERS", "RENDERING", "Cle", "Rest"]

#: Numbers of the threads.
BINNING, RENDERING = 0, 1
_COUNT_BITS = 8
_WORD = 0xFFFF_FFFF
_PER_THREAD = ("CT{}CS", "CT{}EA", "CT{}CA", "CT0{}RA0", "CT{}LC", "CT{}PC")

#: Names of the registers that belong to it.
REGISTERS = (*(name.format(number) for name in _PER_THREAD for number in (0, 1)), "PCS", "BFC", "RFC")


class Rest(Enum):
    """Why `Cle.run` has ended."""

    STOPPED = "both threads have stopped, and the pipelines are empty"
    WAITING = "somebody waits, and nobody gets on"
    LIMIT = "no steps are left"


class Cle:
    """Control list executor in front of `binner` and `renderer`; nothing happens but in `step`.

    threads : binning and rendering
    flush_count, frame_count : BMFCT, RMFCT
    interrupts : names of the bits of INTCTL that it has set
    """

    def __init__(self, memory: Memory, binner: Pipeline, renderer: Pipeline):
        self.threads = (
            ListThread(Threads.BINNING, memory, binner, self._flushed),
            ListThread(Threads.RENDERING, memory, renderer, self._drawn),
        )
        self.flush_count = self.frame_count = 0
        self.interrupts: set[str] = set()
        self._steps = [Step.IDLE, Step.IDLE]

    def _flushed(self, increments: bool) -> None:
        """All tile lists are in memory."""
        self.flush_count = (self.flush_count + 1) % (1 << _COUNT_BITS)
        self.interrupts.add("INT_FLDONE")
        if increments:
            self.threads[RENDERING].count()

    def _drawn(self, increments: bool) -> None:
        """The last tile of a frame is in memory."""
        self.frame_count = (self.frame_count + 1) % (1 << _COUNT_BITS)
        self.interrupts.add("INT_FRDONE")
        if increments:
            self.threads[BINNING].count()

    def step(self) -> tuple[Step, Step]:
        """One step of each thread, binning first."""
        self._steps = [thread.step() for thread in self.threads]
        return self._steps[BINNING], self._steps[RENDERING]

    def run(self, limit: int) -> Rest:
        """Steps until nobody gets on, at most `limit` of them."""
        for _ in range(limit):
            steps = self.step()
            if Step.MOVED not in steps:
                return Rest.WAITING if Step.WAITS in steps else Rest.STOPPED
        return Rest.LIMIT

    def read(self, name: str) -> int:
        """A register of `REGISTERS`."""
        values = self._values(name)
        return sum(
            (values[field.name] << field.low) & field.mask for field in register(name).fields if field.name in values
        )

    def write(self, name: str, value: int) -> None:
        """A register of `REGISTERS`; what cannot be written is left as it is."""
        bits = {field.name: (value & field.mask) >> field.low for field in register(name).fields}
        if name == "PCS":
            for thread, reset in zip(self.threads, ("BMRST", "RMRST"), strict=True):
                if bits[reset]:
                    thread.reset_pipeline()
        elif name == "BFC":
            self.flush_count *= not bits["BMFCT"] & 1
        elif name == "RFC":
            self.frame_count *= not bits["RMFCT"] & 1
        else:
            _WRITES.get(name[3:], _keep)(self.threads[int(name[2])], bits)

    def _values(self, name: str) -> dict[str, int]:
        """What the fields of a register hold; those that are missing read 0."""
        if name == "PCS":
            return self._pipelines()
        if name == "BFC":
            return {"BMFCT": self.flush_count}
        if name == "RFC":
            return {"RMFCT": self.frame_count}
        if name.endswith("RA0"):
            returns = self.threads[int(name[3])].returns
            return {"CTLRA": returns[-1] if returns else 0}
        thread = self.threads[int(name[2])]
        match name[3:]:
            case "CS":
                return _status(thread)
            case "EA":
                return {"CTLEA": thread.end}
            case "CA":
                return {"CTLCA": thread.current}
            case "LC":
                return {"CTLSLCS": thread.returned, "CTLLCM": thread.flushes}
            case "PC":
                return {"CTLPC": thread.primitives & _WORD}
        raise KeyError(name)

    def _pipelines(self) -> dict[str, int]:
        values = {"BMOOM": int(self.threads[BINNING].pipeline.out_of_memory)}
        for prefix, thread, step in zip(("BM", "RM"), self.threads, self._steps, strict=True):
            values[f"{prefix}ACTIVE"] = int(thread.active)
            values[f"{prefix}BUSY"] = int(thread.active and step is Step.MOVED)
        return values


def _status(thread: ListThread) -> dict[str, int]:
    return {
        "CTMODE": int(thread.prefixing),
        "CTERR": int(thread.error is not None),
        "CTSUBS": int(thread.stalled if thread.running else thread.halted),
        "CTRUN": int(thread.running),
        "CTRTSD": len(thread.returns),
        "CTSEMA": thread.semaphore,
    }


def _write_status(thread: ListThread, bits: dict[str, int]) -> None:
    """A reset is stronger than a stop, and that than going on."""
    if bits["CTRSTA"]:
        thread.reset()
    elif bits["CTRUN"]:
        thread.stop()
    elif bits["CTSUBS"]:
        thread.proceed()


def _write_counts(thread: ListThread, bits: dict[str, int]) -> None:
    thread.returned *= not bits["CTLSLCS"] & 1
    thread.flushes *= not bits["CTLLCM"] & 1


def _keep(thread: ListThread, bits: dict[str, int]) -> None:
    """A register that cannot be written."""


_WRITES: dict[str, Callable[[ListThread, dict[str, int]], None]] = {
    "CS": _write_status,
    "EA": lambda thread, bits: thread.set_end(bits["CTLEA"]),
    "CA": lambda thread, bits: thread.set_current(bits["CTLCA"]),
    "LC": _write_counts,
}
