"""Whatever crashes: no job is lost, none counts twice, and the same settings give the same campaign."""

import sqlite3

import pytest

from vc4sim.campaign.job import Result
from vc4sim.campaign.run import run_campaign
from vc4sim.campaign.store import Store
from vc4sim.problem import BadInput

from .fake import Chaos, Crash, contents, result_of, settings_of


@pytest.fixture(autouse=True)
def quick(request, monkeypatch):
    """No test needs to wait for the disk, but the one that looks whether others do."""
    if "synchronous" not in request.node.name:
        monkeypatch.setattr("vc4sim.campaign.store._SYNCHRONOUS", "OFF")


class Orderly:
    """One job at a time, in their order."""

    def __init__(self, run=result_of):
        self.jobs, self.run, self.done = [], run, []

    @property
    def room(self):
        return 1 - len(self.jobs)

    @property
    def working(self):
        return bool(self.jobs)

    def submit(self, job):
        self.jobs.append(job)

    def results(self):
        job = self.jobs.pop()
        self.done.append(job.number)
        yield job.number, self.run(job)


@pytest.fixture
def campaign(tmp_path):
    """A new one in a file of its own."""
    opened = []

    def make(name="one", **options):
        opened.append(Store.create(tmp_path / f"{name}.sqlite", settings_of(**options)))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def expected(campaign):
    """What nothing has disturbed."""
    store = campaign("expected")
    assert run_campaign(store, Orderly())
    return contents(store)


def test_all_jobs_are_done(campaign):
    store, workers = campaign(count=295), Orderly()
    assert run_campaign(store, workers)
    assert workers.done == list(range(30))
    progress = store.progress
    assert (progress.jobs, progress.units, progress.instructions, progress.failures) == (30, 295, 7 * 295, 3)
    assert store.pending == []


def test_jobs_have_seeds_of_their_own():
    settings = settings_of(count=295)
    seeds = [(job.seed, job.units) for job in map(settings.job, range(settings.jobs))]
    assert seeds == [(5 + 10 * number, 10) for number in range(29)] + [(295, 5)]


@pytest.mark.parametrize("seed", range(12))
def test_disorder_changes_nothing(campaign, expected, seed):
    """Any order, jobs that are done again, answers that come twice or not at all."""
    store, workers = campaign(), Chaos(seed)
    assert run_campaign(store, workers)
    assert contents(store) == expected
    assert len(workers.done) > 30


@pytest.mark.parametrize("seed", range(8))
def test_it_goes_on_after_any_number_of_crashes(tmp_path, expected, seed):
    path, crashes = tmp_path / "one.sqlite", 0
    store = Store.create(path, settings_of())
    while True:
        try:
            finished = run_campaign(store, Chaos(100 * seed + crashes, most=1 + seed))
        except Crash:
            crashes += 1
            store.close()
            store = Store(path, writes=True)
            continue
        break
    assert finished
    assert crashes >= 30 // (2 + seed) - 1
    assert contents(store) == expected
    store.close()
    reopened = Store(path, writes=False)
    assert contents(reopened) == expected
    reopened.close()


def test_a_transaction_is_whole_or_nothing(tmp_path):
    """The power fails in the middle of one: what is in the file then has nothing of the job."""
    path = tmp_path / "one.sqlite"
    store = Store.create(path, settings_of())
    store.record(0, result_of(store.job(0)))
    before = path.read_bytes()

    class Power(Exception):
        pass

    def fails(rounds):
        raise Power

    fold, store._fold = store._fold, lambda: fails(1)
    with pytest.raises(Power):
        store.record(3, result_of(store.job(3)))
    store._fold = fold
    store.close()
    assert path.read_bytes() == before
    again = Store(path, writes=True)
    assert again.pending[0] == 1
    assert 3 in again.pending
    assert again.progress.failures == 0
    assert again.record(3, result_of(again.job(3)))
    assert again.progress.failures == 1
    again.close()


def test_transactions_are_synchronous(campaign):
    """What SQLite calls FULL."""
    assert campaign().rows("synchronous", "pragma_synchronous", "1") == [(2,)]


def test_a_job_counts_once(campaign):
    store = campaign()
    result = result_of(store.job(3))
    assert store.record(3, result)
    once = contents(store)
    assert not store.record(3, result)
    assert contents(store) == once


def test_lost_jobs_are_failures(campaign):
    """A job that ends whoever runs it is told, and the others go on."""
    store = campaign()
    assert run_campaign(store, Orderly(lambda job: None if job.number == 4 else result_of(job)))
    lost = [kept for kept in store.failures() if kept.failure.what == "LOST"]
    assert [(kept.job, kept.failure.seed) for kept in lost] == [(4, 45)]
    assert store.pending == []


def test_enough_failures_end_it(campaign):
    store = campaign()
    assert not run_campaign(store, Orderly(), most_failures=2)
    assert store.progress.failures == 2
    assert run_campaign(store, Orderly())


class TestSteering:
    def test_rare_cells_are_asked_for(self, campaign):
        """From the third round on, whatever the first has left; the last rounds have what all before them have left."""
        store, cells = campaign(), {}

        def note(job):
            cells[job.number] = job.cells
            return result_of(job)

        run_campaign(store, Orderly(note))
        assert all(cells[number] == () for number in range(8))
        assert all(cells[number] for number in range(8, 30))
        assert all(cells[first] == cells[first + 1] for first in range(0, 30, 4))
        weights = [cell.weight for cell in cells[8]]
        assert weights == sorted(weights, reverse=True)

    def test_more_is_reached_with_it(self, campaign):
        plain, steered = campaign("plain", steer=False), campaign("steered")
        for store in (plain, steered):
            run_campaign(store, Orderly())
        assert steered.covered.total[0] > plain.covered.total[0]
        assert plain.rows("DISTINCT cells", "round") == [("[]",)]

    def test_a_round_waits_for_what_decides_it(self, campaign):
        store = campaign()
        for number in range(1, 8):
            store.record(number, result_of(store.job(number)))
        assert store.job(8) is None
        store.record(0, result_of(store.job(0)))
        assert store.job(8).cells
        assert store.job(15).cells != ()
        assert store.job(16) is None or store.job(16).cells


class TestFiles:
    def test_one_works_on_a_campaign(self, campaign):
        store = campaign()
        with pytest.raises(BadInput, match="somebody works on this campaign"):
            Store(store.path, writes=True)
        Store(store.path, writes=False).close()

    def test_no_campaign_is_overwritten(self, campaign):
        store = campaign()
        with pytest.raises(BadInput, match="there is a file already"):
            Store.create(store.path, store.settings)

    @pytest.mark.parametrize("content", [b"", b"nothing of the kind", bytes(4096)])
    def test_other_files_are_refused(self, tmp_path, content):
        path = tmp_path / "other"
        path.write_bytes(content)
        with pytest.raises(BadInput, match="this is no campaign"):
            Store(path, writes=False)

    def test_other_databases_are_refused(self, tmp_path):
        path = tmp_path / "other.sqlite"
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE job (number)")
        database.commit()
        database.close()
        with pytest.raises(BadInput, match="this is no campaign"):
            Store(path, writes=False)

    def test_other_cells_are_refused(self, campaign):
        store = campaign()
        store.close()
        database = sqlite3.connect(store.path)
        database.execute("UPDATE campaign SET groups = 'others'")
        database.commit()
        database.close()
        with pytest.raises(BadInput, match="counts other cells"):
            Store(store.path, writes=False)

    def test_what_is_folded_takes_no_room(self, campaign):
        store = campaign()
        run_campaign(store, Orderly())
        assert store.rows("count(*)", "job WHERE cells IS NOT NULL") == [(0,)]


def test_there_are_seeds_for_all(tmp_path):
    with pytest.raises(BadInput, match="seed for each unit"):
        settings_of(count=1 << 31)


def test_results_are_kept_as_they_are(campaign):
    store = campaign()
    result = result_of(store.job(3))
    store.record(3, result)
    (kept,) = store.failures()
    assert kept.failure == result.failures[0]
    assert isinstance(result, Result)
