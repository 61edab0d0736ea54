"""Levels of queues: the registers that count them, and what a timeline shows of them."""

from collections import defaultdict
from dataclasses import replace

import pytest
from amaranth.hdl import Fragment, Shape

from vc4.config import preset
from vc4.v3d import V3D
from vc4sim.backends.base import Job
from vc4sim.backends.engines import ENGINES
from vc4sim.hierarchy import register_at
from vc4sim.queues import QUEUES, levels_of, signals_of
from vc4sim.timeline import Names, Timeline, timeline_of
from vc4sim.workload import Start, load_source

from .trace_events import Events

#: Writes 32 vectors to the VPM as fast as it can, which is faster than the VPM takes those of several QPUs, and reads three when all are there.
PROGRAM = (
    "ldi vw_setup, 0x1a00\n"
    + "mov vpm, elem_num\n" * 32
    + "ldi vr_setup, 0x301a00\n"
    + "nop\n" * 8
    + "mov r0, vpm\n" * 3
)
PROGRAM += "thrend\nnop\nnop\n"


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(replace(preset("qpu"), tmus_per_slice=1), id="qpu"),
        pytest.param(preset("gpu"), id="gpu", marks=pytest.mark.thorough),
        *(pytest.param(preset(name), id=name, marks=pytest.mark.slow) for name in ("slice", "bcm2835")),
    ],
)
def test_each_register_counts_up_to_the_places(config):
    design, levels = Fragment.get(V3D(config), platform=None), levels_of(config)
    assert len({level.name for level in levels}) == len(levels)
    for level, register in zip(levels, signals_of(design, config), strict=True):
        assert register.shape() == Shape.cast(range(level.queue.depth + 1)), level.name
    with pytest.raises(LookupError, match=r"slice0\.qpu7\.level"):
        register_at(design, ("slice0", "qpu7", "level"))


def test_a_gpu_that_draws_has_all_of_them():
    assert [level.queue for level in levels_of(preset("gpu")) if not level.name.startswith("QPU 1")
            and "TMU 1" not in level.name] == list(QUEUES)  # fmt: skip


def counters(path, run, **options):
    """The values of each counter of a queue, with their clocks."""
    workload = load_source(str(path / "writes.qasm"), [Start()], [])
    job = Job(**{"image": workload.image, "base": workload.base, "launches": workload.launches} | options)
    with timeline_of(path / "t.json", lambda file: Timeline(file, job.built, Names()), is_rtl=True) as lines:
        run(lines.of(job, effects=False), None, None, lines.beside(None))
    found = defaultdict(list)
    for one in Events(path / "t.json").counters:
        if one["pid"] == 4:
            found[one["name"]].append((one["ts"], *one["args"].values()))
    return found


@pytest.fixture
def program(tmp_path):
    (tmp_path / "writes.qasm").write_text(PROGRAM)
    return load_source(str(tmp_path / "writes.qasm"), [Start()], [])


def test_levels_of_a_run(program, tmp_path, simulator):
    found = counters(tmp_path, simulator, config=preset("qpu"), launches=program.launches * 9)
    peaks = {name: max(level for _, level in values) for name, values in found.items()}
    assert peaks["QPU 0, VPM reads, of 32"] == 4 * 3
    # One of the nine runs while the last ones come.
    assert 4 <= peaks["programs of users, of 16"] <= 8
    assert all(values[-1][1] == 0 and all(clock % 16 == 0 for clock, _ in values) for values in found.values())
    assert not [name for name in found if "TMU" in name]


@pytest.mark.thorough
def test_several_qpus_fill_the_way_to_the_vpm(program, tmp_path, simulator):
    found = counters(tmp_path, simulator, config=preset("slice"), launches=program.launches * 4)
    # The level from which on instructions wait, and what the pipeline may still say.
    assert all(48 <= max(level for _, level in found[f"QPU {qpu}, VPM writes, of 64"]) <= 64 for qpu in range(4))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["native", "cxxrtl"])
def test_engines_tell_the_same(program, tmp_path, compiler, engine):
    configuration = replace(preset("qpu"), tmus_per_slice=2)
    pysim, other = (
        counters(tmp_path, ENGINES[on].run, config=configuration, launches=program.launches * 3)
        for on in ("pysim", engine)
    )
    assert pysim == other
    assert pysim
