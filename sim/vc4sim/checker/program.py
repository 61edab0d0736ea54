"""A program with the ways from each of its instructions to the next: branches, their delay slots, and the end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vc4.isa.decode import decode
from vc4.isa.hazards import HAZARDS, Kind
from vc4.isa.ops import BranchCondition, Signal
from vc4.isa.timing import BRANCH_DISTANCE, DELAY_SLOTS, END_SLOTS, LINK_BYTES, SWITCH_SLOTS
from vc4.isa.word import WORD_BYTES, AluWord, BranchWord

__all__ = ["VECTOR_ROWS", "Goal", "Node", "Program"]

#: Rows of the VPM that vectors can lie in.
VECTOR_ROWS = 64

#: Signals that end a program.
_ENDS = frozenset({Signal.PROGRAM_END, Signal.LOAD_COLOUR_END})
_SWITCHES = frozenset({Signal.THREAD_SWITCH, Signal.LAST_THREAD_SWITCH})
#: Instructions from the first one on that are counted.
_COUNTED = 1 + max(one.distance for one in HAZARDS if one.kind is Kind.START)

_NEVER_TAKEN = {BranchCondition.RESERVED_12, BranchCondition.RESERVED_13, BranchCondition.RESERVED_14}
_ADDRESSES = 1 << 32


@dataclass(frozen=True, slots=True)
class Goal:
    """Where a branch goes: a byte offset in the program, perhaps outside of it; `None` if a register says where."""

    offset: int | None


@dataclass(frozen=True, slots=True)
class Node:
    """An instruction at a place of a path.

    index : which instruction
    goal, slots : where a branch that is taken goes to, after how many more instructions, this one counted
    left : how many more instructions the program has, this one counted, if it ends
    held : how many more instructions neither branch nor end nor switch, this one counted, as they are after a thread switch
    number : how many instructions have run before, as long as a rule asks for that
    """

    index: int
    goal: Goal | None = None
    slots: int = 0
    left: int | None = None
    held: int = 0
    number: int | None = None

    @property
    def offset(self) -> int:
        """Byte offset of the instruction."""
        return self.index * WORD_BYTES


class Program:
    """The instructions `words`, which lie at the address `base`; the program may use `user_rows` rows of the VPM."""

    def __init__(self, words: Sequence[int], base: int = 0, user_rows: int = VECTOR_ROWS) -> None:
        self.words = words
        self.base = base
        self.user_rows = user_rows

    def goal(self, index: int) -> Goal | None:
        """Where the branch at `index` goes; `None` if it is no branch, or never taken."""
        fields = decode(self.words[index])
        if fields.layout is not BranchWord or fields.condition in _NEVER_TAKEN:
            return None
        if fields.register:
            return Goal(None)
        here = self.base + index * WORD_BYTES + LINK_BYTES if fields.relative else 0
        offset = (fields.immediate + here) % _ADDRESSES - self.base
        return Goal(offset // WORD_BYTES * WORD_BYTES)

    def choices(self, node: Node) -> list[bool]:
        """Whether `node` may be a branch that is taken, and whether it may be none."""
        # A branch too close after another one is lost, see R14.
        lost = node.slots > DELAY_SLOTS + 1 - BRANCH_DISTANCE or node.held > 0
        if lost or not self.goal(node.index):
            return [False]
        always = decode(self.words[node.index]).condition is BranchCondition.ALWAYS
        return [True] if always else [True, False]

    def following(self, node: Node, taken: bool) -> Iterator[Node]:
        """What runs after `node`, if that is inside of the program; `taken`: `node` is a branch, and taken."""
        index = self.next_index(node)
        if index is not None and index in range(len(self.words)) and self._left(node) != 0:
            yield self.moved(node, index, taken)

    def next_index(self, node: Node) -> int | None:
        """The instruction after `node`; `None` if a register says where."""
        if node.slots != 1 or node.goal is None:
            return node.index + 1
        return None if node.goal.offset is None else node.goal.offset // WORD_BYTES

    def moved(self, node: Node, index: int, taken: bool) -> Node:
        """`node` gone on to the instruction `index`; `taken`: it is a branch, and taken."""
        number = None if node.number is None or node.number + 1 >= _COUNTED else node.number + 1
        after = Node(index, left=self._left(node), held=self._held(node), number=number)
        if taken:
            return replace(after, goal=self.goal(node.index), slots=DELAY_SLOTS)
        return replace(after, goal=node.goal, slots=node.slots - 1) if node.slots > 1 else after

    def _left(self, node: Node) -> int | None:
        """How many instructions the program still has after `node`; `None` if it does not end."""
        if node.left is not None:
            return node.left - 1
        return END_SLOTS if self._signals(node, _ENDS) else None

    def _held(self, node: Node) -> int:
        """How many instructions after `node` are held."""
        if node.held:
            return node.held - 1
        return SWITCH_SLOTS if node.left is None and self._signals(node, _SWITCHES) else 0

    def _signals(self, node: Node, signals: frozenset[Signal]) -> bool:
        """Whether `node` has one of these signals, and is not held."""
        fields = decode(self.words[node.index])
        return not node.held and fields.layout is AluWord and fields.signal in signals

    def runs_off(self, node: Node) -> bool:
        """Whether the program may go on after its last instruction after `node`, without a branch."""
        last = node.index == len(self.words) - 1
        return last and node.slots != 1 and self._left(node) != 0
