"""The control list executor: both threads, their semaphores, and the registers (guide, sections 8 to 10; pipeline facts, 1.3)."""

from collections.abc import Callable, Mapping
from enum import Enum

from vc4.records.control import Threads
from vc4.regs.lists import LISTS

from ..memory import Memory
from .list_thread import ListThread, Step
from .pipeline import Pipeline

__all__ = ["BINNING", "RENDERING", "Cle", "Rest"]

#: Numbers of the threads.
BINNING, RENDERING = 0, 1
_COUNT_BITS = 8
_WORD = 0xFFFF_FFFF
#: Of a register, by their names.
Fields = Mapping[str, int]


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

    registers = tuple(one.name for one in LISTS)

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

    def drawn_elsewhere(self, end: int) -> None:
        """Somebody else has executed the rendering list, up to `end`, and what it waited for was there."""
        thread = self.threads[RENDERING]
        thread.current = thread.end = end
        thread.semaphore = 0
        self._drawn(increments=False)

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

    def written(self, name: str, fields: Fields) -> None:
        """A write of one of the registers."""
        if name == "PCS":
            for thread, reset in zip(self.threads, ("BMRST", "RMRST"), strict=True):
                if fields[reset]:
                    thread.reset_pipeline()
        elif name == "BFC":
            self.flush_count *= not fields["BMFCT"]
        elif name == "RFC":
            self.frame_count *= not fields["RMFCT"]
        else:
            _WRITES[name[3:]](self.threads[int(name[2])], fields)

    def live(self, name: str) -> dict[str, int]:
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


def _write_status(thread: ListThread, fields: Fields) -> None:
    """A reset is stronger than a stop, and that than going on."""
    if fields["CTRSTA"]:
        thread.reset()
    elif fields["CTRUN"]:
        thread.stop()
    elif fields["CTSUBS"]:
        thread.proceed()


def _write_counts(thread: ListThread, fields: Fields) -> None:
    thread.returned *= not fields["CTLSLCS"]
    thread.flushes *= not fields["CTLLCM"]


_WRITES: dict[str, Callable[[ListThread, Fields], None]] = {
    "CS": _write_status,
    "EA": lambda thread, fields: thread.set_end(fields["CTLEA"]),
    "CA": lambda thread, fields: thread.set_current(fields["CTLCA"]),
    "LC": _write_counts,
}
