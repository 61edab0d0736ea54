"""Random programs: instructions, branches, loops, thread switches, stores, semaphores, up to an end that they always reach."""

import random
from collections.abc import Callable

from vc4.isa import ops
from vc4.isa.decode import encode
from vc4.isa.registers import FILE_REGISTERS, NOP, read_address, write_address
from vc4.isa.sync import SEMAPHORE_ACQUIRE, SEMAPHORE_MAX, SEMAPHORES
from vc4.isa.timing import DELAY_SLOTS, END_SLOTS, READ_SETUPS, SWITCH_SLOTS
from vc4.isa.word import NOP_WORD, WORD_BYTES, BranchWord

from ..asm import assemble
from .place import Place
from .values import SWITCHES, random_value
from .vpm import LOAD_BYTES, load_pitch, load_setup, read_setup, store_setup, store_stride, write_setup
from .words import Words

__all__ = ["OUTPUT_BYTES", "UNIFORM_BYTES", "Program"]

UNIFORM_BYTES = 4096
OUTPUT_BYTES = 8192
#: Kept for the program itself: loop counters and branch targets. The other thread sees it in two places.
_RESERVED = 15
_OF_OTHER_THREADS = (30, 31)
#: Instructions that a branch leaves out, at the most.
_MOST_SKIPPED = DELAY_SLOTS
#: Where the signal of an instruction lies, and those of switches.
_SIGNAL_SHIFT, _SWITCH_CODES = 60, tuple(signal.value for signal in SWITCHES)
#: How far a program counts a semaphore up: three programs of a run never reach the end.
_MOST_COUNTED = SEMAPHORE_MAX // 3
_WAIT, _BUSY = read_address("vw_wait"), read_address("vw_busy")
_SETUP, _STORE, _MOVE = (write_address(name) for name in ("vw_setup", "vw_addr", "unif_addr"))
_VECTOR = read_address("vpm")
#: Vectors that a program sets up to read at once, at the most.
_MOST_VECTORS = 16


class Program:
    """A random program of at least `length` words.

    threaded : another thread may use the QPU at the same time
    words : the instructions
    frame : the indices of those without which it might not end, or leave its memory
    """

    def __init__(self, random_: random.Random, length: int, place: Place, *, threaded: bool):
        reserved = {_RESERVED, *(_OF_OTHER_THREADS if threaded else ())}
        self.words: list[int] = []
        self.frame: set[int] = set()
        self._random = random_
        self._place = place
        self._make = Words(random_, tuple(number for number in range(FILE_REGISTERS) if number not in reserved))
        # What the reserved register of file A holds, if that is known.
        self._holds: int | None = None
        # How far each semaphore is above what it was in the beginning.
        self._counted = [0] * SEMAPHORES
        # Nobody else uses the QPU. What is left over when a thread ends is nobody's.
        self._alone = not threaded
        # Vectors of each set-up of reads that are not read.
        self._unread: list[int] = []
        self._begin()
        makers, weights = zip(*self._kinds(), strict=True)
        while len(self.words) < length:
            self._holds = None
            random_.choices(makers, weights)[0]()
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

    def _fixed(self, *words: int) -> None:
        """Instructions of the frame."""
        self.frame |= set(range(len(self.words), len(self.words) + len(words)))
        self.words += words

    def _plain(self) -> None:
        self.words.append(self._make.plain())

    def _begin(self) -> None:
        """A set-up of the VPM, and something in every register."""
        self._fixed(self._make.constant(_SETUP, 1, 0x1A00), self._make.constant(_SETUP, 1, 0x8401_4000 | 16 << 16))
        self._fill()

    def _fill(self) -> None:
        """Something in every register."""
        for file in range(2):
            self.words += [self._make.constant(to, file, random_value(self._random)) for to in self._make.registers]

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
        """The next uniforms come from elsewhere: from an address, or a little behind the last one."""
        words = self._random.randrange(64)
        if self._random.random() < 0.7:
            self.words.append(self._make.constant(_MOVE, 0, self._place.uniforms + 4 * words))
        else:
            self.words.append(self._make.constant(_MOVE, 1, words % 16))

    def _hold(self, value: int) -> None:
        """The reserved register of file A gets a value, one to three instructions before what comes next."""
        distance = self._random.randrange(1, 4)
        setting = self._make.constant(_RESERVED, 0, value)
        self._fixed(setting)
        for _ in range(max(1, distance - 1)):
            self._plain()
        if distance == 1:
            # What is written right before is read too late, and so must be there already.
            self._fixed(setting)
        self._holds = value

    def _here(self) -> int:
        """The address of the next instruction."""
        return self._place.base + WORD_BYTES * len(self.words)

    def _add_branch(self, skipped: int, *, register: bool) -> None:
        """A branch over some instructions behind its delay slots; `register`: to what the reserved register holds."""
        target = self._here() + WORD_BYTES * (1 + DELAY_SLOTS + skipped)
        holds = (_RESERVED, self._holds) if register and self._holds is not None else None
        self.words.append(self._make.branch(self._here(), target, holds))

    def _branch(self) -> None:
        """A branch forward over a few instructions, its target given in one of four ways."""
        random_ = self._random
        # A branch in the third delay slot comes back to the fourth instruction behind it. That must not be before the
        # target of this one, where the reserved register may hold something else by then.
        skipped, register = random_.randrange(_MOST_SKIPPED + 1), random_.random() < 0.5
        if register:
            self._hold(WORD_BYTES * random_.randrange(64))
        self._add_branch(skipped, register=register)
        for _ in range(DELAY_SLOTS + skipped):
            self._shadow()

    def _close_branch(self) -> None:
        """A branch that goes nowhere else: its target is the instruction after its delay slots."""
        self._add_branch(0, register=self._random.random() < 0.5)

    def _shadow(self) -> None:
        """An instruction in delay slots: seldom something that has delay slots of its own."""
        kind = self._random.random()
        if kind < 0.15:
            self._close_branch()
        elif kind < 0.22:
            self.words.append(self._make.alu(signal=self._random.choice(SWITCHES)))
        else:
            self._plain()

    def _switch(self) -> None:
        """A thread switch."""
        if self._random.random() < 0.5:
            self._hold(WORD_BYTES * self._random.randrange(64))
        # One in the slots of another is none, and an end behind it would be one.
        is_one = not any(word >> _SIGNAL_SHIFT in _SWITCH_CODES for word in self.words[-_MOST_SKIPPED - SWITCH_SLOTS :])
        self.words.append(self._make.alu(signal=self._random.choice(SWITCHES)))
        for _ in range(SWITCH_SLOTS):
            if self._random.random() < 0.05 and is_one:
                self.words.append(self._make.alu(signal=ops.Signal.PROGRAM_END))  # here it is none
            else:
                self._shadow()

    def _loop(self) -> None:
        """A few instructions, run up to four times."""
        random_ = self._random
        # These two may be the delay slots of a switch; none comes between the instructions that count.
        self._fixed(self._make.constant(_RESERVED, 1, random_.randrange(1, 5)), NOP_WORD)
        start = len(self.words)
        for _ in range(random_.randrange(1, 8)):
            self._plain()
        count = assemble(f"mov r0, rb{_RESERVED}\nsub r0, r0, 1\nmov.setf rb{_RESERVED}, r0").words
        back = WORD_BYTES * (start - len(self.words) - len(count) - 1 - DELAY_SLOTS) & 0xFFFF_FFFF
        again = encode(
            BranchWord,
            signal=ops.Signal.BRANCH,
            condition=ops.BranchCondition.ALL_ZC,
            relative=1,
            immediate=back,
            waddr_add=NOP,
            waddr_mul=NOP,
        )
        self._fixed(*count, again)
        for _ in range(DELAY_SLOTS):
            self._plain()

    def _settle(self) -> None:
        """What follows lies in no delay slots of what came before, and runs once."""
        self._fixed(*[NOP_WORD] * (DELAY_SLOTS + 1))

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
        if self._random.random() < 0.75:
            self._close_branch()
            for _ in range(self._random.randrange(DELAY_SLOTS)):
                self._plain()
        self._fixed(self._make.alu(signal=ops.Signal.PROGRAM_END, raddr_b=NOP))
        self.words += [self._make.alu(signal=ops.Signal.NONE, raddr_b=NOP) for _ in range(END_SLOTS)]
