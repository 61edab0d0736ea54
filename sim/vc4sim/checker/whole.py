"""The rules that need the whole program, a function each."""

from collections.abc import Callable, Iterator

from vc4.isa.decode import decode
from vc4.isa.hazards import Hazard, Kind
from vc4.isa.word import WORD_BYTES

from .acts import Does, matches
from .finding import Finding
from .flow import Flow, Node
from .generic import GENERIC, Context
from .scoreboard import holds
from .threads import forgetful_switches, is_switch
from .tmu import PARAMETERS, count_results, waiting_parameters, waiting_results

__all__ = ["WHOLE"]

#: Most parameters of a lookup, s among them.
_MOST_PARAMETERS = 4
#: Writes that give uniforms a new address.
_ADDRESSES = ("unif_addr", "unif_addr_rel")


def _targets(flow: Flow) -> dict[int, int]:
    """Instructions that branches lead to, each with the first branch."""
    found: dict[int, int] = {}
    for index in sorted(flow.indices):
        goal = flow.goal(index)
        if goal and goal.offset is not None:
            found.setdefault(goal.offset // WORD_BYTES, index)
    return found


def _lookups(context: Context, hazard: Hazard) -> Iterator[Finding]:
    """R13: a fifth parameter, or parameters that wait where a branch leads to."""
    targets = _targets(context.flow)
    for node, counts in waiting_parameters(context.flow):
        if any(counts) and node.index in targets:
            trigger = targets[node.index] * WORD_BYTES
            yield Finding(node.offset, trigger, hazard, "a branch leads here, where parameters wait for s")
        for act in context.acts(node):
            if matches(hazard.trigger, act) and counts[PARAMETERS[str(act.what)]] >= _MOST_PARAMETERS:
                yield Finding(node.offset, node.offset, hazard, f"{act} behind {_MOST_PARAMETERS} parameters")


def _switches(context: Context, hazard: Hazard) -> Iterator[Finding]:
    """R16: a switch with the scoreboard taken, or with results not read that an earlier switch has waited for."""
    for node, held in holds(context.flow):
        if held and is_switch(context.acts(node)):
            yield Finding(node.offset, node.offset, hazard, "a thread switch while the scoreboard is taken")
    for node, switch in forgetful_switches(context.flow):
        text = "the threads switch, and results of a TMU from before the last switch are not read"
        yield Finding(node.offset, switch, hazard, text)


def _left_over(context: Context, hazard: Hazard) -> Iterator[Finding]:
    """R21: results that are not read on some path. How many varyings there are, the program does not say."""
    for node, counts in waiting_results(context.flow):
        for act in context.acts(node):
            counts = count_results(act, counts)
        if node.left == 1 and any(counts):
            yield Finding(node.offset, node.offset, hazard, "the program ends, and results of a TMU are not read")


def _bounds(context: Context, hazard: Hazard) -> Iterator[Finding]:
    """R27: targets outside of the program or between instructions, and a last instruction with something behind."""
    flow = context.flow
    for index in flow.indices:
        goal, offset = flow.goal(index), index * WORD_BYTES
        if goal and decode(flow.words[index]).immediate % WORD_BYTES:
            yield Finding(offset, offset, hazard, f"the distance is no multiple of {WORD_BYTES}")
        if goal and goal.offset is not None and goal.offset not in range(len(flow.words) * WORD_BYTES):
            address = (flow.base + goal.offset) & 0xFFFF_FFFF
            yield Finding(offset, offset, hazard, f"the target {address:#010x} is outside of the program")
    for node in flow.reached:
        if flow.runs_off(node):
            yield Finding(node.offset, node.offset, hazard, "the program goes on behind its last instruction")


def _stale_uniforms(context: Context, hazard: Hazard) -> Iterator[Finding]:
    """R30: a uniform is read behind the target of a branch, at the address from before."""
    targets = _targets(context.flow)

    def step(node: Node, branch: int | None) -> int | None:
        # The uniform from which the new address is made may still come from the old one.
        sets = any(act.does is Does.WRITE and act.what in _ADDRESSES for act in context.acts(node))
        return None if sets else targets.get(node.index, branch)

    for node, state in context.flow.walk(None, step):
        branch = step(node, state)
        for act in context.acts(node):
            if branch is not None and matches(hazard.affected, act):
                text = f"{act} behind the target of a branch, without a new address"
                yield Finding(node.offset, branch * WORD_BYTES, hazard, text)


def _unbreakable(_context: Context, _hazard: Hazard) -> Iterator[Finding]:
    """R29: no word has two signals."""
    return iter(())


#: Functions of the rules that are not `GENERIC`, by their numbers.
WHOLE: dict[str, Callable[[Context, Hazard], Iterator[Finding]]] = {
    "R13": _lookups,
    "R16": _switches,
    "R21": _left_over,
    "R26": GENERIC[Kind.INSTRUCTION],
    "R27": _bounds,
    "R29": _unbreakable,
    "R30": _stale_uniforms,
}
