"""A random episode: frames one after the other on one GPU, user programs beside them, and a host that meddles."""

import struct
from collections.abc import Container, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from vc4.config import V3DConfig
from vc4.isa.ops import Signal
from vc4.isa.word import WORD_BYTES
from vc4.regs.scheduler import KINDS, REQUESTS

from ..backends.base import Job
from ..launch import Launch
from ..random_frames import RandomFrame
from ..random_frames.values import Random
from ..random_programs import random_team
from ..random_programs.program import OUTPUT_BYTES
from .acts import Spoiling, Stage, random_acts, random_moment, random_spoiling

__all__ = ["USER", "Asked", "Episode", "Part", "things_of", "vpm_blocks"]

_PAGE = 0x1000
_LATENCIES = (1, 4, 9, 20, 20, 40, 120)
_GAPS = (0.0, 0.0, 0.0, 0.1, 0.3, 0.6)
_BLOCK_ROWS = 4
#: The bit of reservations for programs of users.
USER = 1 << KINDS.index("user")
_SHADERS = (1 << len(KINDS)) - 1 - USER


def vpm_blocks(config: V3DConfig) -> int:
    """Blocks of four rows of the VPM that are for user programs: a quarter of it."""
    return config.vpm_rows // 4 // _BLOCK_ROWS


class Part(NamedTuple):
    """Something that can be left out: the number of a frame, of a thing of it, of a program, of an act."""

    kind: str
    number: int
    thing: int = 0


class Asked(NamedTuple):
    """A user program.

    frame, clock : when it is asked for
    """

    frame: int
    clock: int
    launch: Launch

    def __str__(self) -> str:
        return f"program {self.launch.pc:#010x}: frame {self.frame}, clock {self.clock}"


class Episode:
    """What a seed makes on a configuration.

    frames : one after the other, each in memory of its own
    teams : user programs with their memory, after that of the frames
    asked : when which of them is asked for
    acts : of the host
    programs : memory of programs begins there
    reserved : of each QPU, the kinds of programs that it does not run
    spoilt : frames that are not drawn to their ends, by their numbers; then user programs and shaders have QPUs of their own
    latency, gap : of memory
    """

    def __init__(self, seed: int, config: V3DConfig):
        self.seed, self.config = seed, config
        rng = Random(f"soak {seed}")
        self.frames: list[RandomFrame] = []
        self.spoilt: dict[int, Spoiling] = {}
        count, spoils = rng.choice((1, 2, 2, 3, 4)), rng.chance(0.25)
        self._add_frames(rng, count + spoils, spoils=spoils, bins=rng.chance(0.5))
        self.latency, self.gap = rng.choice(_LATENCIES), rng.choice(_GAPS)
        stage = Stage(config.qpus, len(self.frames), any(frame.binning for frame in self.frames), spoils)
        self.acts = list(random_acts(rng, stage))
        if spoils:
            self._spoil(rng)
        self.reserved, users = self._divide(rng)
        self.programs = base = -(-self.frames[-1].end // _PAGE) * _PAGE
        self.teams: list[Job] = []
        self.asked: list[Asked] = []
        teams = rng.choice((0, 1, 1, 2, 3)) if users else 0
        # All that programs write lies in front of all that they look up.
        output, base = base, base + teams * 2 * users * OUTPUT_BYTES
        # One team is asked for after the other, and only the first one waits for each other: all of it runs at the same time.
        begins = sorted((rng.randrange(len(self.frames)), random_moment(rng)) for _ in range(teams))
        for number, (frame, clock) in enumerate(begins):
            team = self._team(rng, base, output, users, self._rows(number, teams), meets=number == 0)
            if len(self.asked) + len(team.launches) > REQUESTS:
                break  # The host asks without a look at how many requests wait.
            self.teams.append(team)
            base += -(-len(team.image) // _PAGE) * _PAGE
            output += len(team.launches) * OUTPUT_BYTES
            for launch in team.launches:
                self.asked.append(Asked(frame, clock, launch))
                clock += random_moment(rng, 10)
        self.end = base

    def _add_frames(self, rng: Random, count: int, *, spoils: bool, bins: bool) -> None:
        """Each in memory after the one before."""
        base = 0
        for number in range(count):
            frame = RandomFrame(rng.getrandbits(31), base)
            if bins and rng.chance(0.7):
                # What a spoilt frame has taken of what the host gives nobody knows.
                frame.bin(rng, ample=spoils)
            if spoils and number:
                frame.begin_clear()  # Nor what it leaves in the tile buffer.
            self.frames.append(frame)
            base = -(-frame.end // _PAGE) * _PAGE

    def _spoil(self, rng: Random) -> None:
        """Some frames, but the last one is drawn."""
        for number, frame in enumerate(self.frames[:-1]):
            if rng.chance(0.7) or number == 0:
                refusable = [
                    (frame.stores, frame.records),
                    (frame.loads, frame.texels),
                    (frame.texels, frame.texels_end),
                ]
                if frame.binning:
                    refusable.append((frame.binning.first, frame.binning.end))
                self.spoilt[number] = random_spoiling(rng, refusable)

    def _divide(self, rng: Random) -> tuple[list[int], int]:
        """Which kinds QPUs do not run; how many run those of users."""
        count = self.config.qpus
        if self.spoilt and count == 1:
            return [USER], 0
        if count == 1 or (not self.spoilt and rng.chance(0.4)):
            return [0] * count, count
        users = rng.randrange(1, count)
        shared = 0 if rng.chance(0.3) and not self.spoilt else USER
        reserved = [_SHADERS] * users + [shared] * (count - users)
        rng.shuffle(reserved)
        return reserved, sum(not kinds & USER for kinds in reserved)

    def _rows(self, team: int, teams: int) -> range:
        """Rows of the VPM for one of so many teams: the next one begins while the last ones of a team still run."""
        count = vpm_blocks(self.config) * _BLOCK_ROWS // teams
        return range(team * count, (team + 1) * count)

    def _team(self, rng: Random, base: int, output: int, users: int, rows: range, *, meets: bool) -> Job:
        return random_team(
            rng.getrandbits(31),
            rng.choice((20, 60, 150)),
            self.config,
            base=base,
            output=output,
            qpus=users,
            vpm_rows=rows,
            meets=meets,
        )

    @cached_property
    def parts(self) -> list[Part]:
        """All that can be left out, the largest first."""
        return [
            *(Part("frame", number) for number in range(len(self.frames))),
            *(Part("team", number) for number in range(len(self.teams))),
            *(Part("act", number) for number in range(len(self.acts))),
            *(
                Part("thing", number, thing)
                for number, frame in enumerate(self.frames)
                for thing in range(len(frame.things))
            ),
        ]

    @property
    def debugs(self) -> bool:
        """The host halts QPUs: breakpoints would, too."""
        return any(act.halts for act in self.acts)

    def team_image(self, number: int) -> bytes:
        """Memory of a team, without breakpoints if they would halt."""
        team = self.teams[number]
        return bytes(_without_breakpoints(team)) if self.debugs else team.image

    def drawn(self, kept: Container[Part]) -> list[int]:
        """The frames of what is kept. An episode is over when a frame is drawn to its end: the last one always is."""
        last = len(self.frames) - 1
        numbers = [number for number in range(last + 1) if Part("frame", number) in kept]
        return numbers if numbers and numbers[-1] not in self.spoilt else [*numbers, last]

    def lines(self, kept: set[Part]) -> Iterator[str]:
        """What is left, in words."""
        yield f"latency {self.latency}, gap {self.gap}, reservations {' '.join(f'{one:x}' for one in self.reserved)}"
        for number in self.drawn(kept):
            frame = self.frames[number]
            how = f", {self.spoilt[number]}" if number in self.spoilt else ""
            yield f"frame {number}, of seed {frame.seed} at {frame.base:#x}{how}"
            yield from (f"  {thing}" for thing in frame.left(things_of(number, kept)))
        for number, team in enumerate(self.teams):
            if Part("team", number) in kept:
                yield from map(str, (asked for asked in self.asked if asked.launch in team.launches))
        yield from (str(act) for number, act in enumerate(self.acts) if Part("act", number) in kept)


def things_of(number: int, kept: Iterable[Part]) -> set[int]:
    """What is kept of a frame, numbers of its things."""
    return {part.thing for part in kept if part.kind == "thing" and part.number == number}


def _without_breakpoints(team: Job) -> bytearray:
    """Memory of a team whose instructions have no signal instead."""
    image, ends = bytearray(team.image), [launch.pc for launch in team.launches][1:]
    room = team.launches[1].pc - team.base if ends else 0
    end = team.launches[-1].pc - team.base + (room or len(image))
    for at in range(0, min(end, len(image) // WORD_BYTES * WORD_BYTES), WORD_BYTES):
        (word,) = struct.unpack_from("<Q", image, at)
        if word >> 60 == Signal.BREAKPOINT.value:
            struct.pack_into("<Q", image, at, word | Signal.NONE.value << 60)
    return image
