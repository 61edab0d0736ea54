"""Going back: the same state as the first time, whichever way it was reached."""

import random
from pathlib import Path

import numpy as np
import pytest

from vc4.config import preset
from vc4sim.backends import model
from vc4sim.debug.checkpoints import Checkpoints, Image
from vc4sim.debug.frame_target import FrameTarget
from vc4sim.debug.moment import Moment
from vc4sim.debug.program_target import ProgramTarget
from vc4sim.events import Retirement
from vc4sim.model.qps.turns import IS_WATCHED, LIMIT
from vc4sim.random_programs import random_job, random_team

from .transcripts import console

CASES = Path(__file__).parents[1] / "data/cases"


def state(target):
    """All of it: machine, memory, and what programs of users have beside it, but for how many rounds a run may still have."""
    gpu, schedule = target.gpu, target.gpu.programs.schedule.arrays
    image = Image.of(gpu.parts.machine, schedule.about[:LIMIT], schedule.about[IS_WATCHED:], schedule.waits)
    return image, bytes(gpu.memory.data), target.launches, target.ending


def forwards(session, positions):
    """The state at each of the positions, which rise, and what happens before them."""
    found, moments = {}, []

    def note(moment):
        moments.append(moment)

    for position in positions:
        session.target.advance(note, position)
        assert session.target.position == position
        found[position] = state(session.target)
    return found, moments


@pytest.mark.parametrize(
    ("arguments", "positions"),
    [
        pytest.param(["mandelbrot"], [2, 255, 256, 257, 600], id="checkpoints"),
        pytest.param(
            ["team.qasm", "--launch", "&program", "--uniform", "0", "--launch", "&program", "--uniform", "1"],
            range(2, 27),
            id="two QPUs",
        ),
        pytest.param(
            [
                "sums.qasm",
                "--buffer",
                "out=64",
                "--qpus",
                "2",
                *(["--launch", "&program", "--uniform", "1", "--uniform", "&out"] * 20),
            ],
            [3, 40, 200, 300, 330],
            id="more programs than wait at once",
        ),
        pytest.param(["mandelbrot"], [5, 1000, 2000, 2828], id="to the end", marks=pytest.mark.thorough),
        pytest.param(["mandelbrot", "--qpus", "4"], [5, 900, 5000, 9000], id="four QPUs", marks=pytest.mark.thorough),
        pytest.param([str(CASES / "gl/tri_flat")], [10, 30, 31, 200, 300, 301, 600, 760], id="frame"),
    ],
)
def test_a_position_has_one_state(arguments, positions):
    session = console(*arguments).session
    expected, _ = forwards(session, positions)
    order = list(positions)
    for position in [*reversed(order), *order[1::2], *order[::2], order[-1]]:
        session.target.seek(position)
        assert session.target.position == position
        assert state(session.target) == expected[position], position


@pytest.mark.parametrize("arguments", [["mandelbrot"], [str(CASES / "gl/tri_flat")]], ids=["program", "frame"])
def test_going_back_finds_what_going_on_found(arguments):
    """Every hit, the last one first."""
    session = console(*arguments).session

    def goal(moment: Moment) -> str | None:
        writes = moment.event.writes if isinstance(moment.event, Retirement) else ()
        return next((str(write) for write in writes if write.register in ("r1", "tlbc")), None)

    found = []
    while (hit := session.target.advance(goal, 900)) is not None:
        found.append((session.target.position, hit))
    assert len(found) > 40
    assert list(session.target.hits(goal, session.target.position + 1)) == found[::-1]
    middle = found[len(found) // 2][0]
    assert list(session.target.hits(goal, middle)) == [one for one in found if one[0] < middle][::-1]


def test_checkpoints_get_fewer_in_a_long_run():
    """The first one stays, and there is always one that is not far away."""
    kept = Checkpoints[int]()
    for position in range(100_000):
        if kept.wants(position):
            kept.add(position, position)
    positions = kept.positions(1 << 20)
    assert positions[0] == 0
    assert 16 < len(positions) <= 64
    assert max(np.diff(positions)) <= 100_000 / 16
    assert kept.latest(99_999) == (positions[-1], positions[-1])
    assert kept.latest(positions[3] - 1) == (positions[2], positions[2])


def test_a_step_back_undoes_a_step():
    session = console("sums.qasm", "--uniform", "3", "--uniform", "&out", "--buffer", "out=64").session
    visited = [session.target.position]
    while session.line():
        session.step()
        visited.append(session.target.position)
    for position in visited[-2::-1]:
        session.back()
        assert session.target.position == position


def test_what_runs_in_a_thread_of_its_own_tells_its_errors(monkeypatch):
    session = console(str(CASES / "gl/tri_flat")).session
    assert isinstance(session.target, FrameTarget)

    def goal(moment):
        raise RuntimeError("of the goal")

    with pytest.raises(RuntimeError, match="of the goal"):
        session.target.advance(goal)


#: Positions at which a run is looked at.
PLACES = 12


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        ("job", 1),
        ("team", 1),
        *(pytest.param(kind, seed, marks=pytest.mark.thorough) for kind in ("job", "team") for seed in range(2, 8)),
    ],
)
def test_random_programs_have_one_state_at_each_position(kind, seed):
    """And end as without a debugger."""
    job = random_job(seed, 600, preset("qpu")) if kind == "job" else random_team(seed, 600, preset("slice"))
    target = ProgramTarget(kind, job)
    target.advance(lambda moment: None)
    length, outcome = target.position, model.run(job)
    assert target.gpu.instructions == outcome.instructions
    assert bytes(target.memory.data) == outcome.memory
    chosen = random.Random(seed)
    positions = sorted({chosen.randrange(length) for _ in range(PLACES)})
    target.seek(0)
    expected = {}
    for position in positions:
        target.seek(position)
        expected[position] = state(target)
    for _ in range(2 * PLACES):
        position = chosen.choice(positions)
        target.seek(position)
        assert state(target) == expected[position], position


def changed(chosen, session):
    """A change of the QPU's registers or of memory, as somebody types it."""
    what = chosen.choice(("r0", "r2[5]", "r5", "ra3", "rb7[0]", "ra1[15]", "n", "z[4]", "memory"))
    if what == "memory":
        # Where no frame has anything, and programs have what they write.
        memory = session.target.memory
        start = 0 if isinstance(session.target, FrameTarget) else memory.base + len(memory.data) - 64
        return f"[{start + 4 * chosen.randrange(16):#x}]", [str(chosen.randrange(1 << 32))]
    return what, [str(chosen.randrange(2 if what[0] in "nz" else 1 << 32))]


@pytest.mark.parametrize(
    ("arguments", "length", "seed"),
    [
        pytest.param(["mandelbrot"], 700, 1, id="program"),
        pytest.param([str(CASES / "gl/tri_flat")], 310, 1, id="frame"),
        *(
            pytest.param([name], length, seed, id=f"{Path(name).name} {seed}", marks=pytest.mark.thorough)
            for name, length in (("mandelbrot", 2000), (str(CASES / "gl/tri_flat"), 760))
            for seed in range(2, 7)
        ),
    ],
)
def test_changes_are_a_part_of_the_run(arguments, length, seed):
    """Wherever one goes, every position has the state that it had the first time after the changes before it."""
    session, chosen = console(*arguments).session, random.Random(seed)
    target, expected, different = session.target, {}, 0
    for position in sorted(chosen.sample(range(2, length), 12)):
        target.seek(position)
        if target.position != position:  # a change has brought the end
            break
        before = state(target)
        for _ in range(2):
            session.set(*changed(chosen, session))
        expected[position] = state(target)
        different += expected[position] != before
    assert different
    for position in chosen.choices(sorted(expected), k=24):
        target.seek(position)
        assert state(target) == expected[position], position


@pytest.mark.parametrize("arguments", [["mandelbrot"], [str(CASES / "gl/tri_flat")]], ids=["program", "frame"])
def test_a_change_in_the_past_is_another_run(arguments):
    """What has been changed later is no part of it."""
    session = console(*arguments).session
    target = session.target
    target.seek(20)
    before = state(target)
    target.seek(300)
    session.set("r0", ["5"])
    target.seek(19)
    session.set("ra20[3]", ["0x1234"])
    target.seek(20)
    assert state(target) != before
    assert session.target.changes.at(300) == []
    target.seek(300)
    first = state(target)
    target.seek(0)
    target.seek(300)
    assert state(target) == first
