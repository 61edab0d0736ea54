"""Siblings side by side: what instances of one kind compute, each for itself, one statement computes for all of them.

Four lanes of a QPU, say, are four instances with the same inside. A variable that each of them has becomes one *wide* variable,
with a part for each sibling. It is a matter of speed only: shorter code comes faster to the processor.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .clocked import Register
from .design import Design
from .expression import OPERATION, READ_NOW, VARIABLE, Expression

__all__ = ["join_siblings"]

#: Words of a wide variable, at the most: those of a register of the processor, or two.
_WIDEST = 16
#: Siblings of a family, at the least.
_FEWEST = 3
#: Operations of a register at the end of a clock.
_COMMIT = 3
#: Operations that put a part beside others.
_PUT_TOGETHER = 2
#: The number at the end of an instance's name.
_NUMBERED = re.compile(r"(?<![^.\\])([A-Za-z]\w*?)(\d+)(?=\.)")
_CONSTANT = re.compile(r"\bk\((\w+)\)")


class _Role(NamedTuple):
    """Of a variable among the siblings of a family: what it is, for all of them the same, and whose."""

    what: object
    sibling: int


class _Group(NamedTuple):
    """Variables of siblings that become one."""

    members: Sequence[str]
    is_register: bool


def join_siblings(design: Design, phases: Mapping[str, int], lanes: int) -> None:
    """Rewrites a design of so many lanes, whose variables are known from these phases on (see `schedule.order`): these stay.

    Siblings are instances whose names differ in a number. Their variables become one if they are computed in the same way, in as
    many steps from registers and inputs: so none of them can depend on another one. It is left where it costs more than it saves.
    """
    depths = _depths(design, phases)
    names = {variable: wire for wire, variable in design.variables() if variable in depths}
    grouped: set[str] = set()
    groups: list[_Group] = []
    for family in _families(names):
        if len({role.sibling for role in family.values()}) * lanes <= _WIDEST:
            found = _worth(design, list(_alike(design, family, depths, grouped)))
            groups += found
            grouped.update(member for group in found for member in group.members)
    _Rewriting(design, groups)


def _depths(design: Design, phases: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Of each variable, those that it reads first: phase, and steps from registers and inputs."""
    found: dict[str, tuple[int, int]] = {}
    for name, phase in phases.items():
        value = design.computed.get(name)
        steps = max((found[read][1] + 1 for read in value.reads if read in found), default=0) if value else 0
        found[name] = phase, steps
    return found


def _families(names: Mapping[str, str]) -> Iterator[dict[str, _Role]]:
    """The variables of each family that somebody has named: what it is inside of its sibling, and which one that is. The largest
    family comes first.
    """
    found: dict[tuple[str, str], dict[str, _Role]] = defaultdict(dict)
    for variable, name in names.items():
        for match in _NUMBERED.finditer(name):
            around = name[: match.start()].replace("$flatten", "").replace("\\", "")
            inside = name[: match.start()], name[match.end() :]
            found[around, match[1]][variable] = _Role(inside, int(match[2]))
    for family in sorted(found.values(), key=len, reverse=True):
        if len({role.sibling for role in family.values()}) >= _FEWEST:
            yield family


def _alike(
    design: Design,
    family: Mapping[str, _Role],
    depths: Mapping[str, tuple[int, int]],
    grouped: set[str],
) -> Iterator[_Group]:
    """Variables that are alike in all siblings."""
    registers = {register.name: register for register in design.registers}
    siblings = sorted({role.sibling for role in family.values()})
    ids: dict[object, int] = defaultdict(lambda: len(ids))
    roles: dict[str, _Role] = {}
    alike: dict[object, dict[int, str]] = defaultdict(dict)
    for variable in depths:
        role = family.get(variable) or _role_of_unnamed(design, variable, roles)
        if role and variable not in grouped:
            # A number in its place, so that what is made of it stays short.
            roles[variable] = role = _Role(ids[role.what], role.sibling)
            alike[role.what][role.sibling] = variable
    for found in alike.values():
        if len(found) == len(siblings):
            members = [found[sibling] for sibling in siblings]
            its = [registers[member] for member in members if member in registers]
            followings, resets = {one.following for one in its}, {one.reset for one in its}
            is_register = len(followings) == len(members) and len(resets) == 1
            if is_register or _is_same(design, members, depths):
                yield _Group(members, is_register)


def _role_of_unnamed(design: Design, variable: str, roles: Mapping[str, _Role]) -> _Role | None:
    """That of one that is not in a sibling by its name, if all that has a role among what it reads belongs to one sibling."""
    value = design.computed.get(variable)
    if value is None:
        return None
    template, reads = _taken_apart(value)
    whose = {roles[read].sibling for read in reads if read in roles}
    if len(whose) != 1:
        return None
    return _Role((template, tuple(roles[read].what if read in roles else read for read in reads)), whose.pop())


def _taken_apart(value: Expression) -> tuple[str, list[str]]:
    """Its text without variables, and those in their order."""
    reads = [word for word in VARIABLE.findall(value.text) if word in value.reads]
    return VARIABLE.sub(lambda match: "@" if match[0] in value.reads else match[0], value.text), reads


def _is_same(design: Design, members: Sequence[str], depths: Mapping[str, tuple[int, int]]) -> bool:
    if not all(member in design.computed for member in members) or len({depths[member] for member in members}) > 1:
        return False
    templates = {_taken_apart(design.computed[member])[0] for member in members}
    return len(templates) == 1 and READ_NOW not in next(iter(templates))


def _worth(design: Design, groups: list[_Group]) -> list[_Group]:
    """Those that save more operations than it takes to put parts together and to take them out."""
    followings = {register.name: register.following for register in design.registers}
    wanted = Counter(design.wanted())
    while True:
        member_of = {member: number for number, group in enumerate(groups) for member in group.members}
        others = wanted - Counter(following for name, following in followings.items() if name in member_of)
        taken_out: Counter[int] = Counter(member_of[name] for name in others if name in member_of)
        for name, value in design.computed.items():
            if name not in member_of:
                taken_out.update(member_of[read] for read in value.reads if read in member_of)
        operands = [_operands(design, group, followings) for group in groups]
        # Each is put together once, for all that read it.
        readers = Counter(operand for its in operands for operand in set(its))
        kept = []
        for number, (group, its) in enumerate(zip(groups, operands, strict=True)):
            count, saved = len(group.members), _COMMIT
            if not group.is_register:
                saved = len(OPERATION.findall(design.computed[group.members[0]].text))
            elif tuple(group.members) in readers:
                saved += _PUT_TOGETHER  # which its readers would need otherwise
            gathered = sum(1 / readers[operand] for operand in set(its) if not _is_joined(operand, member_of))
            if (count - 1) * saved >= _PUT_TOGETHER * count * gathered + taken_out[number] / 2:
                kept.append(group)
        if len(kept) == len(groups):
            return groups
        groups = kept


def _operands(design: Design, group: _Group, followings: Mapping[str, str]) -> list[tuple[str, ...]]:
    """What the members of a group read, beside each other."""
    if group.is_register:
        return [tuple(followings[member] for member in group.members)]
    return list(zip(*(_taken_apart(design.computed[member])[1] for member in group.members), strict=True))


def _is_joined(operand: Sequence[str], member_of: Mapping[str, int]) -> bool:
    """Whether no part has to be put beside the others."""
    homes = {member_of.get(read) for read in operand}
    return len(set(operand)) == 1 or (len(homes) == 1 and None not in homes)


class _Rewriting:
    """Puts wide variables in place of their members."""

    def __init__(self, design: Design, groups: Sequence[_Group]):
        self._design = design
        self._old = dict(design.computed)
        self._registers = {register.name: register for register in design.registers}
        self._wides: dict[tuple[str, ...], str] = {}
        self._parts: dict[str, tuple[str, int]] = {}
        for group in groups:
            wide = self._add(tuple(group.members))
            self._parts |= {member: (wide, place) for place, member in enumerate(group.members)}
            if labels := [label for member in group.members for label in design.labels.pop(member, ())]:
                design.labels[wide] = labels
        for name, value in self._old.items():
            if name in self._parts:
                del design.computed[name]
            else:
                design.computed[name] = self._narrow(value)
        design.registers = [register for name, register in self._registers.items() if name not in self._parts]
        for group in groups:
            (self._take_register if group.is_register else self._take)(tuple(group.members))
        # Who asks for a member by its name gets it.
        for name in design.wanted():
            if name in self._parts:
                design.computed[name] = self._narrow(Expression(name, frozenset([name])))

    def _add(self, members: tuple[str, ...]) -> str:
        """A wide variable."""
        self._wides[members] = wide = f"g{len(self._wides)}"
        self._design.wide[wide] = len(members)
        if members[0] in self._design.places:
            self._design.places[wide] = self._design.places[members[0]]
        return wide

    def _narrow(self, value: Expression) -> Expression:
        """With parts in place of members."""

        def replaced(match: re.Match[str]) -> str:
            if match[0] not in self._parts:
                return match[0]
            wide, place = self._parts[match[0]]
            return f"part<V>({wide}, {place})"

        reads = frozenset(self._parts[read][0] if read in self._parts else read for read in value.reads)
        return Expression(VARIABLE.sub(replaced, value.text), reads)

    def _operand(self, reads: tuple[str, ...]) -> Expression:
        """What members of a group read, beside each other."""
        kind = f"V{len(reads)}"
        if len(set(reads)) == 1:
            one = self._narrow(Expression(reads[0], frozenset(reads)))
            return Expression(f"same<{kind}>({one.text})", one.reads)
        if reads not in self._wides:
            wide = self._add(reads)
            together = Expression(f"beside<{kind}>({', '.join(reads)})", frozenset(reads))
            self._design.computed[wide] = self._narrow(together)
        wide = self._wides[reads]
        return Expression(wide, frozenset([wide]))

    def _take(self, members: tuple[str, ...]) -> None:
        """A group that is computed."""
        values = [_taken_apart(self._old[member]) for member in members]
        operands = [self._operand(reads) for reads in zip(*(reads for _, reads in values), strict=True)]
        texts = iter(operands)
        text = _CONSTANT.sub(lambda match: f"(V{len(members)}{{}} + {match[1]})", values[0][0])
        text = re.sub("@", lambda _: next(texts).text, text)
        reads = frozenset().union(*(operand.reads for operand in operands))
        self._design.computed[self._wides[members]] = Expression(text, reads)

    def _take_register(self, members: tuple[str, ...]) -> None:
        """A group of registers."""
        its = [self._registers[member] for member in members]
        following = self._operand(tuple(one.following for one in its)).text
        inits, values = (tuple(word for one in its for word in getattr(one, words)) for words in ("inits", "values"))
        self._design.registers.append(Register(self._wides[members], following, inits, its[0].reset, values))
