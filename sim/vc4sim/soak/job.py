"""An episode as the RTL gets it."""

import dataclasses
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from vc4.regs.table import register

from ..bench.writer import HostWrite
from ..frames.draw import DrawJob
from ..frames.job import given
from ..launch import Launch
from ..random_frames import FrameImage, RandomFrame
from ..render.host import BEGINNING, FRAME_DONE
from .acts import Act, HostAct, Spoiling
from .episode import Asked, Episode, Part, things_of, vpm_blocks

__all__ = ["SoakJob", "episode_job"]

_RESERVATION_BITS, _QPUS = 4, 8
_MAIN, _OVERSPILL, _PROGRAMS, _ACTS = range(4)
_MOST_CLOCKS = 30_000_000


@dataclass(frozen=True, kw_only=True)
class SoakJob(DrawJob):
    """Frames, user programs beside them, and acts of the host.

    asked, acts : see `Episode`
    reserved : of each QPU, the kinds that it does not run
    spoilt : numbers of frames that are not drawn to their ends, and what happens to each
    loose : memory into which they store, first addresses and those after the last ones
    programs : memory from here on is for programs of users
    """

    asked: tuple[Asked, ...] = ()
    acts: tuple[Act, ...] = ()
    reserved: tuple[int, ...] = ()
    spoilt: tuple[tuple[int, Spoiling], ...] = ()
    loose: tuple[tuple[int, int], ...] = ()
    programs: int
    max_cycles: int = _MOST_CLOCKS
    whole: ClassVar[bool] = True

    @property
    def frames(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """Those that are drawn to their ends."""
        spoilt = dict(self.spoilt)
        return tuple(one for number, one in enumerate((self.registers, *self.then)) if number not in spoilt)

    @property
    def launches(self) -> list[Launch]:
        """Programs of users."""
        return [asked.launch for asked in self.asked]

    @property
    def halts(self) -> bool:
        """QPUs are halted now and then: programs that are ending lose what is left of them then."""
        return any(act.halts for act in self.acts)

    @property
    def writes(self) -> list[HostWrite]:
        """See `DrawJob`: frames in a script of their own, memory for the binner and programs, too, and each act."""
        overspill = [HostWrite(clock, register(name).offset, word) for clock, name, word in given(self.overspill)]
        return [
            *self._main(),
            *(write._replace(script=_OVERSPILL) for write in overspill),
            *self._programs(),
            *(
                write
                for script, act in enumerate(self.acts, _ACTS)
                for write in _writes(act.writes, act.frame, act.clock, script)
            ),
        ]

    def _main(self) -> Iterator[HostWrite]:
        words = [
            sum(
                kinds << _RESERVATION_BITS * number for number, kinds in enumerate(self.reserved[first : first + _QPUS])
            )
            for first in (0, _QPUS)
        ]
        setup = (
            *dict(BEGINNING).items(),
            *(("INTENA", FRAME_DONE), ("INTDIS", 0xFFFF_FFFF ^ FRAME_DONE), ("VPMBASE", vpm_blocks(self.config))),
            *zip(("SQRSV0", "SQRSV1"), words, strict=True),
        )
        spoilt = dict(self.spoilt)
        for number, registers in enumerate((self.registers, *self.then)):
            for name, word in (*(() if number else setup), ("INTCTL", FRAME_DONE), *registers):
                yield HostWrite(0, register(name).offset, word, number)
            if number in spoilt:
                spoiling = spoilt[number]
                yield from _writes((*spoiling.before(), *spoiling.after(number)), number, 0, _MAIN)

    def _programs(self) -> Iterator[HostWrite]:
        for asked in self.asked:
            launch = asked.launch
            for name, word in (("SRQUA", launch.uniforms), ("SRQUL", launch.length), ("SRQPC", launch.pc)):
                yield HostWrite(asked.clock, register(name).offset, word, asked.frame, _PROGRAMS)


def _writes(acts: Iterable[HostAct], frame: int, clock: int, script: int) -> Iterator[HostWrite]:
    """One after the other, from a clock of a frame on."""
    for pause, where, word in acts:
        clock += pause
        yield HostWrite(clock, register(where).offset if isinstance(where, str) else where, word, frame, script)


def _stores(frame: RandomFrame) -> Iterator[tuple[int, int]]:
    """What it may store into."""
    yield frame.stores, frame.records
    if frame.binning:
        yield frame.binning.first, frame.binning.end


def episode_job(
    episode: Episode, kept: Collection[Part] | None = None, *, latency: int | None = None, gap: float | None = None
) -> SoakJob:
    """The run of an episode, or of what is kept of it: at least a frame."""
    left = set(episode.parts if kept is None else kept)
    image, registers = bytearray(episode.end), []
    places = episode.drawn(left)
    for number in places:
        frame = episode.frames[number]
        drawn = FrameImage(frame, things_of(number, left))
        image[frame.base : frame.end] = drawn.bytes[frame.base :]
        registers.append(drawn.registers)
    asked: list[Asked] = []
    for number, team in enumerate(episode.teams):
        if Part("team", number) in left:
            image[team.base : team.base + len(team.image)] = episode.team_image(number)
            asked += [one for one in episode.asked if one.launch in team.launches]

    def place(frame: int) -> int:
        """Which of those that are left."""
        return min(sum(one < frame for one in places), len(places) - 1)

    return SoakJob(
        image=bytes(image),
        registers=registers[0],
        then=tuple(registers[1:]),
        config=dataclasses.replace(episode.config, trace=True),
        latency=episode.latency if latency is None else latency,
        gap=episode.gap if gap is None else gap,
        seed=episode.seed,
        asked=tuple(one._replace(frame=place(one.frame)) for one in asked),
        acts=tuple(
            act._replace(frame=place(act.frame))
            for number, act in enumerate(episode.acts)
            if Part("act", number) in left
        ),
        reserved=tuple(episode.reserved),
        spoilt=tuple((places.index(number), one) for number, one in episode.spoilt.items() if number in places),
        loose=tuple(place for number in episode.spoilt for place in _stores(episode.frames[number])),
        overspill=tuple(
            block
            for number in places
            for binning in [episode.frames[number].binning]
            if binning
            for block in binning.overspill
        ),
        programs=episode.programs,
    )
