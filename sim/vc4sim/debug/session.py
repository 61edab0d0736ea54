"""A debugging session: it goes on and back, and stops where it should."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from ..events import Retirement, Start
from ..problem import BadInput
from .changes import Change
from .conditions import Condition
from .expression import change
from .listing import Line, Listing
from .moment import Goal, Moment
from .state import in_slots, pc_of
from .target import Target

__all__ = ["Breakpoint", "Reason", "Session", "Stop"]


class Reason(Enum):
    """Why a run has stopped."""

    STEP = "step"
    BREAKPOINT = "breakpoint"
    REACHED = "reached"
    BEGINNING = "beginning"
    END = "end"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A condition with a number."""

    number: int
    condition: Condition


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a run has stopped.

    text : what is to be said of it
    breakpoint : the number of that which was met
    effects : of a step, what the last instruction has done
    """

    reason: Reason
    text: str = ""
    breakpoint: int | None = None
    effects: str = ""


@dataclass(frozen=True, slots=True)
class _Hit:
    """A moment at which a run stops, of which QPU it is."""

    stop: Stop
    qpu: int | None


class Session:
    """Controls a run of `target`. It begins before the first instruction of the first program.

    A step is of the QPU that is selected. The others go on meanwhile, in turns, an instruction each: a run is the same however it is
    looked at. So going back is the same run, up to an earlier position.

    qpu : the number of the QPU that is selected
    breakpoints : by their numbers
    first : the position where the session begins; 0 if there is no program
    """

    def __init__(self, target: Target, listing: Listing):
        self.target, self.listing = target, listing
        self.qpu = 0
        self.breakpoints: dict[int, Breakpoint] = {}
        self._made = 0
        self.stopped = self._run(self._start)
        begins = self.stopped.reason is Reason.BEGINNING
        self.first, self._first_qpu = target.position if begins else 0, self.qpu

    @property
    def qpus(self) -> int:
        """How many there are."""
        return len(self.target.gpu.qpus)

    def select(self, qpu: int) -> None:
        """Steps and registers are those of another QPU. Raises `BadInput` if there is none."""
        if not 0 <= qpu < self.qpus:
            raise BadInput(f"qpu {qpu}: there are the QPUs 0 to {self.qpus - 1}")
        self.qpu = qpu

    def line(self, qpu: int | None = None) -> Line | None:
        """The next instruction of a QPU, that which is selected by default; `None` if it runs nothing."""
        address = pc_of(self.target.gpu, self.qpu if qpu is None else qpu)
        return None if address is None else self.listing.line(address, self.target.memory)

    def add(self, condition: Condition) -> Breakpoint:
        """A new breakpoint."""
        self._made += 1
        self.breakpoints[self._made] = Breakpoint(self._made, condition)
        return self.breakpoints[self._made]

    def remove(self, number: int) -> None:
        """A breakpoint is gone. Raises `BadInput` if there is none of this number."""
        if number not in self.breakpoints:
            raise BadInput(f"there is no breakpoint {number}")
        del self.breakpoints[number]

    def interrupt(self) -> None:
        """Stop as soon as possible what runs now, or next; may be called from anywhere."""
        self.target.interrupted.set()

    def forget_interrupt(self) -> None:
        """What runs next shall not stop."""
        self.target.interrupted.clear()

    def step(self, count: int = 1) -> Stop:
        """So many instructions of the QPU."""
        return self._repeat(count, self._stepped)

    def over(self, count: int = 1) -> Stop:
        """The same, but a branch, an end or a thread switch counts as one with its delay slots."""
        return self._repeat(count, self._stepped_over)

    def finish(self) -> Stop:
        """Go on until the program of the QPU has ended, or a breakpoint."""
        return self._run(self._finished)

    def proceed(self) -> Stop:
        """Go on until a breakpoint, or the end."""
        return self._run(lambda moment: None)

    def until(self, condition: Condition) -> Stop:
        """Go on until a condition is met, or a breakpoint, or the end."""
        return self._run(self._reached(condition))

    def back(self, count: int = 1) -> Stop:
        """Undo so many instructions of the QPU."""
        return self._undo(count, self._event)

    def back_over(self, count: int = 1) -> Stop:
        """The same, but delay slots are undone with what they belong to."""
        return self._undo(count, self._boundary)

    def back_to_breakpoint(self) -> Stop:
        """Go back to where `proceed` would have stopped last, or to the beginning."""
        return self._back(self._broken)

    def back_until(self, condition: Condition) -> Stop:
        """Go back to where a condition was met last, or to a breakpoint, or to the beginning."""
        reached = self._reached(condition)
        return self._back(lambda moment: reached(moment) or self._broken(moment))

    def go_to(self, position: int) -> Stop:
        """Go to a position, forwards or backwards, without a look at breakpoints."""
        self.target.seek(max(position, self.first))
        return self._stop(None)

    def set(self, what: str, values: Sequence[str], qpu: int | None = None) -> Change:
        """Change registers of a QPU, that which is selected by default, or memory, see `expression.change`. From now on it is a part
        of the run: to go back before it undoes it, and to go on from there makes it again. Raises `BadInput`.
        """
        made = change(what, values, self.target.gpu, self.qpu if qpu is None else qpu, self.listing)
        self.target.change(made)
        return made

    # What a moment is.

    def _start(self, moment: Moment) -> _Hit | None:
        if not isinstance(moment.event, Start):
            return None
        return _Hit(Stop(Reason.BEGINNING), moment.event.qpu)

    def _event(self, moment: Moment) -> _Hit | None:
        """An instruction of the QPU, or the beginning of a program on it."""
        event = moment.event
        if event is None or event.qpu != self.qpu:
            return None
        effects = event.effects() if isinstance(event, Retirement) else ""
        return _Hit(Stop(Reason.STEP, effects=effects), self.qpu)

    def _stepped(self, moment: Moment) -> _Hit | None:
        """The QPU has made a step, or cannot make one."""
        return self._event(moment) or self._stalled(moment)

    def _boundary(self, moment: Moment) -> _Hit | None:
        """The same, but not within delay slots."""
        found = self._event(moment)
        is_inside = isinstance(moment.event, Retirement) and in_slots(self.target.gpu, self.qpu)
        return None if is_inside else found

    def _finished(self, moment: Moment) -> _Hit | None:
        """The QPU runs nothing more, or the next program, or cannot go on."""
        found = self._event(moment)
        is_over = isinstance(moment.event, Start) or pc_of(self.target.gpu, self.qpu) is None
        return (found if is_over else None) or self._stalled(moment)

    def _stepped_over(self, moment: Moment) -> _Hit | None:
        return self._boundary(moment) or self._stalled(moment)

    def _stalled(self, moment: Moment) -> _Hit | None:
        """The QPU cannot go on."""
        found = dict(moment.waits).get(self.qpu)
        return _Hit(Stop(Reason.STEP, f"QPU {self.qpu} cannot go on: {found}"), self.qpu) if found else None

    def _broken(self, moment: Moment) -> _Hit | None:
        """The first breakpoint that is met."""
        for one in self.breakpoints.values():
            if met := one.condition.met(moment, self.target.gpu):
                return _Hit(Stop(Reason.BREAKPOINT, met.text, one.number), met.qpu)
        return None

    def _reached(self, condition: Condition) -> Callable[[Moment], _Hit | None]:
        def goal(moment: Moment) -> _Hit | None:
            met = condition.met(moment, self.target.gpu)
            return _Hit(Stop(Reason.REACHED, met.text), met.qpu) if met else None

        return goal

    # How a run goes on, or back.

    def _run(self, goal: Callable[[Moment], _Hit | None]) -> Stop:
        """Until `goal`, a breakpoint, an interrupt or the end."""
        return self._stop(self.target.advance(lambda moment: self._broken(moment) or goal(moment)))

    def _repeat(self, count: int, goal: Callable[[Moment], _Hit | None]) -> Stop:
        for _ in range(count):
            stop = self._run(goal)
            if stop.reason is not Reason.STEP or stop.text:
                break
        return stop

    def _stop(self, hit: object) -> Stop:
        """What has come out of it; the QPU that it is about is selected."""
        if isinstance(hit, _Hit):
            if hit.qpu is not None:
                self.qpu = hit.qpu
            self.stopped = hit.stop
        elif self.target.ending:
            self.stopped = Stop(Reason.END, self.target.ending)
        elif self.target.interrupted.is_set():
            self.stopped = Stop(Reason.INTERRUPTED)
        else:
            self.stopped = Stop(Reason.STEP)
        self.forget_interrupt()
        return self.stopped

    def _undo(self, count: int, goal: Callable[[Moment], _Hit | None]) -> Stop:
        """Back to so many of the moments of `goal` before the position, beside the one that the QPU is at."""
        here = self.target.position

        def either(moment: Moment) -> bool | None:
            return goal(moment) is not None if self._event(moment) else None

        def found() -> Iterator[int]:
            for number, (position, is_goal) in enumerate(self.target.hits(either, here + 1)):
                if is_goal and number:  # the first one has led to where the QPU is
                    yield position

        return self._arrive(next(islice(found(), count - 1, None), None), here, Stop(Reason.STEP))

    def _back(self, goal: Goal) -> Stop:
        here = self.target.position
        position, hit = next(self.target.hits(goal, here), (None, None))
        if not isinstance(hit, _Hit):
            return self._arrive(None, here, Stop(Reason.BEGINNING))
        stop = self._arrive(position, here, hit.stop)
        if hit.qpu is not None and stop is hit.stop:
            self.qpu = hit.qpu
        return stop

    def _arrive(self, position: int | None, here: int, stop: Stop) -> Stop:
        """At a position before `here`, or at the beginning if there is none."""
        if self.target.interrupted.is_set():
            position, stop = here, Stop(Reason.INTERRUPTED)
        elif position is None or position < self.first:
            position, stop = self.first, Stop(Reason.BEGINNING)
            self.qpu = self._first_qpu
        self.forget_interrupt()
        self.target.seek(position)
        self.stopped = stop
        return stop
