"""Random episodes on the RTL, with the model beside it."""

import dataclasses
from functools import partial

import pytest

from vc4.config import preset
from vc4.records.control import ControlCode as Code
from vc4sim.bench.writer import MEMORY_REFUSED
from vc4sim.cli import main
from vc4sim.frames.draw import run_draw
from vc4sim.lockstep import Difference
from vc4sim.problem import BadInput
from vc4sim.soak import Episode, compare_episode, compared, episode_job, numbers_of, ranges_of, shrink_episode

CONFIG = dataclasses.replace(preset("gpu"), trace=True)
#: About 50 seconds.
EPISODES = 20

pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.thorough]


@pytest.fixture
def engine(request):
    return request.config.getoption("--engine")


def test_random_episodes(engine):
    found = [compare_episode(episode_job(Episode(seed, CONFIG)), engine) for seed in range(EPISODES)]
    assert sum(one.frames for one in found) > EPISODES
    assert sum(one.programs for one in found) > EPISODES
    assert sum(one.instructions for one in found) > 100 * EPISODES


def spoilt(job, on, **options):
    """The RTL gets a first frame whose first colour of a clear has another bit."""
    address, image = dict(job.registers)["CT1CA"], bytearray(job.image)
    clear = image.find(Code.CLEAR_COLORS.value, address)
    image[clear + 1] ^= 1
    return run_draw(dataclasses.replace(job, image=bytes(image)), on, **options)


def test_a_fault_of_a_frame_is_found_replayed_and_made_small(engine):
    episode = next(one for one in (Episode(seed, CONFIG) for seed in range(99)) if one.frames[0].clears and one.acts)
    compare = partial(compare_episode, on=engine, draw=spoilt)
    with pytest.raises(Difference):
        compare(episode_job(episode))
    small = shrink_episode(episode, compare, most=100)
    assert small
    assert not [part for part in small.kept if part.kind in ("act", "team")]
    keep = numbers_of(ranges_of(map(episode.parts.index, small.kept)))
    assert compared(episode.seed, config=CONFIG, compare=compare, keep=keep).text == str(small.error)


def forgets_to_go_on(job, on, **options):
    """The host stops lists and never lets them go on, if that is to happen early."""
    acts = [act._replace(writes=act.writes[:1]) if act.name == "stop" else act for act in job.acts]
    return run_draw(dataclasses.replace(job, acts=tuple(acts)), on, **options)


def test_an_act_that_is_needed_is_kept(engine):
    compare = partial(compare_episode, on=engine, draw=forgets_to_go_on)
    for seed in range(100):
        episode = Episode(seed, CONFIG)
        if any(act.name == "stop" and act.clock < 100 for act in episode.acts):
            finding = compared(seed, config=CONFIG, compare=compare)
            if hasattr(finding, "text"):
                break
    assert "does not come to its end" in finding.text
    small = shrink_episode(episode, compare, most=60)
    assert small
    names = [episode.acts[part.number].name for part in small.kept if part.kind == "act"]
    assert names == ["stop"]
    assert not [part for part in small.kept if part.kind == "team"]


def test_frames_behind_spoilt_ones_are_compared(engine):
    """What memory refuses for too long is missing in the last frame."""
    episode = next(one for one in (Episode(seed, CONFIG) for seed in range(99)) if one.spoilt and not one.teams)
    job = episode_job(episode)
    compare_episode(job, engine)
    last = episode.frames[-1]

    def refuses(job, on, **options):
        run = run_draw(job, on, **options)
        image = bytearray(run.memory)
        image[last.stores] ^= 1
        run.memory = bytes(image)
        return run

    with pytest.raises(Difference, match="from what the model draws alone, the first at"):
        compare_episode(job, engine, draw=refuses)


def test_addresses_are_refused(engine):
    """A frame that may not store leaves memory as it was, and the one after it is drawn."""
    episode = next(
        one
        for one in (Episode(seed, CONFIG) for seed in range(200))
        if any(two.refused[0] == one.frames[number].stores for number, two in one.spoilt.items())
    )
    job = episode_job(episode)
    assert any(write.offset == MEMORY_REFUSED for write in job.writes)
    compare_episode(job, engine)


def test_pysim_says_that_it_cannot():
    with pytest.raises(BadInput, match="not for pysim"):
        run_draw(episode_job(Episode(0, CONFIG)), "pysim")


def test_the_command(capsys):
    assert main(["soak", "--count", "2", "--seed", "5"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("soak: 2 episodes, ")
    assert out.endswith(", no difference\n")
