"""Runs of random programs."""

import random
import struct
from dataclasses import replace

from vc4.config import V3DConfig
from vc4.isa.word import WORD_BYTES

from ..backends.base import Job, Launch
from .lawful import lawful
from .lookups import LookupProgram
from .place import Place
from .program import OUTPUT_BYTES, UNIFORM_BYTES, Program
from .textures import Textures
from .values import random_value
from .wanted import NOTHING, Wanted

__all__ = ["BASE", "LINE_BYTES", "random_job"]

BASE = 0x1_0000
LINE_BYTES = 64
#: How much longer than asked for a program can be.
_MARGIN = 200


def random_job(seed: int, length: int, config: V3DConfig, *, times: int = 1, wanted: Wanted = NOTHING, **memory) -> Job:
    """A run of random programs of about `length` words in all; the same `seed` gives the same run, with what is `wanted`.

    It is one program, or a few one after the other, or a few of which two share the first QPU. One run of twenty keeps to the rules
    of `vc4 check`, as far as its frame lets it.

    times : that all of them run, one time after the other, from other uniforms; what they begin with is what the time before left

    `memory` may give `latency` and `gap` of the memory, see `Job`.
    """
    random_ = random.Random(seed)
    number = random_.choice((1, 1, 1, 2, 3))
    mostly_threaded = random_.random() < 0.8
    is_lawful = random_.random() < 0.05
    room = -(-(length + number * _MARGIN) * WORD_BYTES // LINE_BYTES) * LINE_BYTES
    uniforms = BASE + room
    output = uniforms + UNIFORM_BYTES
    # After what programs write: nobody writes what is looked up.
    textures = Textures(random_, Textures.address(output + OUTPUT_BYTES)) if config.tmus_per_slice else None
    threaded = [number > 1 and (random_.random() < 0.9) == mostly_threaded for _ in range(number)]
    kind = LookupProgram if textures else Program
    words: list[int] = []
    frame: set[int] = set()
    first_launches: list[Launch] = []
    for one in threaded:
        first = len(words)
        place = Place(BASE + WORD_BYTES * first, uniforms, output, textures.all if textures else ())
        first_launches.append(Launch(place.base, uniforms + 4 * random_.randrange(64), threaded=one))
        program = kind(random_, length // number, place, threaded=any(threaded), again=times > 1, wanted=wanted)
        words += program.words
        frame |= {first + index for index in program.frame}
    if is_lawful:
        words = lawful(words, BASE, [(launch.pc - BASE) // WORD_BYTES for launch in first_launches], frame)
    image = struct.pack(f"<{len(words)}Q", *words).ljust(room, b"\0")
    assert len(image) == room, "the programs are longer than their room"
    image += b"".join(struct.pack("<I", random_value(random_)) for _ in range(UNIFORM_BYTES // 4))
    image += bytes(OUTPUT_BYTES)
    if textures:
        image = image.ljust(textures.first - BASE, b"\0") + textures.image
    launches = list(first_launches)
    for _ in range(1, times):
        launches += [replace(launch, uniforms=uniforms + 4 * random_.randrange(64)) for launch in first_launches]
    return Job(
        image=image,
        base=BASE,
        launches=tuple(launches),
        config=config,
        qpus=1,
        seed=seed,
        max_cycles=times * (400 * length + 10_000),
        **memory,
    )
