"""Programs that set up vectors, loads and stores with words of any bits."""

import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from vc4.config import V3DConfig
from vc4.records.vpm import SETUP_BITS, SetupId, VpmReadSetup

from ..asm import assemble
from ..backends.base import Ending, Job, Launch, Outcome
from .wanted import NOTHING, Wanted

__all__ = ["SETUPS", "SetupJob", "check_ending", "setup_job"]

#: The largest store has 128 units, each 65 KiB after the one before: blocks that begin in the first half lie inside of memory.
_BASE, _DATA, _SIZE = 0x1_0000, 0x2_0000, 17 << 20
#: Words of a program.
SETUPS = 12
_END = "read vw_wait\nread vr_wait\nthrend\nnop\nnop\n"
_CLOCKS = 1_000_000
#: What a program ends with whose block goes beyond memory.
_OUTSIDE = "a DMA store or load went outside of memory"


@dataclass(frozen=True, kw_only=True)
class SetupJob(Job):
    """A run of such a program, see `Job`.

    setups : registers and the words that are written to them
    source : of the program
    """

    setups: tuple[tuple[str, int], ...] = ()
    source: str = ""


def _address(rng: random.Random) -> int:
    """Of a block, which does not reach the code: caches and model may see different words there."""
    first, last = (_DATA, _DATA + _SIZE // 2) if rng.random() < 0.9 else (_SIZE, 1 << 31)
    return rng.randrange(first, last)


def _writes(rng: random.Random, word: int) -> Iterator[str]:
    """After a set-up of vectors that are written, of stores, or of neither."""
    yield f"ldi vw_setup, {word:#x}"
    for _ in range(rng.randrange(4)):
        yield f"mov vpm, {rng.randrange(16)}"
    if rng.random() < 0.5:
        yield f"ldi vw_addr, {_address(rng):#x}"


def _reads(rng: random.Random, word: int) -> Iterator[str]:
    """After a set-up of vectors that are read, of loads, or of neither; all that is set up is read."""
    yield f"ldi vr_setup, {word:#x}"
    setup = VpmReadSetup.from_bits(word)
    if setup.id == SetupId.WRITE.value:
        yield from ["nop"] * 3
        yield from ["mov r0, vpm"] * (setup.count or 16)
    if rng.random() < 0.3:
        yield f"ldi vr_addr, {_address(rng):#x}"


_USES = {"vw_setup": _writes, "vr_setup": _reads}


def setup_job(
    rng: random.Random,
    config: V3DConfig,
    data: bytes | None = None,
    *,
    wanted: Wanted = NOTHING,
    kept: Collection[int] | None = None,
    **memory,
) -> SetupJob:
    """A program with so many set-ups.

    data : what lies in memory, as often as it fits; `None`: any
    wanted : in the form `setup` a `register`, and bits of a word: `bits` of those in `mask`
    kept : numbers of the set-ups that are done, `None`: all
    memory : latency, gap and seed, see `Job`
    """
    lines, setups = [], []
    for number in range(SETUPS):
        register, word = rng.choice(tuple(_USES)), rng.getrandbits(SETUP_BITS)
        wish = wanted.draw(rng, "setup")
        if wish:
            register = wish[1]["register"]
            word = word & ~wish[1]["mask"] | wish[1]["bits"]
        some = list(_USES[register](rng, word))
        if kept is None or number in kept:
            setups.append((register, word))
            lines += some
    room = _SIZE - _DATA + _BASE
    data = data or rng.randbytes(1 << 12)
    code = assemble("\n".join(lines) + "\n" + _END).code
    image = code.ljust(_DATA - _BASE, b"\0") + (data * -(-room // len(data)))[:room]
    return SetupJob(
        image=image,
        base=_BASE,
        launches=(Launch(_BASE, _DATA),),
        config=config,
        max_cycles=_CLOCKS,
        setups=tuple(setups),
        source="\n".join(lines) + "\n" + _END,
        **memory,
    )


def check_ending(outcome: Outcome) -> None:
    """It ends, or its block goes beyond memory. Raises `AssertionError`."""
    assert outcome.ending is Ending.DONE or outcome.why == _OUTSIDE, outcome.why
