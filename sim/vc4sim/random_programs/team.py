"""Runs of random programs on several QPUs."""

import random
import struct

from vc4.config import V3DConfig
from vc4.isa.word import WORD_BYTES

from ..backends.base import Job, Launch
from .job import BASE, LINE_BYTES
from .lookups import LookupMember
from .member import MOST_MEMBERS, MOST_ROWS, Member, Role
from .place import Place
from .program import OUTPUT_BYTES
from .textures import Textures
from .values import random_value
from .wanted import NOTHING, Wanted

__all__ = ["random_team"]

#: Where the uniforms of a program begin: one of so many words.
_FIRST_UNIFORMS = 64
#: How much longer than asked for a program can be.
_MARGIN = 300


def random_team(
    seed: int,
    length: int,
    config: V3DConfig,
    *,
    base: int = BASE,
    output: int | None = None,
    qpus: int | None = None,
    vpm_rows: range = range(MOST_ROWS),
    meets: bool = True,
    wanted: Wanted = NOTHING,
    **memory,
) -> Job:
    """A run of two or more random programs of about `length` words each; the same `seed` gives the same run.

    base : where they lie, with all that they need; a multiple of 4 KiB
    output : where the memory into which they write begins, if that is elsewhere, in front of them: what they look up lies after,
        and somebody may write in front of it meanwhile
    qpus : that they may run on, `None`: all
    vpm_rows : that they may use
    meets : they wait for each other, by semaphores that no other team has then
    wanted : what programs are to have more of

    There are at most half as many more as they have QPUs, on one QPU one or two. They wait for each other in a ring if they all run at the same
    time. Each has rows of the VPM and memory of its own, and there are rows for which they take the mutex.
    `memory` may give `latency` and `gap` of the memory, see `Job`.
    """
    random_ = random.Random(seed)
    count = qpus or config.qpus
    members = random_.randrange(2, min(count + count // 2, MOST_MEMBERS) + 1) if count > 1 else random_.randrange(1, 3)
    meetings = random_.randrange(1, 8) if meets and 1 < members <= count else 0
    room = -(-(length + _MARGIN) * WORD_BYTES // LINE_BYTES) * LINE_BYTES
    outputs = base + members * room if output is None else output
    uniforms = base + members * (room + (OUTPUT_BYTES if output is None else 0))
    # A program runs a few times as many instructions as it has, and each reads one uniform at the most.
    uniform_words = _FIRST_UNIFORMS + 8 * (length + _MARGIN)
    textures = Textures(random_, Textures.address(uniforms + 4 * uniform_words)) if config.tmus_per_slice else None
    kind = LookupMember if textures else Member
    codes, launches = [], []
    for number in range(members):
        place = Place(
            *(base + number * room, uniforms, outputs + number * OUTPUT_BYTES),
            textures.all if textures else (),
            output is not None,
        )
        words = kind(random_, length, place, Role(number, members, meetings, vpm_rows), wanted).words
        codes.append(struct.pack(f"<{len(words)}Q", *words).ljust(room, b"\0"))
        assert len(codes[-1]) == room, "the program is longer than its room"
        launches.append(Launch(place.base, uniforms + 4 * random_.randrange(_FIRST_UNIFORMS)))
    numbers = b"".join(struct.pack("<I", random_value(random_)) for _ in range(uniform_words))
    image = b"".join(codes) + (bytes(members * OUTPUT_BYTES) if output is None else b"") + numbers
    if textures:
        image = image.ljust(textures.first - base, b"\0") + textures.image
    return Job(
        image=image,
        base=base,
        launches=tuple(launches),
        config=config,
        seed=seed,
        max_cycles=members * (400 * length + 10_000),
        **memory,
    )
