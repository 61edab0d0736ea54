"""Programs that set up vectors, loads and stores with words of any bits: they end, with the same errors in model and RTL, and
nothing is written but what the model writes.
"""

import random
from collections import Counter

import pytest

from vc4.config import preset
from vc4.records.vpm import SetupId, VpmReadSetup
from vc4sim.asm import assemble
from vc4sim.backends import native
from vc4sim.backends.base import Ending, Job, Launch
from vc4sim.lockstep import Lockstep

#: The largest store has 128 units, each 65 KiB behind the one before: blocks that begin in the first half lie inside of memory.
BASE, DATA, SIZE = 0x1_0000, 0x2_0000, 17 << 20
SETUPS = 12
END = "read vw_wait\nread vr_wait\nthrend\nnop\nnop\n"
#: What a program ends with whose block goes beyond memory.
OUTSIDE = "a DMA store or load went outside of memory"


def address(rng):
    """Of a block, which does not reach the code: caches and model may see different words there."""
    first, last = (DATA, DATA + SIZE // 2) if rng.random() < 0.9 else (SIZE, 1 << 31)
    return rng.randrange(first, last)


def writes(rng, word):
    """Behind a set-up of vectors that are written, of stores, or of neither."""
    yield f"ldi vw_setup, {word:#x}"
    for _ in range(rng.randrange(4)):
        yield f"mov vpm, {rng.randrange(16)}"
    if rng.random() < 0.5:
        yield f"ldi vw_addr, {address(rng):#x}"


def reads(rng, word):
    """Behind a set-up of vectors that are read, of loads, or of neither; all that is set up is read."""
    yield f"ldi vr_setup, {word:#x}"
    setup = VpmReadSetup.from_bits(word)
    if setup.id == SetupId.WRITE.value:
        yield from ["nop"] * 3
        yield from ["mov r0, vpm"] * (setup.count or 16)
    if rng.random() < 0.3:
        yield f"ldi vr_addr, {address(rng):#x}"


def source(rng):
    lines = []
    for _ in range(SETUPS):
        lines += rng.choice([writes, reads])(rng, rng.getrandbits(32))
    return "\n".join(lines) + "\n" + END


def tried(seed, programs, configs):
    """Runs so many programs; returns how they ended, and how many had each error."""
    rng = random.Random(seed)
    found = Counter()
    data = rng.randbytes(SIZE - DATA + BASE)
    for number in range(programs):
        image = assemble(source(rng)).code.ljust(DATA - BASE, b"\0") + data
        config = preset(rng.choice(configs))
        options = {"latency": rng.choice([1, 20]), "gap": rng.choice([0, 0.3]), "seed": number, "max_cycles": 1_000_000}
        job = Job(image=image, base=BASE, launches=(Launch(BASE, DATA),), config=config, **options)
        outcome = Lockstep(job).run(native.run)
        assert outcome.ending is Ending.DONE or outcome.why == OUTSIDE, (
            f"program {number} of seed {seed}: {outcome.why}"
        )
        found.update([outcome.ending, *outcome.errors])
    return found


#: Their VPMs have 64, 128 and 192 rows.
CONFIGS = ("qpu", "slice", "bcm2835")


@pytest.mark.parametrize(
    ("programs", "configs"),
    [
        pytest.param(30, CONFIGS[:2], id="30", marks=pytest.mark.thorough),
        pytest.param(1000, CONFIGS, id="1000", marks=pytest.mark.slow),
    ],
)
def test_any_set_up(programs, configs):
    """Of twelve set-ups a program, about half are of vectors; the others are of blocks, and a quarter of those is used."""
    found = tried(programs, programs, configs)
    print(f"{SETUPS * programs} set-ups in {programs} programs: {found}")
    assert found[Ending.DONE] > programs / 10
    assert found[Ending.STUCK] > programs / 20
    for error in "VPMEWR", "VPMERR", "VPMEWNA", "VPMERNA", "VDWE":
        assert found[error] > programs / 50, f"too few programs had {error}: {found}"
