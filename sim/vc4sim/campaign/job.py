"""What a campaign is, the jobs that it consists of, and what becomes of one."""

from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from vc4.config import V3DConfig, preset
from vc4.errata import errata_of

from ..limits import SEEDS
from ..problem import BadInput

__all__ = ["Failure", "Job", "Result", "Settings", "SteeredCell", "round_for"]

#: Of all jobs so many are a round, and so many at least: two rounds are all that can be done at a time.
_ROUNDS, _LEAST = 50, 8


class SteeredCell(NamedTuple):
    """A cell of which there is to be more.

    group : its name
    cell : its number in the group, counted over all dimensions
    weight : how much more, compared to others
    """

    group: str
    cell: int
    weight: int


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All that decides a campaign.

    kind : a name of `KINDS`
    count : units that are compared, at least: what a unit is says the kind
    seed : of the first item
    config : a preset
    errata : faults that the configuration has, too, as `--errata` has them; "" for none
    on : the simulator of the RTL
    size : units of a job, at least
    round : jobs of a round, which all have more of the same cells
    shrink_runs : runs at the most that make a failure small
    steer : cells that are rare get more weight
    """

    kind: str
    count: int
    seed: int
    config: str
    errata: str = ""
    on: str = "native"
    size: int
    round: int
    shrink_runs: int = 400
    steer: bool = True

    def __post_init__(self) -> None:
        if self.seed + self.count > SEEDS.stop:
            raise BadInput(f"a campaign has a seed for each unit: seed and count together are at most {SEEDS.stop}")

    @property
    def jobs(self) -> int:
        """How many there are."""
        return -(-self.count // self.size)

    @property
    def built(self) -> V3DConfig:
        """The configuration."""
        config = preset(self.config)
        return replace(config, errata=errata_of(self.errata)) if self.errata else config

    def round_of(self, number: int) -> int:
        """That of a job."""
        return number // self.round

    def jobs_of(self, round_: int) -> range:
        """The jobs of a round."""
        return range(round_ * self.round, min((round_ + 1) * self.round, self.jobs))

    def job(self, number: int, cells: tuple[SteeredCell, ...] = ()) -> "Job":
        """A job. Each item is at least one unit, so that no seed comes twice."""
        first = number * self.size
        return Job(self, number, self.seed + first, min(self.size, self.count - first), cells)

    @property
    def fields(self) -> dict[str, Any]:
        """As JSON has them."""
        return asdict(self)


class Job(NamedTuple):
    """Items with one seed after the other, until so many units are compared.

    number : from 0 on
    seed : of the first item
    units : at least
    cells : of which there is to be more
    """

    settings: Settings
    number: int
    seed: int
    units: int
    cells: tuple[SteeredCell, ...] = ()


def round_for(count: int, size: int) -> int:
    """Jobs of a round, if nobody asks for a number: few enough for what is rare to count soon, and enough for many workers."""
    return max(_LEAST, -(-count // size) // _ROUNDS)


class Failure(NamedTuple):
    """An item that fails.

    seed : of the item
    what : the kind of failure, in capitals
    text : all about it
    small : what is left of it when it is made small, in lines; "" if it was not made small
    files : those with which what is left runs alone, by their names
    """

    seed: int
    what: str
    text: str
    small: str = ""
    files: dict[str, bytes] = {}


class Result(NamedTuple):
    """What becomes of a job.

    units, items, instructions : that were the same
    seconds, processor : that it took, and of these the seconds in which the worker had a processor
    cells : what it has covered, as `Cells.packed` gives it
    failures : items that fail
    worker : who has run it
    sources : a digest of the sources that the worker has
    """

    units: int
    items: int
    instructions: int
    seconds: float
    processor: float
    cells: bytes
    failures: tuple[Failure, ...]
    worker: str
    sources: str
