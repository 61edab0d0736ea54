"""The paths through a program: branches, their delay slots, and the end."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from vc4.isa.decode import decode
from vc4.isa.ops import BranchCondition, Signal
from vc4.isa.timing import BRANCH_DISTANCE, DELAY_SLOTS, END_SLOTS, LINK_BYTES
from vc4.isa.word import WORD_BYTES, AluWord, BranchWord

__all__ = ["Flow", "Goal", "Node"]

#: Signals that end a program.
_ENDS = frozenset({Signal.PROGRAM_END, Signal.LOAD_COLOUR_END})

_NEVER_TAKEN = {BranchCondition.RESERVED_12, BranchCondition.RESERVED_13, BranchCondition.RESERVED_14}
_ADDRESSES = 1 << 32

_State = TypeVar("_State", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Goal:
    """Where a branch goes: a byte offset in the program, perhaps outside of it; `None` if a register says where."""

    offset: int | None


@dataclass(frozen=True, slots=True)
class Node:
    """An instruction at a place of a path.

    index : which instruction
    goal, slots : where a branch that is taken goes to, behind how many more instructions, this one counted
    left : how many more instructions the program has, this one counted, if it ends
    """

    index: int
    goal: Goal | None = None
    slots: int = 0
    left: int | None = None

    @property
    def offset(self) -> int:
        """Byte offset of the instruction."""
        return self.index * WORD_BYTES


class Flow:
    """The paths through `words`, which lie at the address `base`, from the instructions `entries` on.

    A target in a register ends a path. As it may be anything, a program with one has its other instructions checked too:
    the first that no path has reached begins one, until all are reached.

    entries : first instructions of the program
    roots : first instructions of all paths
    reached, indices : places on any path; their instructions
    """

    def __init__(self, words: Sequence[int], base: int = 0, entries: Sequence[int] = (0,)) -> None:
        self.words = words
        self.base = base
        self.entries = tuple(Node(index) for index in entries if index < len(words))
        self.reached: set[Node] = set()
        self.indices: set[int] = set()
        self.roots: list[Node] = []
        for node in self.entries:
            self._explore(node)
        if any(node.goal == Goal(None) for node in self.reached):
            for index in range(len(words)):
                if index not in self.indices:
                    self._explore(Node(index))

    def _explore(self, root: Node) -> None:
        self.roots.append(root)
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node not in self.reached:
                self.reached.add(node)
                self.indices.add(node.index)
                waiting += self.following(node)

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

    def following(self, node: Node) -> Iterator[Node]:
        """What may run behind `node`."""
        left = self._left(node)
        if left == 0:
            return
        for after in self._moves(node):
            if after.index in range(len(self.words)):
                yield replace(after, left=left)

    def runs_off(self, node: Node) -> bool:
        """Whether the program may go on behind its last instruction after `node`, without a branch."""
        last = node.index == len(self.words) - 1
        return last and node.slots != 1 and self._left(node) != 0

    def _left(self, node: Node) -> int | None:
        """How many instructions the program still has behind `node`; `None` if it does not end."""
        if node.left is not None:
            return node.left - 1
        fields = decode(self.words[node.index])
        return END_SLOTS if fields.layout is AluWord and fields.signal in _ENDS else None

    def _moves(self, node: Node) -> Iterator[Node]:
        """The next instruction for each way a branch can go, inside of the program or not."""
        lost = node.slots > DELAY_SLOTS + 1 - BRANCH_DISTANCE  # too close behind another branch, see R14
        goal = None if lost else self.goal(node.index)
        index = self._next_index(node)
        if index is None:
            return
        if goal:
            yield Node(index, goal, DELAY_SLOTS)
        if not goal or not self._always(node.index):
            slots = max(0, node.slots - 1)
            yield Node(index, node.goal if slots else None, slots)

    def _next_index(self, node: Node) -> int | None:
        """Where the path goes on; `None` if a register says where."""
        if node.slots != 1 or node.goal is None:
            return node.index + 1
        return None if node.goal.offset is None else node.goal.offset // WORD_BYTES

    def _always(self, index: int) -> bool:
        return decode(self.words[index]).condition is BranchCondition.ALWAYS

    def behind(self, node: Node, distance: int) -> set[Node]:
        """What may run `distance` instructions behind `node`."""
        nodes = {node}
        for _ in range(distance):
            nodes = {after for one in nodes for after in self.following(one)}
        return nodes

    def walk(self, start: _State, step: Callable[[Node, _State], _State]) -> Iterator[tuple[Node, _State]]:
        """Every place with every state in which a path can come there, before its instruction.

        Each root has the state `start`; `step` is the state behind an instruction. There must be few states.
        """
        waiting = [(root, start) for root in self.roots]
        seen = set()
        while waiting:
            pair = waiting.pop()
            if pair not in seen:
                seen.add(pair)
                yield pair
                state = step(*pair)
                waiting += [(after, state) for after in self.following(pair[0])]
