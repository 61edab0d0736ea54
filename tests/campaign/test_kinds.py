"""Each kind: what it asks a generator for is covered, seed and cells decide a run, and small jobs are the same on both sides."""

import dataclasses

import numpy as np
import pytest

from vc4sim.campaign import arithmetic, frame_cells, lists, setups, textures
from vc4sim.campaign.job import Settings, SteeredCell, round_for
from vc4sim.campaign.kinds import KINDS
from vc4sim.campaign.worker import run_job
from vc4sim.coverage.count import Cells
from vc4sim.damaged.mutation import HOW
from vc4sim.lockstep import Difference
from vc4sim.random_frames import RandomFrame
from vc4sim.random_pairs.alus import ALUS
from vc4sim.random_programs import Wanted

SIZES = {"programs": 1, "frames": 1, "textures": 1, "setups": 1, "lists": 1, "arithmetic": 1}


def settings_of(name, **more):
    kind = KINDS[name]
    return Settings(
        **{"kind": name, "count": 4, "seed": 3, "config": kind.config, "size": SIZES[name], "round": 8} | more
    )


def cell_of(group, numbers):
    """One that is wanted very much."""
    return SteeredCell(group.name, int(np.ravel_multi_index(numbers, group.shape)), 1000)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
class TestTables:
    def test_gaps_name_what_there_is(self, kind):
        groups = kind.groups(settings_of(kind.name))
        assert len({group.name for group in groups}) == len(groups)
        for group in groups:
            assert group.reachable().any()
            for gap in group.gaps:
                assert set(gap.where) <= set(group.dimensions)
                assert gap.reason

    def test_what_can_be_asked_for_is_counted(self, kind):
        groups = kind.groups(settings_of(kind.name))
        assert {group.name for group in kind.steerable(groups)} <= {group.name for group in groups}
        assert kind.steerable(groups)

    def test_a_job_takes_some_items(self, kind):
        assert kind.size >= kind.item
        assert kind.config in kind.configs


def test_rounds():
    assert round_for(1, 1) == round_for(100, 1) == 8
    assert round_for(100_000_000, 100_000) == 20


class TestWishes:
    """More of a cell when it is asked for, whatever the seed."""

    @pytest.mark.parametrize("number", range(4))
    def test_textures(self, number):
        group = textures._GROUPS[number]
        numbers = tuple(size - 2 if size > 2 else 1 for size in group.shape)
        counts = []
        for cells in ((), (cell_of(group, numbers),)):
            covered = Cells([group])
            covered.add(textures._observed(textures._job(settings_of("textures"), 1, cells)))
            counts.append(int(covered.hits[0][numbers]))
        assert counts[1] > 10 + counts[0]

    @pytest.mark.parametrize("name", setups._GROUPS)
    def test_setups(self, name):
        group = setups._GROUPS[name]
        numbers = tuple(size - 1 for size in group.shape)
        found = Cells([group])
        for seed in range(8):
            for register, word in setups._job(settings_of("setups"), seed, (cell_of(group, numbers),)).setups:
                for some in setups._observed(register, word):
                    found.add(some)
        assert found.hits[0][numbers] > 10

    @pytest.mark.parametrize("group", KINDS["frames"].steerable(frame_cells.GROUPS), ids=lambda group: group.name)
    def test_frames(self, group):
        """Fields that mean something alone; those that do not nobody asks for."""
        reachable = np.argwhere(group.reachable())
        asked = 0
        for numbers in map(tuple, reachable[:: max(1, len(reachable) // 5)]):
            wishes = list(frame_cells.wishes([cell_of(group, numbers)]))
            if not wishes:
                continue
            asked += 1
            covered = Cells([group])
            for seed in range(6):
                for some in frame_cells.observed(RandomFrame(seed, wanted=Wanted(wishes, share=1.0)), ()):
                    covered.add(some)
            # What a seed does not have in any form it does not get; of a few seeds some have it.
            assert not covered.hits[0].any() or covered.hits[0][numbers], numbers
        assert asked

    def test_lists(self):
        cell = cell_of(lists._WHAT, (2, 5))
        first = [lists._job(settings_of("lists"), seed, (cell,)).damages[0] for seed in range(30)]
        assert sum(lists._PLACE_OF[one.region] == 2 and HOW[one.how] == HOW[5] for one in first) >= 8

    @pytest.mark.parametrize("alu", ALUS.values(), ids=lambda alu: alu.name)
    def test_arithmetic(self, alu):
        group = arithmetic._GROUPS[alu.name]
        operation = alu.operations[2].value
        numbers = (operation, 10, 7)
        operations, a, b = arithmetic._rows(alu, 4, (cell_of(group, numbers),))
        rows = np.stack([operations, arithmetic._class_of(a), arithmetic._class_of(b)], axis=1)
        assert (rows == numbers).all(axis=1).mean() > 0.25


def test_every_word_has_a_class():
    words = np.array([0, 1, 0x80_0000, 0x3F7F_FFFF, 0x3F80_0000, 0x7F80_0000, 0x8000_0000, 0xFFFF_FFFF], np.uint32)
    names = [arithmetic._CLASSES[number] for number in arithmetic._class_of(words)]
    assert names == [
        *("0 or denormal", "0 or denormal", "tiny", "below 1", "from 1 on", "infinity or NaN"),
        *("-0 or denormal", "-infinity or NaN"),
    ]


@pytest.mark.usefixtures("compiler")
class TestJobs:
    """Small ones on the RTL."""

    @pytest.mark.parametrize(
        "name",
        [
            "arithmetic",
            *(pytest.param(name, marks=pytest.mark.thorough) for name in KINDS if name != "arithmetic"),
        ],
    )
    def test_a_job_is_the_same_again(self, name):
        job = settings_of(name).job(1)
        first, second = run_job(job), run_job(job)
        assert first.failures == ()
        assert first.units >= 1
        assert first.cells == second.cells
        assert first._replace(seconds=0, processor=0) == second._replace(seconds=0, processor=0)

    def test_a_fault_is_found_and_made_small(self, monkeypatch):
        """The model computes something else for one operation."""
        alu = ALUS["mul"]
        wrong = alu.operations[3].value

        class Faulty(type(alu)):
            def expected(self, operations, a, b):
                found = super().expected(operations, a, b)
                return found | {"result": found["result"] ^ np.uint32(operations == wrong)}

        fields = {field.name: getattr(alu, field.name) for field in dataclasses.fields(alu)}
        monkeypatch.setitem(ALUS, "mul", Faulty(**fields))
        result = run_job(settings_of("arithmetic").job(1))
        (failure,) = result.failures
        assert failure.what == "FAILED CHECK"
        assert failure.small.startswith("one pair of the mul ALU: ")
        assert result.units == KINDS["arithmetic"].item


class TestFailures:
    """What a job does with items that fail."""

    @pytest.fixture
    def kind(self, monkeypatch):
        kind = KINDS["lists"]
        small = []

        def run(settings, seed, cells, covered, *, on, waves=None):
            raise {0: Difference("what", 1, 2, []), 1: AssertionError("a check"), 2: ValueError("odd")}[seed % 3]

        def shrink(settings, seed, cells, told):
            small.append(seed)

        monkeypatch.setattr(kind, "run", run, raising=False)
        monkeypatch.setattr(kind, "shrink", shrink, raising=False)
        return small

    def test_they_are_told(self, kind):
        result = run_job(settings_of("lists", count=100, size=100).job(0))
        assert [(one.seed, one.what) for one in result.failures] == [
            *((3, "DIFFERENCE"), (4, "FAILED CHECK"), (5, "ERROR"), (6, "DIFFERENCE"), (7, "FAILED CHECK")),
        ]
        assert "ValueError: odd" in result.failures[2].text
        # The others are mostly the same, and a job that only fails ends soon.
        assert kind == [3]
        assert result.items == 5
