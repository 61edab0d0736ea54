"""The file of a campaign: an SQLite database, from which it goes on whatever has crashed.

| table | has |
|---|---|
| `campaign` | one row: the settings, and a digest of the groups of cells that are counted |
| `round` | the cells of which the jobs of a round have more, from when they are known |
| `job` | a row for each job that is done; what it has covered, until that is added up |
| `failure` | items that fail |
| `covered` | one row: what is covered by the first rounds, all of whose jobs are done |
| `session` | when somebody began to work on it, and with how many workers |

A job is pending until its row is there. The row, its failures, and what follows for cells and rounds are one transaction, so a crash
leaves all of it or nothing. Whoever brings a job a second time changes nothing.
"""

import fcntl
import hashlib
import json
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ..coverage.count import Cells
from ..problem import BadInput
from .job import Failure, Job, Result, Settings, SteeredCell
from .kinds import KINDS
from .steering import rare

__all__ = ["Kept", "Progress", "Store"]

#: "vc4c", and the form of the tables.
_APPLICATION, _VERSION = 0x7663_3463, 1
_TABLES = """
CREATE TABLE campaign (settings TEXT NOT NULL, groups TEXT NOT NULL) STRICT;
CREATE TABLE round (number INTEGER PRIMARY KEY, cells TEXT NOT NULL) STRICT;
CREATE TABLE job (
    number INTEGER PRIMARY KEY, units INTEGER NOT NULL, items INTEGER NOT NULL, instructions INTEGER NOT NULL,
    seconds REAL NOT NULL, processor REAL NOT NULL, ended REAL NOT NULL, session INTEGER NOT NULL, worker TEXT NOT NULL, sources TEXT NOT NULL,
    reached INTEGER NOT NULL, cells BLOB
) STRICT;
CREATE TABLE failure (
    number INTEGER PRIMARY KEY, job INTEGER NOT NULL, seed INTEGER NOT NULL, what TEXT NOT NULL, text TEXT NOT NULL,
    small TEXT NOT NULL, files BLOB NOT NULL
) STRICT;
CREATE TABLE covered (rounds INTEGER NOT NULL, cells BLOB NOT NULL) STRICT;
CREATE TABLE session (number INTEGER PRIMARY KEY, began REAL NOT NULL, workers INTEGER NOT NULL) STRICT;
"""
#: What a transaction has written is on the disk when it ends, whatever happens to the power.
_SYNCHRONOUS = "FULL"
#: Seconds until a reader gives up.
_PATIENCE = 60
#: Rounds until what a round has covered decides what there is more of: so nobody waits for the end of a round.
_DELAY = 2


class Kept(NamedTuple):
    """A failure in the file, with its number there, from 1 on, and its job."""

    number: int
    job: int
    failure: Failure


class Progress(NamedTuple):
    """How far a campaign is: sums over all jobs that are done."""

    jobs: int
    units: int
    items: int
    instructions: int
    seconds: float
    failures: int


class Store:
    """A campaign in its file. Close it in the end.

    settings : see `Settings`
    groups : of cells
    covered : by all jobs that are done
    """

    def __init__(self, path: Path, *, writes: bool):
        """Open the file of a campaign, to write if nobody else does. Raises `BadInput` if it is none."""
        if not path.is_file():
            raise BadInput(f"{path}: there is no such campaign")
        self.path = path
        self._lock = _locked(path) if writes else None
        self._database = _connect(path)
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    @classmethod
    def create(cls, path: Path, settings: Settings) -> "Store":
        """A new file. Raises `BadInput` if there is one, or no such folder."""
        if path.exists():
            raise BadInput(f"{path}: there is a file already: go on with it by `vc4 campaign resume`, or name another")
        if not path.parent.is_dir():
            raise BadInput(f"{path}: there is no such folder")
        groups = KINDS[settings.kind].groups(settings)
        # A file with half of the tables would be no campaign: it gets its name when all are there.
        draft = path.with_name(f"{path.name}.new")
        draft.unlink(missing_ok=True)
        with closing(_connect(draft)) as database, database:
            pragmas = {"synchronous": _SYNCHRONOUS, "application_id": _APPLICATION, "user_version": _VERSION}
            for name, value in pragmas.items():
                database.execute(f"PRAGMA {name} = {value}")
            database.executescript(f"BEGIN; {_TABLES} COMMIT;")
            database.execute("INSERT INTO campaign VALUES (?, ?)", (json.dumps(settings.fields), _digest(groups)))
            database.execute("INSERT INTO covered VALUES (0, ?)", (Cells(groups).packed(),))
            database.executemany("INSERT INTO round VALUES (?, '[]')", [(number,) for number in range(_DELAY)])
        draft.rename(path)
        return cls(path, writes=True)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()
        if self._lock:
            self._lock.close()

    def _read(self) -> None:
        try:
            self._database.execute(f"PRAGMA synchronous = {_SYNCHRONOUS}")
            numbers = [self._one(f"PRAGMA {name}")[0] for name in ("application_id", "user_version")]
            if numbers != [_APPLICATION, _VERSION]:
                raise BadInput(f"{self.path}: this is no campaign of this version of vc4")
            text, groups = self._one("SELECT settings, groups FROM campaign")
        except sqlite3.DatabaseError as error:
            raise BadInput(f"{self.path}: this is no campaign: {error}") from None
        self.settings = Settings(**json.loads(text))
        self.groups = KINDS[self.settings.kind].groups(self.settings)
        if groups != _digest(self.groups):
            raise BadInput(f"{self.path}: the campaign counts other cells than this version of vc4 does")
        rounds, packed = self._one("SELECT rounds, cells FROM covered")
        self._rounds = rounds
        self._folded = Cells(self.groups)
        self._folded.merge(packed)
        self.covered = Cells(self.groups)
        self.covered.merge(packed)
        for (cells,) in self._database.execute("SELECT cells FROM job WHERE cells IS NOT NULL"):
            self.covered.merge(cells)

    def _one(self, query: str, *values: object) -> tuple:
        """The first row."""
        return self._database.execute(query, values).fetchone()

    def begin(self, workers: int) -> None:
        """Somebody begins to work on it."""
        with self._database:
            self._database.execute("INSERT INTO session (began, workers) VALUES (?, ?)", (time.time(), workers))

    @property
    def nothing(self) -> bytes:
        """What a job has covered that has covered nothing."""
        return Cells(self.groups).packed()

    @property
    def pending(self) -> list[int]:
        """The numbers of jobs that are not done."""
        done = {number for (number,) in self._database.execute("SELECT number FROM job")}
        return [number for number in range(self.settings.jobs) if number not in done]

    def cells_of(self, round_: int) -> tuple[SteeredCell, ...] | None:
        """Cells of which the jobs of a round have more; `None`: that is not known yet."""
        row = self._one("SELECT cells FROM round WHERE number = ?", round_)
        return tuple(SteeredCell(*cell) for cell in json.loads(row[0])) if row else None

    def job(self, number: int) -> Job | None:
        """A job, if it is known."""
        cells = self.cells_of(self.settings.round_of(number))
        return None if cells is None else self.settings.job(number, cells)

    def record(self, number: int, result: Result) -> bool:
        """A job is done; returns whether it was not before. All of it is in the file, or nothing."""
        with self._database:
            # Nobody else writes between what is looked up and what is written.
            self._database.execute("BEGIN IMMEDIATE")
            if self._count(range(number, number + 1)):
                return False
            self.covered.merge(result.cells)
            (session,) = self._one("SELECT coalesce(max(number), 0) FROM session")
            row = (
                *(number, result.units, result.items, result.instructions, result.seconds, result.processor),
                *(time.time(), session),
                *(result.worker, result.sources, self.covered.total[0], result.cells),
            )
            self._database.execute(f"INSERT INTO job VALUES ({', '.join('?' * len(row))})", row)
            for failure in result.failures:
                files = {name: data.hex() for name, data in failure.files.items()}
                self._database.execute(
                    "INSERT INTO failure (job, seed, what, text, small, files) VALUES (?, ?, ?, ?, ?, ?)",
                    (number, *failure[:4], zlib.compress(json.dumps(files).encode())),
                )
            self._fold()
        return True

    def _fold(self) -> None:
        """Add up what the next rounds have covered, if all of their jobs are done; so it is known what later ones have more of."""
        settings = self.settings
        while (jobs := settings.jobs_of(self._rounds)) and self._count(jobs) == len(jobs):
            some = self._database.execute(
                "SELECT cells FROM job WHERE number BETWEEN ? AND ?", (jobs.start, jobs.stop - 1)
            )
            for (cells,) in some:
                self._folded.merge(cells)
            later = self._rounds + _DELAY
            wanted = rare(self._folded, KINDS[settings.kind].steerable(self.groups)) if settings.steer else []
            if settings.jobs_of(later):
                self._database.execute("INSERT INTO round VALUES (?, ?)", (later, json.dumps(wanted)))
            self._rounds += 1
            self._database.execute("UPDATE covered SET rounds = ?, cells = ?", (self._rounds, self._folded.packed()))
            self._database.execute(
                "UPDATE job SET cells = NULL WHERE number BETWEEN ? AND ?", (jobs.start, jobs.stop - 1)
            )

    def _count(self, jobs: range) -> int:
        """How many of some jobs are done."""
        return self._one("SELECT count(*) FROM job WHERE number BETWEEN ? AND ?", jobs.start, jobs.stop - 1)[0]

    @property
    def progress(self) -> Progress:
        """How far it is."""
        names = ("count(*)", *(f"coalesce(sum({name}), 0)" for name in ("units", "items", "instructions", "seconds")))
        (failures,) = self._one("SELECT count(*) FROM failure")
        return Progress(*self._one(f"SELECT {', '.join(names)} FROM job"), failures)

    def failures(self) -> Iterator[Kept]:
        """All of them."""
        rows = self._database.execute("SELECT number, job, seed, what, text, small, files FROM failure ORDER BY number")
        for number, job, *about, files in rows:
            found = {name: bytes.fromhex(data) for name, data in json.loads(zlib.decompress(files)).items()}
            yield Kept(number, job, Failure(*about, found))

    def rows(self, columns: str, table: str, order: str = "number") -> list[tuple]:
        """Some columns of a table, for a report."""
        return self._database.execute(f"SELECT {columns} FROM {table} ORDER BY {order}").fetchall()


def _connect(path: Path) -> sqlite3.Connection:
    # A reader waits for a writer.
    return sqlite3.connect(path, timeout=_PATIENCE)


def _locked(path: Path):
    """Nobody else works on the file as long as this is open."""
    lock = path.with_name(f"{path.name}.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise BadInput(f"{path}: somebody works on this campaign at the moment") from None
    return lock


def _digest(groups) -> str:
    """What says whether cells are the same."""
    about = [(group.name, list(group.dimensions.items())) for group in groups]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]
