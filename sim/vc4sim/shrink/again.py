"""Says whether something fails again as it did."""

import re
from collections.abc import Callable
from typing import Generic, TypeVar

from ..lockstep import Difference

__all__ = ["Again", "error_of", "kind_of"]

Some, Job = TypeVar("Some"), TypeVar("Job")
#: A number in any base that a message has.
_NUMBER = re.compile(r"(?:0x)?[0-9a-f]*\d[0-9a-f]*")


def error_of(run: Callable[[], object]) -> Difference | AssertionError | None:
    """What goes wrong in a run; a check of the hardware is an `AssertionError`."""
    try:
        run()
    except (Difference, AssertionError) as error:
        return error
    return None


def kind_of(error: Difference | AssertionError) -> str:
    """What went wrong, but for where, and how often something had gone right before."""
    what = error.what if isinstance(error, Difference) else str(error)
    return _NUMBER.sub("#", what.partition("\n")[0])


class Again(Generic[Some, Job]):
    """Tries parts of what has failed with `error`. Call it with a part: whether that fails, too, and in the same way.

    Parameters
    ----------
    error : of the whole
    make : the job of a part; raises `ValueError` if that makes no sense, which is no failure
    run : runs a job
    most : runs at the most; after them nothing fails any more
    told : called after each run

    Attributes
    ----------
    error : of the last part that failed
    runs : until now
    """

    def __init__(
        self,
        error: Difference | AssertionError,
        make: Callable[[Some], Job],
        run: Callable[[Job], object],
        most: int,
        told: Callable[[], object],
    ):
        self.error, self.runs = error, 0
        self._kind = kind_of(error)
        self._make, self._run, self._most, self._told = make, run, most, told

    def __call__(self, part: Some) -> bool:
        if self.runs >= self._most:
            return False
        try:
            job = self._make(part)
        except ValueError:
            return False
        self.runs += 1
        error = error_of(lambda: self._run(job))
        self._told()
        if error is None or kind_of(error) != self._kind:
            return False
        self.error = error
        return True
