"""Campaigns on Dask: workers, schedulers and clients that are killed in the middle of jobs."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from vc4sim.campaign.cluster import open_cluster
from vc4sim.campaign.job import Settings
from vc4sim.campaign.kinds import KINDS
from vc4sim.campaign.run import run_campaign
from vc4sim.campaign.store import Store
from vc4sim.cli import main
from vc4sim.problem import BadInput

from . import dask_job
from .fake import settings_of

# Those of Dask, about what was killed.
pytestmark = pytest.mark.filterwarnings("ignore")
pytest.importorskip("distributed", reason="needs Dask: pip install -e '.[campaign]'")

#: Seconds of a job, at most; of everything, at most.
JOB, PATIENCE = 0.6, 120


@pytest.fixture(autouse=True)
def found(monkeypatch):
    """Workers find what they are to do here."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2])


@pytest.fixture
def run(tmp_path):
    """What workers do, and the folder where they write down what they have done."""
    folder = tmp_path / "done"
    folder.mkdir()
    return partial(dask_job.recorded_job, str(folder), JOB)


def begun(tmp_path):
    """How often each job was begun, and how often it came to its end."""
    marks = list((tmp_path / "done").iterdir())
    numbers = [int(mark.name.partition("-")[0]) for mark in marks]
    ended = [number for mark, number in zip(marks, numbers, strict=True) if mark.read_text() == "ended"]
    return Counter(numbers), Counter(ended)


def contents(store):
    """All that is the same whoever has done the jobs."""
    jobs = store.rows("number, units, items, instructions", "job")
    return jobs, store.rows("*", "round"), [hits.tolist() for hits in store.covered.hits]


@pytest.fixture
def expected(tmp_path, run):
    """What nothing has disturbed."""
    store = Store.create(tmp_path / "expected.sqlite", settings_of(count=400))
    with open_cluster(2, run=run) as cluster:
        assert run_campaign(store, cluster)
    store.close()
    for mark in (tmp_path / "done").iterdir():
        mark.unlink()
    return contents(Store(store.path, writes=False))


def busy(tmp_path):
    """The processes that are in the middle of a job."""
    marks = [mark.read_text().split() for mark in (tmp_path / "done").iterdir()]
    return [int(mark[1]) for mark in marks if len(mark) == 2]


@contextlib.contextmanager
def killing(victims, seconds, most, seed):
    """Meanwhile, somebody kills one of those whose process ids `victims` gives, so often at the most: each needs time to begin."""
    rng, over, killed = random.Random(seed), threading.Event(), []

    def kill():
        while len(killed) < most and not over.wait(rng.uniform(*seconds)):
            some = sorted(set(victims()) - set(killed))
            if some:
                one = rng.choice(some)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)
                    killed.append(one)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


@pytest.mark.thorough
def test_workers_are_killed(tmp_path, run, expected):
    """In the middle of their jobs, which others then do."""
    store = Store.create(tmp_path / "one.sqlite", settings_of(count=400))
    with open_cluster(3, run=run) as cluster:
        with killing(partial(busy, tmp_path), (0.5, 1.2), most=3, seed=1) as killed:
            assert run_campaign(store, cluster)
    assert len(killed) >= 2
    once, ended = begun(tmp_path)
    assert set(once) == set(range(40))
    assert sum(once.values()) > 40, "nobody was killed in the middle of a job"
    assert set(ended) == set(range(40))
    assert contents(store) == expected
    assert store.progress.failures == 0
    store.close()


@pytest.mark.thorough
def test_a_job_that_kills_whoever_runs_it_is_told(tmp_path, run):
    """All others are done."""

    def fatal(folder, seconds, job):
        if job.number == 5:
            os._exit(1)
        return dask_job.recorded_job(folder, seconds, job)

    store = Store.create(tmp_path / "one.sqlite", settings_of(count=120))
    with open_cluster(2, run=partial(fatal, *run.args)) as cluster:
        assert run_campaign(store, cluster)
    assert 5 in [kept.job for kept in store.failures() if kept.failure.what == "LOST"]
    assert store.progress.jobs == 12
    store.close()


class Others:
    """A scheduler and workers in processes of their own."""

    def __init__(self, workers):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{one.getsockname()[1]}"
        port = self.address.rpartition(":")[2]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", port, "--host", "127.0.0.1"]
        self.scheduler = subprocess.Popen([*dask, "--no-dashboard"], **quiet)
        worker = [
            sys.executable,
            "-m",
            "distributed.cli.dask_worker",
            self.address,
            "--nthreads",
            "1",
            "--no-dashboard",
        ]
        self.workers = [subprocess.Popen([*worker, "--no-nanny"], **quiet) for _ in range(workers)]

    def close(self):
        for process in (self.scheduler, *self.workers):
            process.kill()
            process.wait()


@pytest.fixture
def others():
    """`others(workers)`: see `Others`."""
    made = []

    def make(workers=2):
        made.append(Others(workers))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.thorough
def test_the_scheduler_is_killed(tmp_path, run, expected, others):
    """What is done is in the file, and another scheduler goes on with it."""
    path = tmp_path / "one.sqlite"
    store, first = Store.create(path, settings_of(count=400)), others()

    def told(number, result):
        if store.progress.jobs == 12:
            first.scheduler.kill()

    before = time.monotonic()
    with pytest.raises(BadInput, match="scheduler"), open_cluster(2, first.address, run=run) as cluster:
        run_campaign(store, cluster, told)
    assert time.monotonic() - before < PATIENCE
    done = store.progress.jobs
    store.close()
    assert 12 <= done < 40
    store = Store(path, writes=True)
    with open_cluster(2, others().address, run=run) as cluster:
        assert run_campaign(store, cluster)
    assert contents(store) == expected
    store.close()


def command(*arguments):
    """`vc4 campaign` in a process of its own."""
    words = ["-c", "import sys; from vc4sim.cli import main; sys.exit(main())", "campaign", *map(str, arguments)]
    return [sys.executable, *words]


@pytest.mark.slow
def test_the_client_is_killed(tmp_path, monkeypatch):
    """With its scheduler and its workers, as when the power fails, again and again, and goes on."""
    monkeypatch.chdir(tmp_path)
    sizes = ("--count", 3_000_000, "--size", 65_536, "--seed", 7, "--round", 4, "--workers", 2)
    assert main(["campaign", "arithmetic", *map(str, sizes), "--file", "expected.sqlite"]) == 0
    one, rng, kills = tmp_path / "one.sqlite", random.Random(2), 0
    arguments = ("arithmetic", *sizes, "--file", one)
    while True:
        process = subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, text=True)
        try:
            process.wait(rng.uniform(4, 8) if kills < 3 else PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
            assert kills < 4
            if one.exists():
                arguments = ("resume", one, "--workers", 2)
            continue
        break
    assert process.returncode == 0
    assert kills >= 1
    stores = [Store(path, writes=False) for path in (one, tmp_path / "expected.sqlite")]
    assert contents(stores[0]) == contents(stores[1])
    for store in stores:
        store.close()


@pytest.mark.thorough
def test_an_interrupt_says_how_to_go_on(tmp_path):
    process = subprocess.Popen(
        command("arithmetic", "--count", 1 << 30, "--workers", 1, "--file", "one.sqlite"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + PATIENCE
    while not jobs_in(tmp_path / "one.sqlite") and time.monotonic() < deadline:
        time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out.splitlines()[-1] == "go on with: vc4 campaign resume one.sqlite"
    assert err.splitlines()[-1] == "vc4: interrupted"


def jobs_in(path):
    """How many are done."""
    if not path.exists():
        return 0
    store = Store(path, writes=False)
    try:
        return store.progress.jobs
    finally:
        store.close()


@pytest.mark.slow
def test_a_worker_makes_a_fault_of_the_hardware_small(tmp_path, monkeypatch, capsys):
    """The RTL that the worker has is wrong; the one here is not, so what is left passes."""
    kind = KINDS["programs"]
    settings = Settings(kind=kind.name, count=1, seed=1, config="qpu", size=1, round=1, shrink_runs=100)
    store = Store.create(tmp_path / "one.sqlite", settings)
    with open_cluster(1, run=partial(dask_job.faulty_job, str(tmp_path / "cache"))) as cluster:
        run_campaign(store, cluster)
    (kept,) = store.failures()
    assert kept.failure.what == "DIFFERENCE"
    assert int(kept.failure.small.split()[0]) <= 4, kept.failure.small
    store.close()
    case = tmp_path / "case"
    case.mkdir()
    for name, content in kept.failure.files.items():
        (case / name).write_bytes(content)
    assert main(["run", str(case), "--on", "pysim", "--lockstep"]) == 0
    monkeypatch.chdir(tmp_path)
    assert main(["campaign", "replay", "one.sqlite", "1"]) == 0
    assert "no difference at seed 1" in capsys.readouterr().out


@pytest.mark.slow
def test_two_workers_are_twice_as_fast(tmp_path):
    """Where there are two cores that have nothing else to do."""
    kind, seconds = KINDS["arithmetic"], []
    settings = Settings(kind=kind.name, count=20 * kind.size, seed=1, config="qpu", size=kind.size, round=8)
    for workers in (1, 2):
        store = Store.create(tmp_path / f"{workers}.sqlite", settings)
        with open_cluster(workers) as cluster:
            run_campaign(store, cluster)
        ends = [ended for (ended,) in store.rows("ended", "job", "ended")]
        # Without the first ones, for which workers have to load their modules and code.
        seconds.append(ends[-1] - ends[3])
        store.close()
    assert seconds[0] / seconds[1] > 1.6
