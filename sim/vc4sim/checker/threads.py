"""Thread switches along the paths: whether results that were waited for are read before the threads switch again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from vc4.isa.hazards import hazard
from vc4.isa.timing import END_SLOTS

from .acts import Act, acts, matches
from .flow import Flow, Node
from .tmu import Counts, count_results

__all__ = ["forgetful_switches", "is_switch"]

#: Instructions that still run before the threads switch, as many as before the end.
_SLOTS = END_SLOTS
_SWITCHES = hazard("R16").trigger


@dataclass(frozen=True, slots=True)
class _Threads:
    """What a thread has to read.

    old, new : results asked for before the last switch, and since
    switch, slots : offset of a switch that is on its way, and how many instructions it still takes
    """

    old: Counts = (0, 0)
    new: Counts = (0, 0)
    switch: int = 0
    slots: int = 0


def is_switch(found: Sequence[Act]) -> bool:
    """Whether an instruction that does `found` switches threads."""
    return any(matches(_SWITCHES, act) for act in found)


def forgetful_switches(flow: Flow) -> Iterator[tuple[Node, int]]:
    """Places where threads switch with old results not read, and the offset of the switch."""
    for node, state in flow.walk(_Threads(), partial(_step, flow)):
        if state.slots == 1 and any(_read(acts(flow.words[node.index]), state).old):
            yield node, state.switch


def _step(flow: Flow, node: Node, state: _Threads) -> _Threads:
    found = acts(flow.words[node.index])
    after = _read(found, state)
    if is_switch(found):
        return replace(after, switch=node.offset, slots=_SLOTS)
    if state.slots == 1:
        return _Threads(old=after.new)
    return replace(after, slots=max(0, state.slots - 1))


def _read(found: Sequence[Act], state: _Threads) -> _Threads:
    """Old results come first; a lookup in the slots of a switch still belongs to what was before it."""
    old, new = state.old, state.new
    for act in found:
        before = old
        old = count_results(act, old, asks=False)
        new = count_results(act, new, takes=old == before)
    return replace(state, old=old, new=new)
