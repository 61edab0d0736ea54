"""Tracks of QPUs: programs, in them parts that begin with a label, in these instructions and what they wait for."""

from dataclasses import dataclass, field

from vc4.isa.ops import Signal

from ..timed import SLOT_CLOCKS
from .names import Names
from .trace_file import TraceFile

__all__ = ["GROUP", "QpuTracks"]

#: The process of the tracks, and its name.
GROUP, _NAME = 1, "QPUs"
_THREADS = 2
#: Instructions that a program still has, with the one that has the signal.
_LAST_INSTRUCTIONS = 3
_ENDS = {signal.value for signal in (Signal.PROGRAM_END, Signal.LOAD_COLOUR_END)}


@dataclass
class _Wait:
    """Slots without an instruction, for the same reason."""

    reason: str
    first: int
    end: int


@dataclass
class _Track:
    """A thread of a QPU.

    is_open : a program runs
    label : the part of it that runs, if it has one
    left : instructions until the program ends, if that is known
    end : of the last slice
    waits : of the next instruction
    """

    number: int
    is_open: bool = False
    label: str | None = None
    left: int | None = None
    end: int = 0
    waits: list[_Wait] = field(default_factory=list)


class QpuTracks:
    """Writes them to `file`. Slots of a QPU come in their order."""

    def __init__(self, file: TraceFile, names: Names):
        self._file, self._names = file, names
        self._tracks: dict[tuple[int, int], _Track] = {}
        self._abouts: dict[tuple[int, int], str] = {}
        self._parts: dict[int, tuple[str | None, str]] = {}
        self._reasons: dict[str, str] = {}
        self._running = 0

    def wait(self, qpu: int, thread: int, first: int, reason: str) -> None:
        """A slot in which the next instruction waits; the one after the last instruction of a program belongs to that."""
        track = self._track(qpu, thread)
        if track.left == 0:
            if first == track.end:
                track.waits.append(_Wait(reason, first, first + SLOT_CLOCKS))
                self._tell_waits(track)
                self._leave(track)
                return
            self._leave(track)
        waits = track.waits
        if waits and waits[-1].reason == reason and waits[-1].end == first:
            waits[-1].end += SLOT_CLOCKS
        else:
            waits.append(_Wait(reason, first, first + SLOT_CLOCKS))

    def issue(self, qpu: int, thread: int, first: int, pc: int, word: int) -> None:
        """A slot with an instruction that goes on its way."""
        track = self._track(qpu, thread)
        if track.left == 0:
            self._leave(track)
        begin = track.waits[0].first if track.waits else first
        self._enter(track, begin, pc)
        self._tell_waits(track)
        about = self._abouts.get((pc, word)) or self._about(pc, word)
        self._file.slice(GROUP, track.number, first, SLOT_CLOCKS, about)
        track.end = first + SLOT_CLOCKS
        if word >> 60 in _ENDS:
            track.left = _LAST_INSTRUCTIONS
        if track.left is not None:
            track.left -= 1

    def close(self) -> None:
        """Programs that have not come to their end, end here."""
        for track in self._tracks.values():
            if track.waits and not track.is_open:
                self._enter(track, track.waits[0].first, None)
            self._tell_waits(track)
            if track.is_open:
                self._leave(track)

    def _track(self, qpu: int, thread: int) -> _Track:
        track = self._tracks.get((qpu, thread))
        if track is None:
            track = self._tracks[qpu, thread] = _Track(1 + _THREADS * qpu + thread)
            self._file.track(GROUP, track.number, f"QPU {qpu}{f', thread {thread}' * bool(thread)}", _NAME)
        return track

    def _enter(self, track: _Track, clock: int, pc: int | None) -> None:
        """What an instruction is in begins, if it has not begun yet, and what the one before was in ends."""
        label, about = self._part(pc) if pc is not None else (None, "")
        if not track.is_open:
            where = "" if pc is None else f" at {pc:#010x}"
            self._file.begin(GROUP, track.number, clock, self._file.about(f"program{where}", "program"))
            track.is_open, track.label, track.left = True, None, None
            self._count(clock, 1)
        if track.label != label:
            if track.label is not None:
                self._file.end(GROUP, track.number, clock)
            if label is not None:
                self._file.begin(GROUP, track.number, clock, about)
            track.label = label

    def _leave(self, track: _Track) -> None:
        for _ in range(1 + (track.label is not None)):
            self._file.end(GROUP, track.number, track.end)
        track.is_open, track.label, track.left = False, None, None
        self._count(track.end, -1)

    def _count(self, clock: int, more: int) -> None:
        self._running += more
        self._file.counter(GROUP, clock, "programs that run", programs=self._running)

    def _tell_waits(self, track: _Track) -> None:
        for wait in track.waits:
            about = self._reasons.setdefault(wait.reason, self._file.about(wait.reason, "stall"))
            self._file.slice(GROUP, track.number, wait.first, wait.end - wait.first, about)
            track.end = wait.end
        track.waits.clear()

    def _part(self, pc: int) -> tuple[str | None, str]:
        if pc not in self._parts:
            label = self._names.label(pc)
            self._parts[pc] = label, self._file.about(label or "", "label")
        return self._parts[pc]

    def _about(self, pc: int, word: int) -> str:
        place = self._names.place(pc)
        args = {"address": f"{pc:#010x}", **({"source": place} if place else {})}
        text = self._abouts[pc, word] = self._file.about(self._names.text(word), "instruction", **args)
        return text
