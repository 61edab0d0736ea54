"""Random episodes: the same for each seed, and less of one is an episode as well."""

from collections import Counter

import pytest

from vc4.config import preset
from vc4.regs.scheduler import REQUESTS
from vc4.regs.table import register
from vc4sim.lockstep import Difference
from vc4sim.random_programs import random_team
from vc4sim.soak import Compared, Episode, Part, compared, episode_job, shrink_episode, side_by_side
from vc4sim.soak import episode as episode_module

CONFIG = preset("gpu")
#: Registers with which a host lets QPUs go on, and stops and starts a list.
GOES_ON, LIST = register("DBQRUN").offset, register("CT1CS").offset
STOP = 1 << 5


@pytest.fixture(scope="module")
def episodes():
    return [Episode(seed, CONFIG) for seed in range(40)]


def test_the_same_seed_makes_the_same_episode(episodes):
    assert episode_job(Episode(7, CONFIG)) == episode_job(episodes[7])
    assert episode_job(episodes[7]).image != episode_job(episodes[8]).image


def test_all_that_there_may_be_comes(episodes):
    found = Counter(act.name for episode in episodes for act in episode.acts)
    assert set(found) == {"halt", "stop", "memory", "caches", "scheduler"}
    assert any(len(episode.frames) == 4 for episode in episodes)
    assert any(len(episode.teams) > 1 for episode in episodes)
    assert any(one.refused[1] for episode in episodes for one in episode.spoilt.values())
    assert any(not one.refused[1] for episode in episodes for one in episode.spoilt.values())
    assert any(any(episode.reserved) for episode in episodes)


def test_nothing_stays_halted_or_stopped(episodes):
    for episode in episodes:
        for act in episode.acts:
            if act.name == "halt":
                halted = [one.word for one in act.writes if one.where == "DBQHLT"]
                assert act.writes[-1].where == "DBQRUN"
                assert halted == [act.writes[-1].word]
            elif act.name == "stop":
                words = [one.word for one in act.writes]
                assert words.count(STOP) == words.count(STOP >> 1)
                assert words[-1] == STOP >> 1


def test_frames_and_programs_have_memory_of_their_own(episodes):
    for episode in episodes:
        places = [(frame.base, frame.end) for frame in episode.frames]
        places += [(team.base, team.base + len(team.image)) for team in episode.teams]
        assert all(end <= first for (_, end), (first, _) in zip(places, places[1:], strict=False))
        assert places[-1][1] <= episode.end


def test_the_last_frame_is_never_spoilt_and_those_behind_one_begin_with_clears(episodes):
    for episode in episodes:
        assert len(episode.frames) - 1 not in episode.spoilt
        if episode.spoilt:
            assert all(frame.clears for frame in episode.frames[1:])
            users = {bool(kinds & 1) for kinds in episode.reserved}
            assert users == ({True, False} if episode.teams else users)


def test_each_part_can_be_left_out(episodes):
    for episode in episodes[:8]:
        whole = episode_job(episode)
        for part in episode.parts:
            if part.kind != "thing":
                less = episode_job(episode, [one for one in episode.parts if one != part])
                assert (less != whole) or part.kind == "frame"
        nothing = episode_job(episode, [])
        assert (len(nothing.frames), nothing.asked, nothing.acts) == (1, (), ())


def test_frames_that_are_left_out_take_nothing_with_them(episodes):
    """What was to happen in one of them happens in the next one that is left."""
    episode = next(one for one in episodes if len(one.frames) > 2 and not one.spoilt and one.acts and one.asked)
    kept = [part for part in episode.parts if part.kind != "frame" or part.number == len(episode.frames) - 1]
    job = episode_job(episode, kept)
    assert (len(job.acts), len(job.asked)) == (len(episode.acts), len(episode.asked))
    assert {one.frame for one in (*job.acts, *job.asked)} == {0}


def fails_with(*needed):
    """In place of a run: fails if all of that is in the episode."""

    def compare(job):
        there = {act.name for act in job.acts} | ({"program"} if job.asked else set())
        there |= {f"{len(job.frames)} frames"}
        if set(needed) <= there:
            raise Difference(f"{job.image[0]} things differ", 1, 2, [])
        return Compared(len(job.frames))

    return compare


def test_shrinking_keeps_what_is_needed(episodes):
    episode = next(
        one for one in episodes if len(one.frames) > 1 and one.teams and any(act.name == "halt" for act in one.acts)
    )
    small = shrink_episode(episode, fails_with("halt", "program"), most=300)
    assert small
    assert Counter(part.kind for part in small.kept) == {"act": 1, "team": 1}
    assert episode.acts[next(part for part in small.kept if part.kind == "act").number].name == "halt"
    assert any(line.startswith("halt: ") for line in episode.lines(set(small.kept)))


def test_shrinking_ends_behind_so_many_runs(episodes):
    episode = next(one for one in episodes if one.acts)
    told = []
    small = shrink_episode(episode, fails_with(), most=3, told=lambda: told.append(1))
    assert small
    assert (small.runs, len(told)) == (3, 3)


def test_what_does_not_fail_is_not_made_small(episodes):
    assert shrink_episode(episodes[0], fails_with("nothing")) is None


def test_a_failure_is_a_finding():
    finding = compared(3, config=CONFIG, compare=fails_with())
    assert (finding.seed, finding.what) == (3, "DIFFERENCE")
    assert finding.text.startswith("0 things differ")


def test_only_the_parts_that_are_kept_are_run():
    seen = []

    def compare(job):
        seen.append(job)
        return Compared(1)

    episode = Episode(5, CONFIG)
    compared(5, config=CONFIG, compare=compare, keep=frozenset())
    assert seen == [episode_job(episode, [])]


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_several_at_a_time(jobs):
    with side_by_side(abs, iter(range(-9, 0)), jobs) as results:
        assert sorted(results) == [*range(1, 10)]


def test_parts_are_in_order(episodes):
    for episode in episodes:
        assert len(set(episode.parts)) == len(episode.parts)
        assert episode.parts[0] == Part("frame", 0)


def test_teams_do_not_meddle_with_each_other(monkeypatch):
    """The next one begins while the last ones of a team still run: each has rows of its own, and the first one the semaphores. The
    host asks for no more programs than can wait.
    """
    made = []

    def note(*args, **options):
        made.append(options)
        return random_team(*args, **options)

    monkeypatch.setattr(episode_module, "random_team", note)
    counts = set()
    for seed in range(30):
        made.clear()
        its = Episode(seed, preset("bcm2835"))
        rows = [row for options in made for row in options["vpm_rows"]]
        assert len(set(rows)) == len(rows)
        assert not rows or max(rows) < 4 * episode_module.vpm_blocks(its.config)
        assert [options["meets"] for options in made] == [number == 0 for number in range(len(made))]
        assert len(its.asked) <= REQUESTS
        counts.add(len(its.teams))
    assert {0, 1, 2} <= counts
