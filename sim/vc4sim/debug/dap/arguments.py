"""The arguments of requests, with their types checked."""

from ...workload.fields import Fields

__all__ = ["Arguments"]

_LARGEST = 1 << 53


class Arguments(Fields):
    """An object of a request: as `Fields`, and with what may be missing, or null.

    Every method raises `BadInput` if there is something of another type, or nothing and no value for that.
    """

    def has(self, name: str) -> bool:
        """Whether it is there."""
        return self._value.get(name) is not None

    def number(self, name: str, otherwise: int | None = None) -> int:
        """An integer."""
        return self.integer(name, -_LARGEST, _LARGEST) if otherwise is None or self.has(name) else otherwise

    def word(self, name: str, otherwise: str | None = None) -> str:
        """A line of text."""
        return self.text(name) if otherwise is None or self.has(name) else otherwise

    def flag(self, name: str, otherwise: bool) -> bool:
        """Yes or no."""
        value = self._value.get(name)
        if value is not None and not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return otherwise if value is None else value

    def list(self, name: str) -> "list[Arguments]":
        """Objects, none if they are missing."""
        return list(self.objects(name, some=False)) if self.has(name) else []
