"""Programs that set up vectors, loads and stores with words of any bits: they end, with the same errors in model and RTL, and
nothing is written but what the model writes.
"""

import random
from collections import Counter

import pytest

from vc4.config import preset
from vc4sim.backends import native
from vc4sim.backends.base import Ending
from vc4sim.lockstep import Lockstep
from vc4sim.random_programs.setup_job import SETUPS, check_ending, setup_job


def tried(seed, programs, configs):
    """Runs so many programs; returns how they ended, and how many had each error."""
    rng = random.Random(seed)
    found = Counter()
    data = rng.randbytes(1 << 20)
    for number in range(programs):
        options = {"latency": rng.choice([1, 20]), "gap": rng.choice([0, 0.3]), "seed": number}
        outcome = Lockstep(setup_job(rng, preset(rng.choice(configs)), data, **options)).run(native.run)
        print(f"program {number} of seed {seed}")
        check_ending(outcome)
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
