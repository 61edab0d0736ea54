"""Timelines of programs: what they show is what the statistics count, and the same on all engines."""

import json

import pytest

from vc4.config import preset
from vc4sim.backends import model
from vc4sim.backends.base import Ending, Job
from vc4sim.backends.engines import ENGINES
from vc4sim.cli import main
from vc4sim.lockstep import Lockstep
from vc4sim.timeline import Names, Timeline, timeline_of
from vc4sim.workload import Start, load_example, load_source

from .trace_events import Events

#: Two loops with lookups, a store, and what waits for it.
PROGRAM = """
mov r0, unif
mov r1, unif
shl r2, elem_num, 2
add r0, r0, r2
ldi rb1, 0x1a00
:loop
mov t0s, r0
sub.setf r1, r1, 1
nop; ldtmu0
brr.anynz -, r:loop
mov vw_setup, rb1
mov vpm, r4
nop
:store
ldi vw_setup, 0x80904000
mov vw_addr, unif
read vw_wait
thrend
nop
nop
"""


@pytest.fixture
def workload(tmp_path):
    (tmp_path / "lookups.qasm").write_text(PROGRAM)
    start = Start(uniforms=("&out", "5", "&out"))
    return load_source(str(tmp_path / "lookups.qasm"), [start], ["out=64"])


def job_of(workload, **options):
    given = {"image": workload.image, "base": workload.base, "launches": workload.launches, "config": preset("slice")}
    return Job(**given | options)


def opened(path, workload, **about):
    names, config = Names.of(workload), job_of(workload).built
    return timeline_of(path, lambda file: Timeline(file, config, names), **about)


def timeline(path, workload, run, *, beside=None, **options):
    """The events of a run, and its outcome; the model if there is no simulator to `run`."""
    job = job_of(workload, **options)
    with opened(path, workload, is_rtl=bool(run), program=workload.name) as lines:
        if run:
            outcome = run(lines.of(job, effects=beside is not None), None, None, lines.beside(beside))
        else:
            outcome = model.run(job, lines.watch)
    return Events(path), outcome


def shown(events):
    return [(one.track, one.name, one.args, one.parents) for one in events.of("instruction")]


@pytest.fixture
def on_rtl(tmp_path, workload, simulator):
    return timeline(tmp_path / "rtl.json", workload, simulator)


@pytest.mark.thorough
class TestRtl:
    def test_slices_add_up_to_the_statistics(self, on_rtl):
        events, outcome = on_rtl
        assert outcome.ending is Ending.DONE
        assert len(events.of("instruction")) == outcome.instructions == 5 + 5 * 7 + 6
        assert events.clocks_by_name("stall") == {name: clocks for name, clocks in outcome.stalls.items() if clocks}
        assert {"fetch", "tmu_result", "vdw"} <= set(events.clocks_by_name("stall"))

    def test_a_program_holds_labels_and_these_hold_instructions(self, on_rtl):
        events, _ = on_rtl
        assert [one.name for one in events.of("program")] == ["program at 0x00010000"]
        assert [one.name for one in events.of("label")] == ["loop", "store"]
        (store,) = (one for one in events.of("instruction") if one.name.startswith("ldi vw_setup, 0x8"))
        assert store.parents == ("program at 0x00010000", "store")
        assert store.args["source"].endswith("lookups.qasm:16: store")
        assert store.track == "QPU 0"

    def test_the_bus_is_shown_client_by_client(self, on_rtl):
        events, outcome = on_rtl
        stores = [one for one in events.of("memory") if one.track.startswith("DMA stores")]
        assert sum(one.args["bytes"] for one in stores) == 64
        assert {one.name for one in stores} == {"write 64 bytes"}
        reads = [one for one in events.of("memory") if one.track.startswith("L2 cache")]
        assert len(reads) == outcome.counts["L2C_MISSES"]
        assert all(20 < one.clocks < 60 for one in reads)

    def test_counters_end_with_nothing_under_way(self, on_rtl):
        events, _ = on_rtl
        last = {one["name"]: one["args"] for one in events.counters}
        assert last.pop("programs that run") == {"programs": 0}
        assert last.pop("requests under way") == {"reads": 0, "writes": 0}
        # All others are levels of queues.
        assert [list(values.values()) for values in last.values()] == [[0]] * len(last)
        assert max(one["args"].get("reads", 0) for one in events.counters) > 1

    def test_it_says_what_a_clock_is(self, on_rtl):
        events, _ = on_rtl
        assert events.about == {
            "program": on_rtl[0].about["program"],
            "unit": "1 microsecond is 1 clock",
            "complete": True,
        }


@pytest.mark.thorough
def test_the_model_shows_the_same_instructions(on_rtl, tmp_path, workload):
    events, outcome = timeline(tmp_path / "model.json", workload, None)
    assert shown(events) == shown(on_rtl[0])
    assert outcome.instructions == len(shown(events))
    assert [one.first for one in events.of("instruction")] == list(range(0, 4 * outcome.instructions, 4))
    assert not events.of("stall")
    assert sum(one["args"]["bytes"] for one in events.instants) == 64


@pytest.mark.thorough
def test_lockstep_follows_beside_it(on_rtl, tmp_path, workload, simulator):
    lockstep = Lockstep(job_of(workload))
    events, outcome = timeline(tmp_path / "beside.json", workload, simulator, beside=lockstep)
    lockstep.conclude(outcome)
    assert events.slices == on_rtl[0].slices


@pytest.mark.thorough
def test_all_engines_write_the_same(tmp_path, compiler):
    workload, config = load_example("prefix_sum"), preset("qpu")
    found = [
        timeline(tmp_path / f"{on}.json", workload, ENGINES[on].run, config=config)[0]
        for on in ("pysim", "native", "cxxrtl")
    ]
    assert found[0].slices == found[1].slices == found[2].slices
    assert len({str(sorted(one.counters, key=str)) for one in found}) == 1


@pytest.mark.thorough
def test_several_qpus_and_threads(tmp_path, simulator):
    workload = load_example("mandelbrot")
    launches = workload.launches * 6
    events, outcome = timeline(tmp_path / "several.json", workload, simulator, launches=launches)
    assert {one.track for one in events.of("instruction")} == {f"QPU {number}" for number in range(4)}
    assert len(events.of("program")) == len(launches)
    assert events.clocks_by_name("stall") == {name: clocks for name, clocks in outcome.stalls.items() if clocks}
    running = [one["args"]["programs"] for one in events.counters if one["name"] == "programs that run"]
    assert max(running) == 4
    assert running[-1] == 0


class TestFile:
    """What is there when things go wrong."""

    def broken_off(self, path, workload, error):
        def watch(event):
            lines.watch(event)
            if event.qpu == 0 and getattr(event, "pc", 0) == workload.base + 5 * 8:
                raise error

        with opened(path, workload, is_rtl=False) as lines:
            model.run(job_of(workload), watch)

    def test_an_interrupted_run_leaves_a_whole_file(self, tmp_path, workload):
        with pytest.raises(KeyboardInterrupt):
            self.broken_off(tmp_path / "cut.json", workload, KeyboardInterrupt())
        events = Events(tmp_path / "cut.json")
        assert len(events.of("instruction")) == 6
        assert events.about["complete"] is False

    def test_nothing_is_there_while_it_runs(self, tmp_path, workload):
        path = tmp_path / "later.json"
        with opened(path, workload, is_rtl=False):
            assert not path.exists()
        assert path.exists()
        assert {one.name for one in tmp_path.iterdir()} == {"later.json", "lookups.qasm"}

    @pytest.mark.thorough
    def test_a_program_that_never_ends(self, tmp_path, workload, simulator):
        events, outcome = timeline(tmp_path / "long.json", workload, simulator, max_cycles=300)
        assert outcome.ending is Ending.TOO_LONG
        assert events.clocks_by_name("stall") == {name: clocks for name, clocks in outcome.stalls.items() if clocks}

    def test_commands_write_it(self, tmp_path, capsys):
        path = tmp_path / "run.json"
        assert main(["run", "prefix_sum", "--timeline", str(path)]) == 0
        assert json.loads(path.read_text())["otherData"]["program"] == "prefix_sum"

    @pytest.mark.parametrize(("name", "said"), [("run.txt", "must end with .json"), ("no/run.json", "No such file")])
    def test_bad_files(self, name, said, tmp_path, capsys):
        assert main(["run", "prefix_sum", "--timeline", str(tmp_path / name)]) == 2
        assert said in capsys.readouterr().err
