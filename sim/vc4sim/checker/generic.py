"""The rules that the table says in full: which acts do not go together, and how far apart."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

from vc4.isa.decode import decode
from vc4.isa.hazards import Hazard, Kind
from vc4.isa.ops import Condition, Signal
from vc4.isa.word import BranchWord

from .acts import Act, Does, acts, matches
from .finding import Finding
from .flow import Flow, Node
from .scoreboard import late
from .tmu import direct_lookups

__all__ = ["GENERIC", "Context"]


@dataclass(frozen=True)
class Context:
    """A program with what several rules want to know of it."""

    flow: Flow

    @cached_property
    def direct(self) -> frozenset[int]:
        """Instructions that look up by s alone."""
        return direct_lookups(self.flow)

    @cached_property
    def late(self) -> frozenset[int]:
        """Instructions that find the scoreboard taken."""
        return late(self.flow)

    def acts(self, node: Node) -> tuple[Act, ...]:
        """What the instruction at `node` does."""
        return acts(self.flow.words[node.index])


@dataclass(frozen=True, slots=True)
class _Pair:
    """A trigger and what is affected by it, each with its place."""

    context: Context
    first: Node
    trigger: Act
    second: Node
    affected: Act
    distance: int


def _pairs(context: Context, hazard: Hazard, first: Node) -> Iterator[_Pair]:
    """All pairs of acts behind `first` that the table names."""
    triggers = [act for act in context.acts(first) if matches(hazard.trigger, act)]
    for distance in hazard.offsets if triggers else ():
        for second in sorted(context.flow.behind(first, distance), key=lambda node: node.index):
            for affected in context.acts(second):
                if matches(hazard.affected, affected):
                    yield from (_Pair(context, first, trigger, second, affected, distance) for trigger in triggers)


def _forbidden(hazard: Hazard, pair: _Pair) -> bool:
    if hazard.kind is Kind.INSTRUCTION and pair.trigger == pair.affected:
        return False
    if hazard.same_register and (pair.trigger.what != pair.affected.what or _are_apart(pair)):
        return False
    excused = _EXCUSES.get(hazard.rule)
    return not (excused and excused(pair))


_OPPOSITE = {
    Condition.ZS: Condition.ZC,
    Condition.ZC: Condition.ZS,
    Condition.NS: Condition.NC,
    Condition.NC: Condition.NS,
    Condition.CS: Condition.CC,
    Condition.CC: Condition.CS,
}


def _are_apart(pair: _Pair) -> bool:
    """Whether both acts never concern the same element: opposite conditions on the same flags, or a value not used."""
    first = decode(pair.context.flow.words[pair.first.index])
    new_flags = pair.first != pair.second and first.layout is not BranchWord and first.sf
    opposite = _OPPOSITE.get(pair.trigger.condition) is pair.affected.condition and not new_flags
    return opposite or pair.affected.condition is Condition.NEVER


def _is_direct(pair: _Pair) -> bool:
    """A lookup by s alone takes no uniform, nor stands in the way of one."""
    sides = ((pair.first, pair.trigger), (pair.second, pair.affected))
    return any(node.index in pair.context.direct and act.what in ("t0s", "t1s") for node, act in sides)


def _is_one_sample(pair: _Pair) -> bool:
    """The colour of one sample is read and written."""
    loads = {Signal.LOAD_COLOUR, Signal.LOAD_COLOUR_END}
    whats = {pair.trigger.what, pair.affected.what}
    return len(whats & loads) == 1 and "tlbm" in whats


def _is_one_alu(pair: _Pair) -> bool:
    """Both operands of one ALU: a move reads its register twice."""
    return pair.trigger.by == pair.affected.by


def _is_late(pair: _Pair) -> bool:
    """The program has the scoreboard already."""
    return pair.second.index in pair.context.late


#: What the table excuses in words only.
_EXCUSES: dict[str, Callable[[_Pair], bool]] = {
    "R6": _is_direct,
    "R10": _is_one_sample,
    "R11": _is_direct,
    "R20": _is_late,
    "R32": _is_one_alu,
}


def _place(distance: int) -> str:
    return "right" if distance == 1 else f"{distance} instructions"


def _sequence(context: Context, hazard: Hazard) -> Iterator[Finding]:
    """Something is too close behind something else."""
    for first in context.flow.reached:
        for pair in _pairs(context, hazard, first):
            if _forbidden(hazard, pair):
                text = f"{pair.affected}, {_place(pair.distance)} behind an instruction that {pair.trigger}"
                yield Finding(pair.second.offset, first.offset, hazard, text)


def _instruction(context: Context, hazard: Hazard) -> Iterator[Finding]:
    """An instruction does what it must not, or two things that do not go together."""
    for node in context.flow.reached:
        if hazard.affected:
            pairs = (pair for pair in _pairs(context, hazard, node) if _forbidden(hazard, pair))
            texts = (_both(pair.trigger, pair.affected) for pair in pairs)
        else:
            texts = (str(act) for act in context.acts(node) if matches(hazard.trigger, act))
        yield from (Finding(node.offset, node.offset, hazard, text) for text in texts)


def _both(trigger: Act, affected: Act) -> str:
    if trigger.does is Does.WRITE and trigger.what == affected.what:
        return f"{trigger} with both ALUs"
    return f"{trigger}, and {affected}"


def _start(context: Context, hazard: Hazard) -> Iterator[Finding]:
    """Something comes too early."""
    for entry in context.flow.entries:
        for distance in hazard.offsets:
            for node in context.flow.behind(entry, distance):
                for act in filter(partial(matches, hazard.affected), context.acts(node)):
                    yield Finding(node.offset, entry.offset, hazard, f"{act} in instruction {distance + 1}")


def _end(context: Context, hazard: Hazard) -> Iterator[Finding]:
    """Something comes too late."""
    for first in context.flow.reached:
        pairs = _pairs(context, hazard, first) if first.left is None else ()
        for pair in (pair for pair in pairs if _forbidden(hazard, pair)):
            place = f"{_place(pair.distance)} behind the end signal" if pair.distance else "with the end signal"
            yield Finding(pair.second.offset, first.offset, hazard, f"{pair.affected}, {place}")


#: How the rules of each kind are checked; those over the whole program are in `whole`.
GENERIC: dict[Kind, Callable[[Context, Hazard], Iterator[Finding]]] = {
    Kind.SEQUENCE: _sequence,
    Kind.INSTRUCTION: _instruction,
    Kind.START: _start,
    Kind.END: _end,
}
