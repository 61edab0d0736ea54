"""The panes of the interface: each shows a part of the session as it is now."""

from collections.abc import Iterable

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from ...problem import BadInput
from ..expression import with_format
from ..formats import Format
from ..session import Session
from ..text import GROUPS, register_lines, source_lines, value_lines, where_lines

__all__ = ["MemoryPane", "Pane", "QpuPane", "RegisterPane", "SourcePane"]

#: How lines are marked: that which comes next, and breakpoints.
_CURRENT, _BROKEN = "reverse bold", "$error"
#: Lines of source where the pane is not laid out yet.
_LINES = 20


class Pane(Static):
    """Text of a session."""

    def __init__(self, session: Session, **options):
        super().__init__(**options)
        self.session = session

    def show(self) -> None:
        """As it is now."""
        self.update(Content("\n".join(self.lines())))

    def lines(self) -> Iterable[str]:
        """What it shows. May raise `BadInput`."""
        return ()


class SourcePane(Pane):
    """Instructions around the next one, which is marked."""

    BORDER_TITLE = "source"

    def show(self) -> None:
        """See `Pane`."""
        self.update(Content("\n").join(Content.styled(line, _style(line)) for line in self.lines()))

    def lines(self) -> Iterable[str]:
        """See `Pane`."""
        return source_lines(self.session, None, self.size.height or _LINES)


class QpuPane(Pane):
    """Where all QPUs are."""

    BORDER_TITLE = "QPUs"

    def lines(self) -> Iterable[str]:
        """See `Pane`."""
        return where_lines(self.session)


class RegisterPane(Pane):
    """A group of registers in a format.

    group, format : names, the next ones with `next_group` and `next_format`
    """

    group, format = next(iter(GROUPS)), Format.HEX

    def lines(self) -> Iterable[str]:
        """See `Pane`."""
        if isinstance(self.parent, Widget):
            self.parent.border_title = f"registers: {self.group}, {self.format.value}"
        return register_lines(self.session, GROUPS[self.group], self.format)

    def next_group(self) -> None:
        """Show the next group."""
        self.group = _after(list(GROUPS), self.group)
        self.show()

    def next_format(self) -> None:
        """Show numbers in the next way."""
        self.format = _after(list(Format), self.format)
        self.show()


class MemoryPane(Pane):
    """Memory, or whatever else the console prints.

    what : as after `print`
    """

    what = ""

    def lines(self) -> Iterable[str]:
        """See `Pane`."""
        what, format_ = with_format(self.what)
        try:
            return list(value_lines(self.session, what, format_)) if what else ()
        except BadInput as error:
            return [str(error)]


def _style(line: str) -> str:
    """That of a line of source, by its marks."""
    if line.startswith((" >", "*>")):
        return _CURRENT
    return _BROKEN if line.startswith("*") else ""


def _after(choices: list, one):
    """The next one, the first one after the last one."""
    return choices[(choices.index(one) + 1) % len(choices)]
