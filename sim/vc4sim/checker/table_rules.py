"""The rules that the table says in full: which acts do not go together, and how far apart."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from vc4.isa.hazards import Hazard, Kind
from vc4.isa.ops import Signal

from .effects import Act, Does
from .path_state import RECENT, Memory, Turn, are_apart
from .rule import Breaches, Rule
from .scoreboard import HELD
from .tmu import LOOKUPS, PARAMETERS, Counts

__all__ = ["ALONE", "generic"]


@dataclass(frozen=True, slots=True)
class _Pair:
    """A trigger and what is affected by it, each with its turn."""

    first: Turn
    trigger: Act
    second: Turn
    affected: Act


def _pairs(hazard: Hazard, first: Turn, second: Turn) -> Iterator[_Pair]:
    """All pairs of acts that the rule does not want together."""
    for trigger in first.acts.of(hazard.trigger):
        pairs = (_Pair(first, trigger, second, affected) for affected in second.acts.of(hazard.affected))
        yield from (pair for pair in pairs if _is_forbidden(hazard, pair))


def _is_forbidden(hazard: Hazard, pair: _Pair) -> bool:
    trigger, affected = pair.trigger, pair.affected
    if pair.first is pair.second and trigger == affected and hazard.kind is not Kind.END:
        return False
    if not hazard.fits_registers(str(trigger.what), str(affected.what)):
        return False
    if trigger.what not in hazard.divisible:
        return True
    return not are_apart(pair.first, trigger, pair.second, affected, downwards=hazard.downwards)


def _is_direct(pair: _Pair, counts: Counts) -> bool:
    """A lookup by s alone takes no uniform, nor stands in the way of one."""
    lookups = [act.what for act in (pair.trigger, pair.affected) if act.does is Does.WRITE and act.what in LOOKUPS]
    return any(not counts[LOOKUPS[str(what)]] for what in lookups)


def _is_one_sample(pair: _Pair) -> bool:
    """The colour of one sample is read and written."""
    loads = {Signal.LOAD_COLOUR, Signal.LOAD_COLOUR_END}
    whats = {pair.trigger.what, pair.affected.what}
    return len(whats & loads) == 1 and "tlbm" in whats


def _is_one_alu(pair: _Pair) -> bool:
    """Both operands of one ALU: a move reads its register twice."""
    return pair.trigger.by == pair.affected.by


def _is_late(_pair: _Pair, held: bool) -> bool:
    """The program has the scoreboard already."""
    return held


#: What the table excuses in words only, and what has to be known for it.
_EXCUSES: dict[str, tuple[Callable[..., bool], tuple[Memory, ...]]] = {
    "R6": (_is_direct, (PARAMETERS,)),
    "R10": (_is_one_sample, ()),
    "R11": (_is_direct, (PARAMETERS,)),
    "R20": (_is_late, (HELD,)),
    "R32": (_is_one_alu, ()),
}


def _no_excuse(_pair: _Pair) -> bool:
    return False


def _earlier(hazard: Hazard, turn: Turn, recent: tuple[Turn, ...]) -> Iterator[tuple[int, Turn]]:
    """The turns to which a rule reaches back, with how far that is."""
    for distance in hazard.offsets:
        if distance <= len(recent):
            yield distance, recent[-distance] if distance else turn


def _place(distance: int) -> str:
    return "right" if distance == 1 else f"{distance} instructions"


def _sequence_text(distance: int, pair: _Pair) -> str:
    if not distance:
        return _inside_text(distance, pair)
    return f"{pair.affected}, {_place(distance)} after an instruction that {pair.trigger}"


def _inside_text(_distance: int, pair: _Pair) -> str:
    trigger, affected = pair.trigger, pair.affected
    if trigger.does is Does.WRITE and trigger.what == affected.what:
        return f"{trigger} with both ALUs"
    return f"{trigger}, and {affected}"


def _end_text(distance: int, pair: _Pair) -> str:
    place = f"{_place(distance)} after the end signal" if distance else "with the end signal"
    return f"{pair.affected}, {place}"


_TEXTS = {Kind.SEQUENCE: _sequence_text, Kind.INSTRUCTION: _inside_text, Kind.END: _end_text}


def _together(hazard: Hazard) -> Rule:
    """Two acts that are too close to each other."""
    is_excused, memories = _EXCUSES.get(hazard.rule, (_no_excuse, ()))

    def find(hazard: Hazard, turn: Turn, recent: tuple[Turn, ...], *states) -> Breaches:
        for distance, first in _earlier(hazard, turn, recent) if turn.acts.of(hazard.affected) else ():
            if hazard.kind is Kind.END and first.node.left is not None:
                continue  # the program is ending already
            for pair in _pairs(hazard, first, turn):
                if not is_excused(pair, *states):
                    yield first.offset, _TEXTS[hazard.kind](distance, pair)

    return Rule(find, (RECENT, *memories))


def _alone(hazard: Hazard, turn: Turn) -> Breaches:
    yield from ((turn.offset, str(act)) for act in turn.acts.of(hazard.trigger))


def _start(hazard: Hazard, turn: Turn, recent: tuple[Turn, ...]) -> Breaches:
    number = turn.node.number
    if number is not None and number in hazard.offsets:
        first = recent[-number] if number else turn
        yield from ((first.offset, f"{act} in instruction {number + 1}") for act in turn.acts.of(hazard.affected))


#: What no instruction does.
ALONE = Rule(_alone)
#: What comes too early.
_START = Rule(_start, (RECENT,))


def _never_after(hazard: Hazard) -> Rule:
    """What nothing does any more, once something is done."""

    def step(turn: Turn, first: tuple[int, Act] | None) -> tuple[int, Act] | None:
        return first or next(((turn.offset, act) for act in turn.acts.of(hazard.once)), None)

    def find(hazard: Hazard, turn: Turn, first: tuple[int, Act] | None) -> Breaches:
        if first:
            offset, done = first
            text = f"somewhere after an instruction that {done}"
            yield from ((offset, f"{act}, {text}") for act in turn.acts.of(hazard.never_after))

    return Rule(find, (Memory(None, step),))


def generic(hazard: Hazard) -> Iterator[Rule]:
    """What a restriction says by its fields; nothing if it has to be worked out over the whole program."""
    if hazard.kind is Kind.START:
        yield _START
    elif hazard.offsets:
        yield _together(hazard) if hazard.affected else ALONE
    if hazard.once:
        yield _never_after(hazard)
