"""All rules over a program."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum

from vc4.isa.hazards import HAZARDS, Hazard, Scope, Severity, Source

from .finding import Finding
from .flow import Flow
from .path_state import Memory, Turn
from .program import VECTOR_ROWS
from .rule import Rule
from .special_rules import WHOLE
from .table_rules import generic
from .threads import is_switch

__all__ = ["Subject", "applying", "check", "check_flow", "rules_for", "rules_of"]


class Subject(Enum):
    """What kind of program is checked; the value is its name as an option."""

    USER = "user"
    FRAGMENT = "fragment"
    VERTEX = "vertex"


def applying(subject: Subject = Subject.USER, two_tmus: bool = False, threaded: bool = True) -> list[Hazard]:
    """The rules about programs of this kind. The kernel looks at shaders only.

    two_tmus : the GPU has two TMUs a slice
    threaded : the program switches threads, or may do so
    """
    scopes = {Scope.ALL: True, Scope.TWO_TMUS: two_tmus, Scope.THREADED: threaded}
    scopes[Scope.FRAGMENT] = subject is Subject.FRAGMENT
    rules = [one for one in HAZARDS if scopes[one.scope]]
    if subject is Subject.USER:
        return [one for one in rules if not _is_kernels(one)]
    return [replace(one, offsets=one.shader_offsets or one.offsets) for one in rules]


def _is_kernels(one: Hazard) -> bool:
    """Whether nothing but the kernel asks for a rule, for what it wants to prove of a shader."""
    return one.severity is Severity.POLICY and one.sources == {Source.KERNEL}


def rules_of(hazards: Iterable[Hazard]) -> list[tuple[Hazard, Rule]]:
    """Each restriction with all that finds its breaches."""
    return [(one, rule) for one in hazards for rule in ([WHOLE[one.rule]] if one.rule in WHOLE else generic(one))]


def rules_for(flow: Flow, subject: Subject = Subject.USER, two_tmus: bool = False) -> list[Hazard]:
    """The rules that apply to a program. One that switches threads is one of two threads."""
    threaded = any(is_switch(flow.turn(node, False)) for node in flow.reached)
    return applying(subject, two_tmus, threaded)


def check(
    words: Sequence[int],
    base: int = 0,
    *,
    subject: Subject = Subject.USER,
    two_tmus: bool = False,
    entries: Sequence[int] = (0,),
    user_rows: int = VECTOR_ROWS,
) -> list[Finding]:
    """What is wrong with the program `words`, by place; at most one finding a rule and pair of instructions.

    base : address of the first word
    subject, two_tmus : which rules apply
    entries : the instructions with which the program may begin
    user_rows : rows of the VPM that are reserved for programs
    """
    flow = Flow(words, base, entries, user_rows)
    return check_flow(flow, rules_for(flow, subject, two_tmus))


def check_flow(flow: Flow, hazards: Iterable[Hazard]) -> list[Finding]:
    """What is wrong with a program by `hazards`, on any path."""
    by_memories: dict[tuple[Memory, ...], list[tuple[Hazard, Rule]]] = {}
    for one, rule in rules_of(hazards):
        by_memories.setdefault(rule.memories, []).append((one, rule))
    found: dict[tuple[int, int, int], Finding] = {}
    for memories, rules in by_memories.items():
        for finding in _found(flow, memories, rules):
            kept = found.setdefault(finding.order, finding)
            if finding.message < kept.message:  # whatever the order of the paths, the same text
                found[finding.order] = finding
    return [found[order] for order in sorted(found)]


def _found(flow: Flow, memories: tuple[Memory, ...], rules: list[tuple[Hazard, Rule]]) -> Iterator[Finding]:
    """What `rules` find, which all need the same `memories`."""

    def step(turn: Turn, states: tuple) -> tuple:
        return tuple(memory.step(turn, state) for memory, state in zip(memories, states, strict=True))

    for turn, states in flow.walk(tuple(memory.start for memory in memories), step):
        for one, rule in rules:
            yield from rule.findings(one, turn, states)
