"""Random programs that run on several QPUs at the same time, and wait for each other."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from vc4.isa import ops
from vc4.isa.registers import NOP, read_address, write_address
from vc4.isa.sync import SEMAPHORE_ACQUIRE, SEMAPHORES

from .place import Place
from .program import Program
from .vpm import load_setup, row_setup
from .wanted import NOTHING, Wanted

__all__ = ["MOST_MEMBERS", "MOST_ROWS", "Member", "Role"]

#: Semaphores 0 and up are those of the ring, the others are for everybody.
MOST_MEMBERS = 12
_OF_ALL = range(MOST_MEMBERS, SEMAPHORES)
#: Rows that set-ups of writes can name, and how many of all belong to who has the mutex: the last ones.
MOST_ROWS, _SHARED_ROWS = 64, 4
_MOST_UNITS = 8
_WAIT = read_address("vw_wait")
_SETUP, _STORE = write_address("vw_setup"), write_address("vw_addr")


@dataclass(frozen=True, slots=True)
class Role:
    """What one of `members` programs that run side by side is among them.

    number : of the program, from 0 on
    members : how many there are, `MOST_MEMBERS` at the most
    meetings : how often it hands on to the next one and waits for the one before; all have the same
    vpm_rows : of all members together
    """

    number: int
    members: int
    meetings: int
    vpm_rows: range = range(MOST_ROWS)

    @property
    def rows(self) -> range:
        """The rows of the VPM that nobody else uses."""
        count = (len(self.vpm_rows) - _SHARED_ROWS) // self.members
        return self.vpm_rows[self.number * count : (self.number + 1) * count]

    @property
    def shared_rows(self) -> range:
        """Those of who has the mutex."""
        return self.vpm_rows[-_SHARED_ROWS:]


class Member(Program):
    """A random program of at least `length` words, one of several.

    Whatever the others do, it does the same, and nobody waits for ever: in each meeting it releases the semaphore of the next
    one before it acquires its own, so none is ahead by more meetings than there are members. Semaphores of all it acquires
    only after it has released them. The rows that all share it uses while it has the mutex, and waits there for nothing but
    its store.
    """

    def __init__(self, random_: random.Random, length: int, place: Place, role: Role, wanted: Wanted = NOTHING):
        self._role = role
        self._left = role.meetings
        super().__init__(random_, length, place, threaded=False, wanted=wanted)

    def _shares(self) -> list[tuple[Callable[[], None], int]]:
        return [(self._meet, 3), (self._pass_through, 3)]

    def _begin(self) -> None:
        self._set_up_both(self._role.rows)
        self._fill()

    def _end(self) -> None:
        while self._left:
            self._meet()
        super()._end()

    def _write_setup(self, rows: range) -> int:
        """A set-up word for writes that all go to one row."""
        return row_setup(self._random.choice(rows))

    def _read_setup(self, count: int) -> int:
        """A set-up word for reads of one row."""
        return row_setup(self._random.choice(self._role.rows), count)

    def _set_up_load(self) -> None:
        self._fixed(self._make.constant(_SETUP, 0, load_setup(self._random, self._role.rows)))

    def _store_setup(self, rows: range) -> int:
        """A set-up word for stores of some of the rows."""
        units, depth = self._random.randrange(1, min(len(rows), _MOST_UNITS) + 1), self._random.randrange(1, 17)
        row = self._random.randrange(rows.start, rows.stop + 1 - units)
        column = self._random.randrange(17 - depth)
        return 2 << 30 | units << 23 | depth << 16 | 1 << 14 | row << 7 | column << 3

    def _set_up_both(self, rows: range) -> None:
        """From here on writes and stores are about `rows`."""
        self._fixed(*(self._make.constant(_SETUP, 1, make(rows)) for make in (self._write_setup, self._store_setup)))

    def _set_up(self) -> None:
        rows = self._role.rows
        stride = 3 << 30 | self._random.randrange(32) * 4
        self._fixed(
            self._make.constant(
                _SETUP, 1, self._random.choice((self._write_setup(rows), self._store_setup(rows), stride))
            )
        )

    def _plains(self, most: int) -> None:
        for _ in range(self._random.randrange(most)):
            self._plain()

    def _meet(self) -> None:
        """The next one may go on, and this one waits until the one before has come as far."""
        if not self._left:
            return
        self._left -= 1
        self._settle()
        self._semaphore((self._role.number + 1) % self._role.members, 0)
        self._plains(8)
        self._semaphore(self._role.number, SEMAPHORE_ACQUIRE)

    def _pass_through(self) -> None:
        """A semaphore that everybody counts up and then down."""
        number = self._random.choice(_OF_ALL)
        self._settle()
        self._semaphore(number, 0)
        self._plains(8)
        self._semaphore(number, SEMAPHORE_ACQUIRE)

    def _exclude(self) -> None:
        """A store of rows that all share, under the mutex."""
        self._settle()
        self._fixed(self._make.acquire_mutex())
        self._set_up_both(self._role.shared_rows)
        self._plains(12)
        store = self._make.constant(_STORE, 1, self._place.output + 4 * self._random.randrange(64))
        self._fixed(store, self._make.alu(signal=ops.Signal.NONE, raddr_a=NOP, raddr_b=_WAIT))
        self._set_up_both(self._role.rows)
        self._fixed(self._make.free_mutex())
