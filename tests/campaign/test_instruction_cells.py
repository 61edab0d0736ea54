"""What a generator of programs is asked for is in the cell that it is asked for."""

import random

import numpy as np
import pytest

from vc4.config import V3DConfig
from vc4.isa.ops import LoadMode
from vc4sim.backends import model
from vc4sim.campaign.instruction_cells import fields_of, steerable
from vc4sim.coverage.columns import Columns
from vc4sim.coverage.count import Cells, Coverage
from vc4sim.coverage.groups import GROUPS, groups_of
from vc4sim.random_programs import Wanted, Wish, random_job, random_run
from vc4sim.random_programs.words import Words

#: Groups whose cells a single instruction makes.
ALONE = [
    group for group in GROUPS if steerable(group) and not group.name.startswith(("branch", "signal", "hazard", "sem"))
]
REGISTERS = tuple(range(15))


def word_of(form, fields, seed):
    """An instruction that is wanted."""
    words = Words(random.Random(seed), REGISTERS, Wanted([Wish(form, fields, 1)], share=1.0))
    return words.semaphore(0) if form == "semaphore" else words.plain()


@pytest.mark.parametrize("group", ALONE, ids=lambda group: group.name)
def test_an_instruction_is_in_its_cell(group):
    """A sample of the cells, of large groups, that any program may have."""
    cells = np.flatnonzero(group.reachable().ravel())
    tried = 0
    for cell in random.Random(group.name).sample(cells.tolist(), min(len(cells), 60)):
        numbers = tuple(map(int, np.unravel_index(cell, group.shape)))
        wish = fields_of(group.name, numbers)
        if wish is None:
            continue
        tried += 1
        word = word_of(*wish, seed=cell)
        covered = Cells([group])
        covered.add(Columns([word], [(0, 0, 0)]))
        assert covered.hits[0][numbers], f"{group.name} {numbers}: {wish} gives {word:016x}"
    assert tried >= 10


def test_what_cannot_be_asked_for():
    """Registers that would start something, and addresses that a program keeps for itself."""
    assert fields_of("write: ALU x file x address", (0, 0, 49)) is None
    assert fields_of("write: ALU x file x address", (1, 1, 30)) is None
    assert fields_of("read: file x address", (0, 48)) is None
    assert fields_of("hazard x distance x ALU that writes", (0, 0, 0)) is None
    form, _ = fields_of("load immediate: mode x pack x condition of add", (LoadMode.SEMAPHORE.value, 0, 1))
    assert form == "semaphore"


def hits_of(wanted, group, numbers):
    """How often a cell is hit by some programs."""
    coverage = Coverage()
    for seed in range(3):
        model.run(random_job(seed, 300, V3DConfig(), wanted=wanted), coverage)
        coverage.finish()
    return coverage.hits[GROUPS.index(group)][numbers]


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("rotation", (1, 3, 3, 4)),
        ("load immediate: mode x pack x condition of mul", (1, 9, 5)),
        ("semaphore", (11, 0)),
    ],
)
def test_programs_have_more_of_what_is_wanted(name, numbers):
    (group,) = (group for group in GROUPS if group.name.startswith(name))
    wish = fields_of(group.name, numbers)
    assert wish
    wanted = Wanted([Wish(*wish, 1)])
    assert hits_of(wanted, group, numbers) > 2 * (1 + hits_of(Wanted(), group, numbers))


@pytest.mark.parametrize("qpus", [1, 2])
def test_programs_still_end_and_are_those_of_seed_and_wishes(qpus):
    """Whatever is wanted, of every group, on one QPU and on several."""
    config = V3DConfig(qpus_per_slice=qpus)
    rng, wishes = random.Random(1), []
    for group in groups_of(config):
        if steerable(group):
            for _ in range(20):
                wish = fields_of(group.name, tuple(rng.randrange(size) for size in group.shape))
                if wish:
                    wishes.append(Wish(*wish, rng.randrange(1, 9)))
    wanted = Wanted(wishes)
    for seed in range(6):
        job = random_run(seed, 200, config, wanted=wanted)
        assert job.image == random_run(seed, 200, config, wanted=Wanted(wishes)).image
        assert job.image != random_run(seed, 200, config).image
        outcome = model.run(job)
        assert outcome.ending.value == "done", outcome.why


def test_without_wishes_nothing_is_drawn():
    rng = random.Random(3)
    before = rng.getstate()
    assert Wanted().draw(rng, "alu", "load") is None
    assert Wanted([Wish("load", {"mode": (1,)}, 1)]).draw(rng, "alu") is None
    assert rng.getstate() == before
