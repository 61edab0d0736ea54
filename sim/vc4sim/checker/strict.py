"""The rules applied to a run: the one path that it takes, with the values that it has."""

from collections.abc import Container
from dataclasses import replace
from functools import lru_cache, partial

from vc4.isa.decode import decode
from vc4.isa.hazards import Form, Hazard
from vc4.isa.ops import Condition
from vc4.isa.registers import ELEMENTS
from vc4.isa.word import WORD_BYTES, BranchWord

from ..asm import SourceMap
from ..events import Event, Retirement
from ..model.qpu.flags import is_taken, passing
from .check import applying, rules_of
from .effects import Acts, Does, acts, known_values
from .finding import Finding, paragraph
from .path_state import Turn
from .program import Node, Program
from .rule import Rule

__all__ = ["Broken", "Strict"]

_ROTATIONS = frozenset({Form.ROTATION, Form.ROTATION_BY_R5})
_R5_WRITES = ("r5quad", "r5rep")


class Broken(Exception):
    """A run has broken a rule; the text says which, with both instructions and why it matters.

    finding : the breach
    rule : the number of the rule
    number : how many instructions have run, this one counted
    """

    def __init__(self, finding: Finding, program: Program, number: int, source: SourceMap | None = None):
        self.finding = finding
        self.rule = finding.hazard.rule
        self.number = number
        super().__init__("\n".join(paragraph(finding, program, source)))


class Strict:
    """Watches a run: call it with every event. Raises `Broken` at the first instruction that breaks a rule.

    The rules are those of programs of users. What depends on values is decided by them: a condition that holds in all
    elements is none, conditions are apart if no element meets both, and a rotation by 0 is none.

    base, size : address of the first byte of memory, and how many there are
    allowed : numbers of rules that may be broken
    source : where its instructions are in the source, by offsets from `base`, if there is one
    retired : instructions watched
    """

    def __init__(self, base: int, size: int, allowed: Container[str] = (), source: SourceMap | None = None):
        self.retired = 0
        self._words = [0] * (size // WORD_BYTES)
        self._program = Program(self._words, base)
        self._rules = rules_of(one for one in applying() if one.rule not in allowed)
        self._source = source
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
            self._paths[thread] = _Path(self._program, values, self._rules)
        finding = min(self._paths[thread].findings(event), key=lambda finding: finding.order, default=None)
        values.keep(event)
        if finding:
            raise Broken(finding, self._program, self.retired, self._source)


class _Values:
    """What both threads of a QPU share, as far as rules depend on it.

    flags : N, Z and C, one bit an element
    amount : of a rotation by r5, if it is known
    """

    def __init__(self) -> None:
        self.flags = 0, 0, 0
        self.amount: int | None = None

    def keep(self, event: Retirement) -> None:
        """What an instruction leaves behind."""
        if event.flags is not None:
            self.flags = event.flags
        if any(act.does is Does.READ and act.what == "vary" for act in acts(event.word)):
            self.amount = None
        for write in event.writes:
            if write.register in _R5_WRITES and write.elements & 1:
                self.amount = write.values[0] % ELEMENTS  # the lowest bits of element 0, of words or of bytes


class _Path:
    """What one thread runs, program after program, by `rules`; `values` are those before the instruction."""

    def __init__(self, program: Program, values: _Values, rules: list[tuple[Hazard, Rule]]):
        self._program = program
        self._values = values
        self._rules = rules
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
        taken = fields.layout is BranchWord and is_taken(*self._values.flags, fields.condition.value)
        conditions = {act.condition for act in acts(event.word)}
        holds = frozenset((one, _elements(self._values.flags, one)) for one in conditions)
        found = _acts_now(event.word, taken, holds, self._values.amount)
        values = known_values(event.word) | {
            write.register: write.words[0] for write in event.writes if write.elements & 1
        }
        return Turn(node, taken, self._program, found, None, partial(_elements, self._values.flags), values)


@lru_cache(maxsize=1 << 12)
def _acts_now(word: int, taken: bool, holds: frozenset[tuple[Condition, int]], amount: int | None) -> Acts:
    """What an instruction does at the values that it meets.

    taken : it is a branch, and taken
    holds : where its conditions hold; one that holds in all elements that are taken is none
    amount : of a rotation by r5, if it is known; one by 0 moves nothing
    """
    found, where = [], dict(holds)
    for act in acts(word, taken):
        forms, rotation = act.forms, act.rotation
        lacking = act.elements & ~where[act.condition]
        if lacking == act.elements and act.does is Does.READ and act.elements:
            continue  # nobody takes the value
        if not lacking:
            forms -= {Form.CONDITIONAL}
        if rotation is None and amount is not None:
            rotation = amount
            forms -= set() if amount else _ROTATIONS
        found.append(replace(act, forms=forms, rotation=rotation))
    return Acts(found)


def _elements(flags: tuple[int, int, int], condition: Condition) -> int:
    """Where a condition holds, one bit an element."""
    return passing(*flags, condition.value)
