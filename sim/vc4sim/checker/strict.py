"""The rules applied to a run: the one path that it takes, with the values that it has."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from vc4.isa.decode import decode
from vc4.isa.hazards import Form
from vc4.isa.ops import Condition
from vc4.isa.registers import ELEMENTS
from vc4.isa.word import WORD_BYTES, BranchWord

from ..events import ALL_ELEMENTS, Event, Retirement
from ..model.flags import Flags, bits
from .acts import Acts, Does, acts
from .check import applying, rules_of
from .finding import Finding, paragraph
from .program import Node, Program
from .turn import Turn

__all__ = ["Broken", "Strict"]

_ROTATIONS = frozenset({Form.ROTATION, Form.ROTATION_BY_R5})
_R5_WRITES = ("r5quad", "r5rep")


class Broken(Exception):
    """A run has broken a rule; the text says which, with both instructions and why it matters.

    finding : the breach
    rule : the number of the rule
    number : how many instructions have run, this one counted
    """

    def __init__(self, finding: Finding, program: Program, number: int):
        self.finding = finding
        self.rule = finding.hazard.rule
        self.number = number
        super().__init__("\n".join(paragraph(finding, program)))


class Strict:
    """Watches a run: call it with every event. Raises `Broken` at the first instruction that breaks a rule.

    The rules are those of programs of users. What depends on values is decided by them: a condition that holds in all
    elements is none, conditions are apart if no element meets both, and a rotation by 0 is none.

    base, size : address of the first byte of memory, and how many there are
    retired : instructions watched
    """

    def __init__(self, base: int, size: int):
        self.retired = 0
        self._words = [0] * (size // WORD_BYTES)
        self._program = Program(self._words, base)
        self._values: dict[int, _Values] = {}
        self._paths: dict[tuple[int, int], _Path] = {}

    def __call__(self, event: Event) -> None:
        if not isinstance(event, Retirement):
            return
        self.retired += 1
        self._words[(event.pc - self._program.base) // WORD_BYTES] = event.word  # a program may have written it
        values = self._values.setdefault(event.qpu, _Values())
        thread = event.qpu, event.thread
        if thread not in self._paths:
            self._paths[thread] = _Path(self._program, values)
        finding = min(self._paths[thread].findings(event), key=lambda finding: finding.order, default=None)
        values.keep(event)
        if finding:
            raise Broken(finding, self._program, self.retired)


class _Values:
    """What both threads of a QPU share, as far as rules depend on it.

    flags : the flags
    amount : of a rotation by r5, if it is known
    """

    def __init__(self) -> None:
        self.flags = Flags()
        self.amount: int | None = None

    def keep(self, event: Retirement) -> None:
        """What an instruction leaves behind."""
        if event.flags is not None:
            self.flags = _flags(event.flags)
        if any(act.does is Does.READ and act.what == "vary" for act in acts(event.word)):
            self.amount = None
        for write in event.writes:
            if write.register in _R5_WRITES and write.elements & 1:
                self.amount = write.values[0] % ELEMENTS  # the lowest bits of element 0, of words or of bytes


class _Path:
    """What one thread runs, program after program; `values` are those before the instruction."""

    def __init__(self, program: Program, values: _Values):
        self._program = program
        self._values = values
        self._rules = rules_of(applying())
        self._begin()

    def _begin(self) -> None:
        self._last: Turn | None = None
        self._states = {memory: memory.start for _, rule in self._rules for memory in rule.memories}

    def findings(self, event: Retirement) -> list[Finding]:
        """The rules that an instruction breaks."""
        turn = self._last = self._turn(event, self._last)
        found = []
        for one, rule in self._rules:
            found += rule.findings(one, turn, tuple(self._states[memory] for memory in rule.memories))
        self._states = {memory: memory.step(turn, state) for memory, state in self._states.items()}
        if turn.node.left == 1:
            self._begin()
        return found

    def _turn(self, event: Retirement, last: Turn | None) -> Turn:
        """The path goes on from its last turn to an instruction."""
        index = (event.pc - self._program.base) // WORD_BYTES
        node = self._program.moved(last.node, index, last.taken) if last else Node(index, number=0)
        fields = decode(event.word)
        taken = fields.layout is BranchWord and self._values.flags.taken(fields.condition)
        conditions = {act.condition for act in acts(event.word) if Form.CONDITIONAL in act.forms}
        everywhere = frozenset(one for one in conditions if _elements(self._values.flags, one) == ALL_ELEMENTS)
        found = _acts_now(event.word, taken, everywhere, self._values.amount != 0)
        return Turn(node, taken, self._program, found, elements=partial(_elements, self._values.flags))


@lru_cache(maxsize=1 << 12)
def _acts_now(word: int, taken: bool, everywhere: frozenset[Condition], rotates: bool) -> Acts:
    """What an instruction does at the values that it meets.

    taken : it is a branch, and taken
    everywhere : conditions that hold in all elements, and so are none
    rotates : a rotation by r5 moves anything
    """
    found = []
    for act in acts(word, taken):
        forms = act.forms
        if act.condition in everywhere:
            forms -= {Form.CONDITIONAL}
        if not rotates and act.does is Does.READ and Form.ROTATION_BY_R5 in forms:
            forms -= _ROTATIONS
        found.append(replace(act, forms=forms))
    return Acts(found)


def _elements(flags: Flags, condition: Condition) -> int:
    """Where a condition holds, one bit an element."""
    return bits(flags.passing(condition))


def _flags(nzc: Sequence[int]) -> Flags:
    """Flags of N, Z and C, one bit an element."""
    flags = Flags()
    flags.n, flags.z, flags.c = (np.array([value >> element & 1 for element in range(ELEMENTS)], bool) for value in nzc)
    return flags
