"""All rules over a program."""

from collections.abc import Collection, Iterator, Sequence
from enum import Enum

from vc4.isa.hazards import HAZARDS, Hazard, Kind, Scope, Severity, Source
from vc4.isa.hazards import hazard as rule_called

from .acts import acts, matches
from .finding import Finding
from .flow import Flow
from .generic import GENERIC, Context
from .whole import WHOLE

__all__ = ["Subject", "check", "check_flow", "rules_for"]


class Subject(Enum):
    """What kind of program is checked; the value is its name as an option."""

    USER = "user"
    FRAGMENT = "fragment"
    VERTEX = "vertex"


_SWITCH = rule_called("R16").trigger


def rules_for(flow: Flow, subject: Subject = Subject.USER, two_tmus: bool = False) -> list[Hazard]:
    """The rules that apply. A program that switches threads is one of two threads; the kernel looks at shaders only."""
    scopes = {Scope.ALL: True, Scope.FRAGMENT: subject is Subject.FRAGMENT, Scope.TWO_TMUS: two_tmus}
    scopes[Scope.THREADED] = any(matches(_SWITCH, act) for index in flow.indices for act in acts(flow.words[index]))
    return [one for one in HAZARDS if scopes[one.scope] and (subject is not Subject.USER or not _is_kernels(one))]


def _is_kernels(one: Hazard) -> bool:
    """Whether nothing but the kernel asks for a rule, for what it wants to prove of a shader."""
    return one.severity is Severity.POLICY and one.sources == {Source.KERNEL}


def check(
    words: Sequence[int],
    base: int = 0,
    *,
    subject: Subject = Subject.USER,
    two_tmus: bool = False,
    entries: Sequence[int] = (0,),
) -> list[Finding]:
    """What is wrong with the program `words`, by place; at most one finding a rule and pair of instructions.

    base : address of the first word
    subject, two_tmus : which rules apply
    entries : the instructions with which the program may begin
    """
    flow = Flow(words, base, entries)
    return check_flow(flow, rules_for(flow, subject, two_tmus))


def check_flow(flow: Flow, rules: Collection[Hazard]) -> list[Finding]:
    """What is wrong with a program by `rules`."""
    found: dict[tuple[int, int, int], Finding] = {}
    for finding in _all(Context(flow), rules):
        kept = found.setdefault(finding.order, finding)
        if finding.message < kept.message:  # whatever the order of the paths, the same text
            found[finding.order] = finding
    return [found[order] for order in sorted(found)]


def _all(context: Context, rules: Collection[Hazard]) -> Iterator[Finding]:
    for one in rules:
        yield from (WHOLE[one.rule] if one.kind is Kind.PROGRAM else GENERIC[one.kind])(context, one)
