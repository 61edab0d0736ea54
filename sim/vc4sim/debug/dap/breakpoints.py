"""Breakpoints as the protocol sets them: all of a kind at once, which replace those before."""

from collections.abc import Sequence
from typing import Any

from ...problem import BadInput
from ..conditions import AtAddress, Condition, Stalls
from ..expression import condition
from ..session import Session
from .arguments import Arguments
from .views import Views

__all__ = ["EXCEPTIONS", "BreakpointSets", "address_of"]

_Object = dict[str, Any]
#: Filters of exceptions: what can stop a run by itself.
EXCEPTIONS = [{"filter": "stall", "label": "A QPU cannot go on", "default": False}]


def address_of(reference: str, offset: int = 0) -> int:
    """An address that this adapter has told. Raises `BadInput` if it is none."""
    try:
        return int(reference, 0) + offset
    except ValueError:
        raise BadInput(f"{reference}: is no address") from None


class BreakpointSets:
    """What clients have set, by kind: `reasons` has the reason of a stop for each number of a breakpoint."""

    def __init__(self, session: Session, views: Views):
        self.reasons: dict[int, str] = {}
        self._session, self._views = session, views
        self._sets: dict[str, list[int]] = {}

    def in_source(self, source: Arguments, lines: Sequence[int]) -> list[_Object]:
        """Of a file: each line, or the next one with an instruction."""
        file = source.word("path", "") or source.word("name", "")
        self._clear(f"source {file}")
        return [self._at_line(file, line) for line in lines]

    def at_instructions(self, wanted: Sequence[Arguments]) -> list[_Object]:
        """At addresses."""
        self._clear("instruction")
        found = []
        for one in wanted:
            address = address_of(one.word("instructionReference"), one.number("offset", 0))
            where = AtAddress(address=address, text=f"{address:#010x}")
            found.append(self._add("instruction", "instruction breakpoint", where, self._views.place(address)))
        return found

    def at_functions(self, names: Sequence[str]) -> list[_Object]:
        """At whatever a run can stop at, as the console has it: labels, `start fragment`."""
        return self._named("function", "function breakpoint", names)

    def at_data(self, names: Sequence[str]) -> list[_Object]:
        """Writes of registers and memory, see `data_id`."""
        return self._named("data", "data breakpoint", names)

    def at_exceptions(self, filters: Sequence[str]) -> list[_Object]:
        """See `EXCEPTIONS`."""
        self._clear("exception")
        return [self._add("exception", "exception", Stalls()) for _ in filters]

    def data_id(self, arguments: Arguments) -> tuple[str, str] | None:
        """The name of data for `at_data`, and what people read; `None` if it cannot be watched."""
        name = arguments.word("name")
        if reference := arguments.number("variablesReference", 0):
            found = self._views.register_of(reference, name)
            return (f"{found[1]} qpu {found[0]}", f"{found[1]} of QPU {found[0]}") if found else None
        if arguments.flag("asAddress", False):
            name = f"[{name}, {arguments.number('bytes', 1)}]"
        try:
            found = condition(name, self._session.listing, self._session.qpus)
        except BadInput:
            return None
        return None if isinstance(found, AtAddress | Stalls) else (str(found), str(found))

    def _named(self, kind: str, reason: str, names: Sequence[str]) -> list[_Object]:
        self._clear(kind)
        found = []
        for name in names:
            try:
                what = condition(name, self._session.listing, self._session.qpus)
            except BadInput as error:
                found.append({"verified": False, "message": str(error)})
                continue
            place = self._views.place(what.address) if isinstance(what, AtAddress) else {}
            found.append(self._add(kind, reason, what, place))
        return found

    def _at_line(self, file: str, line: int) -> _Object:
        """A line as the client counts."""
        wanted = line + 1 - self._views.first_line
        listing = self._session.listing
        numbers = sorted({number for name, number in listing.lines.values() if listing.is_file(name, file)})
        number = next((one for one in numbers if one >= wanted), None)
        if number is None:
            return {"verified": False, "line": line, "message": "there is no instruction on this line, nor after it"}
        address = listing.addresses_of(file, number)[0]
        where = AtAddress(address=address, text=f"{file.rpartition('/')[2]}:{number}")
        return self._add(f"source {file}", "breakpoint", where, self._views.place(address))

    def _add(self, kind: str, reason: str, what: Condition, place: _Object | None = None) -> _Object:
        number = self._session.add(what).number
        self._sets[kind].append(number)
        self.reasons[number] = reason
        reference = {"instructionReference": f"{what.address:#010x}"} if isinstance(what, AtAddress) else {}
        return {"id": number, "verified": True, **reference, **(place or {})}

    def _clear(self, kind: str) -> None:
        for number in self._sets.get(kind, []):
            self._session.remove(number)
        self._sets[kind] = []
