"""The paths through a program."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import TypeVar

from vc4.isa.word import WORD_BYTES

from .effects import acts, known_values
from .path_state import Turn
from .program import VECTOR_ROWS, Goal, Node, Program

__all__ = ["Flow"]

_State = TypeVar("_State", bound=Hashable)


class Flow(Program):
    """The paths through `words`, which lie at the address `base`, from the instructions `entries` on; see `Program`.

    A target in a register ends a path. As it may be anything, a program with one has its other instructions checked too:
    the first that no path has reached begins one, until all are reached.

    roots : first instructions of all paths
    reached, indices : places on any path; their instructions
    """

    def __init__(
        self, words: Sequence[int], base: int = 0, entries: Sequence[int] = (0,), user_rows: int = VECTOR_ROWS
    ) -> None:
        super().__init__(words, base, user_rows)
        self.reached: set[Node] = set()
        self.indices: set[int] = set()
        self.roots: list[Node] = []
        self._turns: dict[tuple[Node, bool], Turn] = {}
        for index in entries:
            if index < len(words):
                self._explore(Node(index, number=0))
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
                waiting += [after for taken in self.choices(node) for after in self.following(node, taken)]

    @cached_property
    def _targets(self) -> dict[int, int]:
        """Instructions that branches lead to, each with the byte offset of the first branch."""
        found: dict[int, int] = {}
        for index in sorted(self.indices):
            goal = self.goal(index)
            if goal and goal.offset is not None:
                found.setdefault(goal.offset // WORD_BYTES, index * WORD_BYTES)
        return found

    def turn(self, node: Node, taken: bool) -> Turn:
        """The turn of the instruction at `node`; `taken`: it is a branch, and taken."""
        if (node, taken) not in self._turns:
            branch = self._targets.get(node.index)
            word = self.words[node.index]
            self._turns[node, taken] = Turn(node, taken, self, acts(word, taken), branch, None, known_values(word))
        return self._turns[node, taken]

    def walk(self, start: _State, step: Callable[[Turn, _State], _State]) -> Iterator[tuple[Turn, _State]]:
        """Every turn with every state in which a path can come there, before its instruction.

        Each root has the state `start`; `step` is the state after a turn. There must be few states.
        """
        waiting = [(root, start) for root in self.roots]
        seen = set()
        while waiting:
            pair = waiting.pop()
            if pair not in seen:
                seen.add(pair)
                node, state = pair
                for taken in self.choices(node):
                    turn = self.turn(node, taken)
                    yield turn, state
                    waiting += [(after, step(turn, state)) for after in self.following(node, taken)]
