"""Random frames on the RTL in lockstep with the model, with any latency and gaps of memory."""

import dataclasses
from collections import Counter
from functools import partial

import numpy as np
import pytest

from vc4.config import preset
from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveMode
from vc4sim.asm import assemble
from vc4sim.checker.check import Subject, check
from vc4sim.cli import main
from vc4sim.frames.draw import run_draw
from vc4sim.lockstep import Difference
from vc4sim.random_frames import RandomFrame, compare_frame, frame_job, shrink_frame
from vc4sim.random_frames.compare import drawn_by_model
from vc4sim.random_frames.things import Chunk, Lists, Shader, State

CONFIG = dataclasses.replace(preset("gpu"), trace=True)
#: About 10 seconds.
FRAMES = 16

pytestmark = pytest.mark.usefixtures("compiler")


def compared(seed, engine):
    compare_frame(frame_job(RandomFrame(seed), CONFIG), engine)


@pytest.fixture
def engine(request):
    return request.config.getoption("--engine")


@pytest.mark.thorough
def test_random_frames(engine):
    for seed in range(FRAMES):
        compared(seed, engine)


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(4))
def test_frames_of_any_seed(part, seeds, engine, waves):
    for seed in seeds(120):
        compare_frame(frame_job(RandomFrame(seed), CONFIG), engine, waves)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_many_random_frames(engine, part):
    for seed in range(100_000 + 1000 * part, 100_000 + 1000 * (part + 1)):
        compared(seed, engine)


def spoilt(job, on, **options):
    """The RTL gets a frame whose first colour of a clear has another bit."""
    address, image = dict(job.registers)["CT1CA"], bytearray(job.image)
    clear = image.index(Code.CLEAR_COLORS.value, address)
    image[clear + 1] ^= 1
    return run_draw(dataclasses.replace(job, image=bytes(image)), on, **options)


def wrong_byte(job, on, **options):
    """The RTL leaves another byte in memory."""
    run = run_draw(job, on, **options)
    run.memory = bytes([run.memory[0] ^ 1]) + bytes(run.memory[1:])
    return run


@pytest.mark.thorough
def test_a_fault_is_found_and_made_small(engine):
    frame = RandomFrame(3)
    with pytest.raises(Difference, match="1 bytes of memory differ"):
        compare_frame(frame_job(frame, CONFIG), engine, draw=wrong_byte)
    small = shrink_frame(frame, CONFIG, engine, draw=wrong_byte)
    assert small
    assert (small.kept, small.lines, small.runs) == ((), [], 1)


@pytest.mark.thorough
def test_a_fault_in_the_list_is_found_and_made_small(engine):
    frame = RandomFrame(3)
    assert frame.clears
    with pytest.raises(Difference):
        compare_frame(frame_job(frame, CONFIG), engine, draw=spoilt)
    small = shrink_frame(frame, CONFIG, engine, draw=spoilt)
    assert small
    assert len(small.kept) < len(frame.things) / 2
    assert len(small.lines) <= len(small.kept)


def draws_points(job, on, *, frame, **options):
    """The RTL gets a frame whose first triangles are points."""
    image, triangles = bytearray(job.image), bytes([Code.VERTEX_ARRAY_PRIMITIVES.value, PrimitiveMode.TRIANGLES.value])
    first = image.find(triangles, frame.records, dict(job.registers)["CT1EA"])
    if first >= 0:
        image[first + 1] = 0
    return run_draw(dataclasses.replace(job, image=bytes(image)), on, **options)


@pytest.mark.thorough
def test_what_a_fault_needs_is_kept(engine):
    for seed in range(200):
        frame = RandomFrame(seed)
        wanted = [one for one in frame.things if isinstance(one, Lists) and one.code is Code.VERTEX_ARRAY_PRIMITIVES]
        if not wanted or wanted[0].fields["primitive_mode"] is not PrimitiveMode.TRIANGLES:
            continue
        draw = partial(draws_points, frame=frame)
        try:
            compare_frame(frame_job(frame, CONFIG), engine, draw=draw)
        except Difference:
            break
    small = shrink_frame(frame, CONFIG, engine, draw=draw, most=60)
    assert small
    left = Counter(type(thing) for thing in frame.left(set(small.kept)))
    assert left[Lists] == 1
    assert left[Shader] == 1
    assert len(small.kept) < len(frame.things) / 2


@pytest.mark.thorough
def test_a_frame_that_does_not_fail_is_not_made_small(engine):
    assert shrink_frame(RandomFrame(0), CONFIG, engine) is None


@pytest.mark.thorough
def test_the_command(capsys):
    assert main(["lockstep", "--frames", "2", "--seed", "5", "--on", "native"]) == 0
    assert capsys.readouterr().out.endswith(" instructions in 2 frames, no difference\n")


@pytest.mark.thorough
def test_a_replay_is_told(monkeypatch, capsys):
    monkeypatch.setattr("vc4sim.commands.lockstep_frames.compare_frame", fails)
    assert (
        main(["lockstep", "--frames", "3", "--seed", "5", "--on", "native", "--gap", "0.2", "--shrink-runs", "0"]) == 1
    )
    first, replay = capsys.readouterr().out.splitlines()
    assert first.startswith("FAILED CHECK in the random frame of seed 5")
    assert replay == (
        "replay: vc4 lockstep --frames 1 --on pysim --config gpu --seed 5 --gap 0.2 --shrink-runs 0 --waves difference.vcd"
    )


def fails(job, on, waves):
    raise AssertionError("a check")


class TestGenerator:
    def test_the_same_seed_makes_the_same_frame(self):
        assert frame_job(RandomFrame(7), CONFIG) == frame_job(RandomFrame(7), CONFIG)
        assert frame_job(RandomFrame(7), CONFIG).image != frame_job(RandomFrame(8), CONFIG).image

    @pytest.mark.thorough
    def test_all_frames_end_on_the_model_and_draw(self):
        events = Counter()
        for seed in range(60):
            _, gpu = drawn_by_model(frame_job(RandomFrame(seed), CONFIG))
            events += gpu.events
        for name in (
            *("PSE_PRIMITIVES_REVERSED", "FEP_PRIMITIVES_EMPTY", "FEP_QUADS_CLIPPED", "TLB_QUADS_Z_FAILED"),
            *("TLB_QUADS_STENCIL_FAILED", "TLB_QUADS_COVERED", "TLB_QUADS_WRITTEN", "TMU_QUADS"),
        ):
            assert events[name] > 0, name

    @pytest.mark.thorough
    def test_idle_records_change_nothing(self):
        idle = Counter()
        for seed in range(12):
            frame, drawn = RandomFrame(seed), []
            codes = [thing.code if isinstance(thing, State) and not thing.fields else None for thing in frame.things]
            idle.update(filter(None, codes))
            for kept in None, [number for number, code in enumerate(codes) if code is None]:
                drawn.append(drawn_by_model(frame_job(frame, CONFIG, kept))[0][frame.stores : frame.records])
            np.testing.assert_array_equal(*drawn)
        assert set(idle) == {Code.NOP, Code.MARKER, Code.RESET_MARKER_COUNT, Code.BRANCH}

    @pytest.mark.thorough
    @pytest.mark.parametrize("seed", range(0, 100, 25))
    def test_fragment_shaders_are_lawful(self, seed):
        for one in range(seed, seed + 25):
            frame = RandomFrame(one)
            chunks = {}
            for thing in frame.things:
                if isinstance(thing, Chunk):
                    chunks.setdefault(thing.shader, []).append(thing)
            for shader in frame.things:
                if isinstance(shader, Shader):
                    source = [shader.begin, *chunks.get(shader.number, ()), shader.end]
                    text = "".join(part.source.replace("{0}", str(number)) for number, part in enumerate(source))
                    found = check(assemble(text).words, subject=Subject.FRAGMENT)
                    wrong = {finding.hazard.rule for finding in found if finding.is_error}
                    assert wrong <= {"R21", "R24"}, (one, wrong)
