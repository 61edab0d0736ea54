"""What the control list executor hands to binner and renderer."""

from collections.abc import Iterable
from typing import Protocol

from .control_records import ControlRecord
from .primitives import Primitive

__all__ = ["Pipeline", "Recorder", "Work"]

#: What a pipeline does with what it is given, as an iterator: an item is a step, empty if the pipeline has got on, else
#: what it waits for. It is done where the iterator ends, and the executor hands over nothing else before that.
Work = Iterable[str]


class Pipeline(Protocol):
    """The binner, or the renderer. It gets only what the guide's table allows in lists of its thread, in their order.

    Records come with values that are not reserved; no primitive comes in front of a configuration and a shader state.
    A pipeline answers for everything else itself: it does not raise.
    """

    @property
    def out_of_memory(self) -> bool:
        """It waits for memory for tile lists."""
        ...

    def record(self, record: ControlRecord) -> Work:
        """State, a configuration, a store or load, a flush; or a list, whose primitives follow."""
        ...

    def primitive(self, primitive: Primitive) -> Work:
        """A primitive of the list."""
        ...

    def end_list(self) -> Work:
        """The list has no more primitives."""
        ...

    def reset(self) -> None:
        """Forget everything that is under way."""
        ...


class Recorder:
    """A pipeline that only keeps what it gets, for tests.

    taken : records, primitives, and `None` for the end of a list
    resets : times that it was reset
    """

    def __init__(self):
        self.taken: list[ControlRecord | Primitive | None] = []
        self.resets = 0
        self.out_of_memory = False

    def record(self, record: ControlRecord) -> Work:
        """Keep it."""
        self.taken.append(record)
        return ()

    def primitive(self, primitive: Primitive) -> Work:
        """Keep it."""
        self.taken.append(primitive)
        return ()

    def end_list(self) -> Work:
        """Keep that."""
        self.taken.append(None)
        return ()

    def reset(self) -> None:
        """Count it."""
        self.resets += 1
