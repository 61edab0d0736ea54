"""A kind of campaign: what its items are, and how one is run."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import ClassVar, NamedTuple

from ..backends.base import Waves
from ..coverage.count import Cells
from ..coverage.groups import Group
from .job import Settings, SteeredCell

__all__ = ["Done", "Kind", "Small"]


class Done(NamedTuple):
    """An item that was the same on both sides: units of its kind, and instructions."""

    units: int
    instructions: int = 0


class Small(NamedTuple):
    """What is left of an item that fails: in lines, and the files with which it runs alone, by their names."""

    text: str
    files: dict[str, bytes] = {}


class Kind(ABC):
    """One kind of campaign.

    name : of the command
    unit : what is counted, a plural
    doc : what an item is, in a line
    config : the preset, if none is asked for
    configs : presets that it can have
    size : units of a job, which is to take some seconds
    item : units of an item, about
    most_shrinking : runs that make a failure small, at the most
    """

    name: ClassVar[str]
    unit: ClassVar[str]
    doc: ClassVar[str]
    config: ClassVar[str] = "gpu"
    configs: ClassVar[tuple[str, ...]] = ("gpu", "bcm2835")
    size: ClassVar[int]
    item: ClassVar[int] = 1
    most_shrinking: ClassVar[int] = 200

    @abstractmethod
    def groups(self, settings: Settings) -> tuple[Group, ...]:
        """What is covered."""

    @abstractmethod
    def run(
        self,
        settings: Settings,
        seed: int,
        cells: tuple[SteeredCell, ...],
        covered: Cells,
        *,
        on: str,
        waves: Waves | None = None,
    ) -> Done:
        """Run the item of a seed on the RTL and the model, and count what it covers if both do the same.

        Seed and cells decide all of it. Raises `Difference`, and what a check of the RTL raises.
        """

    def shrink(
        self,
        settings: Settings,
        seed: int,
        cells: tuple[SteeredCell, ...],
        told: Callable[[], object],
    ) -> Small | None:
        """Make an item small that fails; `None` if it does not fail again."""
        return None

    def steerable(self, groups: Iterable[Group]) -> tuple[Group, ...]:
        """Those whose cells the generator can be asked for."""
        return ()
