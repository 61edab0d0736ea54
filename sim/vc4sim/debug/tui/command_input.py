"""The line for commands, with those before."""

from collections.abc import Sequence

from textual.binding import Binding
from textual.suggester import SuggestFromList
from textual.widgets import Input

__all__ = ["CommandInput"]


class CommandInput(Input):
    """The arrow keys bring back what was typed before; the right one takes what is proposed."""

    BINDINGS = [Binding("up", "recall(-1)", show=False), Binding("down", "recall(1)", show=False)]

    def __init__(self, names: Sequence[str], **options):
        super().__init__(suggester=SuggestFromList(names), **options)
        self._typed: list[str] = []
        self._place = 0

    def remember(self) -> None:
        """What is in the line was a command; the line is empty then."""
        self._typed.append(self.value)
        self._place = len(self._typed)
        self.value = ""

    def action_recall(self, distance: int) -> None:
        """Go to a command before, or after."""
        self._place = min(max(self._place + distance, 0), len(self._typed))
        self.value = self._typed[self._place] if self._place < len(self._typed) else ""
        self.cursor_position = len(self.value)
