"""What a host does while frames are drawn."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..bench.memory import chance_of
from ..bench.writer import FRAMES_DRAWN, MEMORY_GAPS, MEMORY_REFUSED, MEMORY_REFUSED_END
from ..random_frames.values import Random

__all__ = ["RESETS", "Act", "HostAct", "Spoiling", "Stage", "random_acts", "random_moment", "random_spoiling"]

#: CTRUN and CTSUBS of CTnCS.
_STOP, _GO_ON = 1 << 5, 1 << 4
#: What resets binner and renderer and their lists: CTRSTA, BMRST and RMRST.
RESETS = (("CT0CS", 1 << 15), ("CT1CS", 1 << 15), ("PCS", 0b11 << 4))
_BUS_BYTES = 8
#: Clocks after the beginning of a frame, and between the writes of an act: up to so many bits.
_MOMENT_BITS, _PAUSE_BITS = 14, 9
_MOST_ACTS = 8
_GAPS = (0.0, 0.1, 0.3, 0.6, 0.9)


class HostAct(NamedTuple):
    """A write: clocks after the one before, name or offset of the register, word."""

    pause: int
    where: str | int
    word: int


class Stage(NamedTuple):
    """What acts are about: how many QPUs and frames there are; whether some of these are binned, or spoilt."""

    qpus: int
    frames: int
    bins: bool
    spoils: bool


class Act(NamedTuple):
    """Writes one after the other.

    frame, clock : when the first one is due: so many clocks after the beginning of a frame
    halts : QPUs are halted
    """

    name: str
    frame: int
    clock: int
    writes: tuple[HostAct, ...]
    halts: bool = False

    def __str__(self) -> str:
        writes = ", ".join(
            f"+{pause} {where if isinstance(where, str) else 'gaps'}={word:#x}" for pause, where, word in self.writes
        )
        return f"{self.name}: frame {self.frame}, clock {self.clock}: {writes}"


class Spoiling(NamedTuple):
    """A frame that is not drawn to its end: the host resets what draws.

    clock : so many clocks after its beginning
    refused : addresses that memory refuses until then, the first one and the one after the last; the same: none
    refusals : clocks after the beginning of the frame from which on it does, and the lists are stopped
    stops : control lists, names of their registers
    """

    clock: int
    refused: tuple[int, int] = (0, 0)
    refusals: int = 0
    stops: tuple[str, ...] = ()

    def before(self) -> Iterator[HostAct]:
        """What comes after the beginning of the frame."""
        yield HostAct(self.refusals, MEMORY_REFUSED_END, 0)
        if self.refused[1]:
            yield HostAct(0, MEMORY_REFUSED, self.refused[0])
            yield HostAct(0, MEMORY_REFUSED_END, self.refused[1])
        for name in self.stops:
            yield HostAct(0, name, _STOP)

    def after(self, number: int) -> Iterator[HostAct]:
        """What ends it, the frame `number` of all."""
        for pause, (name, word) in zip((self.clock - self.refusals, 0, 0), RESETS, strict=True):
            yield HostAct(pause, name, word)
        yield HostAct(0, MEMORY_REFUSED_END, 0)
        yield HostAct(0, "L2CACTL", 4)
        yield HostAct(0, "SLCACTL", 0x0F0F_0F0F)
        yield HostAct(0, "INTCTL", 0xF)
        yield HostAct(0, FRAMES_DRAWN, number + 1)

    def __str__(self) -> str:
        first, end = self.refused
        refused = f", {first:#x} to {end:#x} refused from clock {self.refusals} on" if end else ""
        stops = f", {' and '.join(self.stops)} stopped" if self.stops else ""
        return f"reset at clock {self.clock}{refused}{stops}"


def random_spoiling(rng: Random, refusable: Sequence[tuple[int, int]]) -> Spoiling:
    """At any time; `refusable` : addresses that memory may refuse, of which it perhaps refuses some."""
    clock, refusals = random_moment(rng), 0
    stops = tuple(name for name in ("CT0CS", "CT1CS") if rng.chance(0.1))
    if stops:
        refusals = rng.randrange(clock + 1)
    if rng.chance(0.5):
        return Spoiling(clock, refusals=refusals, stops=stops)
    first, end = rng.choice(refusable)
    size = min(1 << rng.randrange(6, 20), end - first)
    at = first + rng.randrange(end - first - size + 1)
    refusals = rng.randrange(clock + 1)
    return Spoiling(clock, (at & -_BUS_BYTES, at + size & -_BUS_BYTES), refusals, stops)


def random_moment(rng: Random, bits: int = _MOMENT_BITS) -> int:
    """A number of clocks, of any size."""
    return rng.randrange(1 << rng.randrange(1, bits + 1))


def _halt(rng: Random, stage: Stage) -> tuple[HostAct, ...]:
    """Some QPUs are halted for a while, make single steps, and go on."""
    mask = rng.randrange(1, 1 << stage.qpus)
    steps = [
        HostAct(random_moment(rng, _PAUSE_BITS), "DBQSTP", mask if rng.chance(0.7) else rng.getrandbits(stage.qpus))
        for _ in range(rng.choice((0, 0, 1, 3, 10, 30)))
    ]
    ends = [HostAct(random_moment(rng), "DBQRUN", mask)]
    return (HostAct(0, "DBCFG", 1), HostAct(0, "DBQHLT", mask), *steps, *ends)


def _stop(rng: Random, stage: Stage) -> tuple[HostAct, ...]:
    """A list thread stops and goes on, perhaps many times. A stop ends the wait of a rendering list for a binning list."""
    thread = "CT0CS" if stage.bins else "CT1CS"
    pauses = rng.choice((1, 1, 2, 5, 20))
    return tuple(
        one
        for _ in range(pauses)
        for one in (
            HostAct(random_moment(rng, _PAUSE_BITS), thread, _STOP),
            HostAct(random_moment(rng, _PAUSE_BITS), thread, _GO_ON),
        )
    )


def _gaps(rng: Random, stage: Stage) -> tuple[HostAct, ...]:
    """Memory is slow for a while, and fast, and then as it will."""
    return tuple(
        HostAct(random_moment(rng), MEMORY_GAPS, chance_of(rng.choice(_GAPS))) for _ in range(rng.randrange(1, 6))
    )


def _caches(rng: Random, stage: Stage) -> tuple[HostAct, ...]:
    """Caches are cleared, or the large one is switched off for a while."""
    found: list[HostAct] = []
    for _ in range(rng.choice((1, 2, 10))):
        pause = random_moment(rng, _PAUSE_BITS)
        match rng.randrange(3):
            case 0:
                found.append(HostAct(pause, "L2CACTL", 4))
            case 1:
                found.append(HostAct(pause, "SLCACTL", rng.choice((0x0F0F_0F0F, rng.getrandbits(32)))))
            case _:
                found += [HostAct(pause, "L2CACTL", 2), HostAct(random_moment(rng, _PAUSE_BITS), "L2CACTL", 1)]
    return tuple(found)


def _limits(rng: Random, stage: Stage) -> tuple[HostAct, ...]:
    """How often shaders of vertices are passed over."""
    return tuple(HostAct(random_moment(rng), "SQCNTL", rng.getrandbits(4)) for _ in range(rng.randrange(1, 4)))


_KINDS: tuple[tuple[str, Callable[[Random, Stage], tuple[HostAct, ...]], int], ...] = (
    ("halt", _halt, 4),
    ("stop", _stop, 3),
    ("memory", _gaps, 2),
    ("caches", _caches, 2),
    ("scheduler", _limits, 1),
)


def random_acts(rng: Random, stage: Stage) -> Iterator[Act]:
    """Some, at any time of any frame."""
    for _ in range(rng.randrange(_MOST_ACTS + 1)):
        # To let a list go on that was reset would run what is left of it.
        kinds = [kind for kind in _KINDS if not (stage.spoils and kind[1] is _stop)]
        ((name, make, _),) = rng.choices(kinds, [weight for _, _, weight in kinds])
        yield Act(name, rng.randrange(stage.frames), random_moment(rng), make(rng, stage), name == "halt")
