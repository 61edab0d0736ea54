"""Random programs: instructions, branches, loops, thread switches, stores, semaphores, up to an end that they always reach."""

import random
from collections.abc import Callable

from vc4.isa import ops
from vc4.isa.registers import NOP, read_address, write_address
from vc4.isa.sync import SEMAPHORE_ACQUIRE, SEMAPHORE_MAX, SEMAPHORES
from vc4.isa.timing import DELAY_SLOTS, END_SLOTS, READ_SETUPS

from .flow import Flow
from .place import Place
from .values import random_value
from .vpm import LOAD_BYTES, load_pitch, load_setup, read_setup, store_setup, store_stride, write_setup
from .wanted import NOTHING, Wanted

__all__ = ["OUTPUT_BYTES", "UNIFORM_BYTES", "Program"]

UNIFORM_BYTES = 4096
OUTPUT_BYTES = 8192
#: How far a program counts a semaphore up: three programs of a run never reach the end.
_MOST_COUNTED = SEMAPHORE_MAX // 3
_WAIT, _BUSY = read_address("vw_wait"), read_address("vw_busy")
_SETUP, _STORE, _MOVE = (write_address(name) for name in ("vw_setup", "vw_addr", "unif_addr"))
_VECTOR = read_address("vpm")
#: Vectors that a program sets up to read at once, at the most.
_MOST_VECTORS = 16


class Program(Flow):
    """A random program of at least `length` words.

    threaded : another thread may use the QPU at the same time
    again : it runs more than once, so its registers begin with uniforms, not with constants, and semaphores end as they began
    wanted : what it is to have more of: see `Words`, and parts of the program, in the form `part`
    """

    def __init__(
        self,
        random_: random.Random,
        length: int,
        place: Place,
        *,
        threaded: bool,
        again: bool = False,
        wanted: Wanted = NOTHING,
    ):
        super().__init__(random_, place, wanted, threaded=threaded)
        # How far each semaphore is above what it was in the beginning.
        self._counted = [0] * SEMAPHORES
        # Nobody else uses the QPU. What is left over when a thread ends is nobody's.
        self._alone = not threaded
        self._again = again
        # Vectors of each set-up of reads that are not read.
        self._unread: list[int] = []
        self._begin()
        makers, weights = zip(*self._kinds(), strict=True)
        while len(self.words) < length:
            self._holds = None
            wish = wanted.draw(random_, "part")
            named = [make for make in makers if wish and make.__name__ == f"_{wish[1]['name']}"]
            (named or random_.choices(makers, weights))[0]()
        self._end()

    def _kinds(self) -> list[tuple[Callable[[], None], int]]:
        """What adds something to the program, and how often."""
        return [
            (self._plain, 80),
            (self._set_up, 4),
            (self._store, 2),
            (self._load, 2),
            (self._read_vectors, 3),
            (self._move_uniforms, 3),
            (self._branch, 6),
            (self._loop, 2),
            (self._switch, 3),
            *self._shares(),
            (self._exclude, 2),
        ]

    def _shares(self) -> list[tuple[Callable[[], None], int]]:
        """What it does with semaphores."""
        return [(self._count, 2)]

    def _begin(self) -> None:
        """A set-up of the VPM, and something in every register."""
        self._fixed(self._make.constant(_SETUP, 1, 0x1A00), self._make.constant(_SETUP, 1, 0x8401_4000 | 16 << 16))
        self._fill()

    def _fill(self) -> None:
        """Something in every register."""
        make, random_ = self._make, self._random
        for file in range(2):
            self.words += [
                make.uniform(to, file) if self._again else make.constant(to, file, random_value(random_))
                for to in make.registers
            ]

    def _set_up(self) -> None:
        """A set-up of VPM writes, seldom of DMA stores."""
        draw = self._random.choice((write_setup, write_setup, store_setup, store_stride))
        self.words.append(self._make.constant(_SETUP, 1, draw(self._random)))

    def _store(self) -> None:
        """A DMA store into the output, and often a look at whether it runs, or a wait for it."""
        address = self._place.output + 4 * self._random.randrange(OUTPUT_BYTES // 8)
        self.words.append(self._make.constant(_STORE, 1, address))
        for _ in range(self._random.randrange(3)):
            self._plain()
        if self._random.random() < 0.7:
            looks = self._random.choice((_WAIT, _WAIT, _BUSY))
            self.words.append(self._make.alu(signal=ops.Signal.NONE, raddr_b=looks))

    def _set_up_load(self) -> None:
        for draw in (load_setup, load_pitch):
            if self._random.random() < 0.7:
                self.words.append(self._make.constant(_SETUP, 0, draw(self._random)))

    def _load(self) -> None:
        """A DMA load from the uniforms, which nobody writes, and often a look at whether it runs, or a wait for it."""
        self._set_up_load()
        address = self._place.uniforms + self._random.randrange(UNIFORM_BYTES - LOAD_BYTES)
        self.words.append(self._make.constant(_STORE, 0, address))
        for _ in range(self._random.randrange(3)):
            self._plain()
        if self._random.random() < 0.7:
            looks = self._random.choice((_WAIT, _WAIT, _BUSY))
            self.words.append(self._make.alu(signal=ops.Signal.NONE, raddr_a=looks))

    def _read_setup(self, count: int) -> int:
        """A set-up word for reads of `count` vectors."""
        return read_setup(self._random, count)

    def _read_vectors(self) -> None:
        """A few reads of vectors, which may be of earlier set-ups; seldom there are more set-ups than the hardware takes."""
        random_ = self._random
        self._settle()
        for _ in range(random_.choice((1, 1, 1, 2, 3))):
            count = random_.randrange(1, _MOST_VECTORS + 1)
            self._fixed(self._make.constant(_SETUP, 0, self._read_setup(count)))
            if len(self._unread) < READ_SETUPS:
                self._unread.append(count)
            if random_.random() < 0.3:
                self._plain()
        left = random_.randrange(sum(self._unread)) if self._alone and random_.random() < 0.3 else 0
        while sum(self._unread) > left:
            port_a, port_b = random_.choice(((_VECTOR, NOP), (NOP, _VECTOR), (_VECTOR, _VECTOR)))
            self._fixed(self._make.alu(signal=ops.Signal.NONE, raddr_a=port_a, raddr_b=port_b))
            self._unread[0] -= 1
            if not self._unread[0]:
                self._unread.pop(0)
            while random_.random() < 0.3:
                self._plain()

    def _move_uniforms(self) -> None:
        """The next uniforms come from elsewhere: from an address, or a little after the last one."""
        words = self._random.randrange(64)
        if self._random.random() < 0.7:
            self.words.append(self._make.constant(_MOVE, 0, self._place.uniforms + 4 * words))
        else:
            self.words.append(self._make.constant(_MOVE, 1, words % 16))

    def _semaphore(self, number: int, operation: int) -> None:
        self._fixed(self._make.semaphore(operation | number))

    def _count(self) -> None:
        """Semaphores count up, and down by no more than this program has counted them up."""
        self._settle()
        for _ in range(self._random.randrange(1, 6)):
            number = self._random.randrange(SEMAPHORES)
            counted = self._counted[number]
            if counted == _MOST_COUNTED or counted and self._random.random() < 0.6:
                self._semaphore(number, SEMAPHORE_ACQUIRE)
                self._counted[number] -= 1
            else:
                self._semaphore(number, 0)
                self._counted[number] += 1
            if self._random.random() < 0.5:
                self._plain()

    def _exclude(self) -> None:
        """A few instructions with the mutex; the other thread does not run meanwhile."""
        self._settle()
        self._fixed(self._make.acquire_mutex())
        for _ in range(self._random.randrange(4)):
            self._plain()
        self._fixed(self._make.free_mutex())

    def _end(self) -> None:
        """The end, often in the delay slots of a branch."""
        self._settle()
        if self._again:
            for number, counted in enumerate(self._counted):
                for _ in range(counted):
                    self._semaphore(number, SEMAPHORE_ACQUIRE)
        if self._random.random() < 0.75:
            self._close_branch()
            for _ in range(self._random.randrange(DELAY_SLOTS)):
                self._plain()
        self._fixed(self._make.alu(signal=ops.Signal.PROGRAM_END, raddr_b=NOP))
        self.words += [self._make.alu(signal=ops.Signal.NONE, raddr_b=NOP) for _ in range(END_SLOTS)]
