"""Random programs that go elsewhere and come back: branches, loops, thread switches."""

import random

from vc4.isa import ops
from vc4.isa.decode import encode
from vc4.isa.registers import FILE_REGISTERS, NOP
from vc4.isa.timing import DELAY_SLOTS, SWITCH_SLOTS
from vc4.isa.word import NOP_WORD, WORD_BYTES, BranchWord

from ..asm import assemble
from .place import Place
from .values import SWITCHES
from .wanted import Wanted
from .words import Words

__all__ = ["Flow"]

#: Kept for the program itself: loop counters and branch targets. The other thread sees it in two places.
_RESERVED = 15
_OF_OTHER_THREADS = (30, 31)
#: Instructions that a branch leaves out, at the most.
_MOST_SKIPPED = DELAY_SLOTS
#: After a branch with another one in its delay slots so many instructions may run more than once.
_MOST_AFFECTED = 2 * DELAY_SLOTS + _MOST_SKIPPED + 1
#: Where the signal of an instruction lies, and those of switches and branches.
_SIGNAL_SHIFT, _SWITCHES_OR_BRANCH = 60, tuple(signal.value for signal in (*SWITCHES, ops.Signal.BRANCH))


class Flow:
    """The instructions of a program, and what decides which one comes next.

    threaded : another thread may use the QPU at the same time
    wanted : see `Program`
    words : the instructions
    frame : the indices of those without which it might not end, or end too soon, or leave its memory
    """

    def __init__(self, random_: random.Random, place: Place, wanted: Wanted, *, threaded: bool):
        reserved = {_RESERVED, *(_OF_OTHER_THREADS if threaded else ())}
        self.words: list[int] = []
        self.frame: set[int] = set()
        self._random = random_
        self._place = place
        self._make = Words(random_, tuple(number for number in range(FILE_REGISTERS) if number not in reserved), wanted)
        # What the reserved register of file A holds, if that is known.
        self._holds: int | None = None

    def _fixed(self, *words: int) -> None:
        """Instructions of the frame."""
        self.frame |= set(range(len(self.words), len(self.words) + len(words)))
        self.words += words

    def _plain(self) -> None:
        self.words.append(self._make.plain())

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
        """A branch over some instructions after its delay slots; `register`: to what the reserved register holds."""
        target = self._here() + WORD_BYTES * (1 + DELAY_SLOTS + skipped)
        holds = (_RESERVED, self._holds) if register and self._holds is not None else None
        self.words.append(self._make.branch(self._here(), target, holds))

    def _branch(self) -> None:
        """A branch forward over a few instructions, its target given in one of four ways."""
        random_ = self._random
        # A branch in the third delay slot comes back to the fourth instruction after it. That must not be before the
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
        # One in the slots of another is none, and an end after it would be one; and so is one to which a branch comes back.
        is_one = not any(word >> _SIGNAL_SHIFT in _SWITCHES_OR_BRANCH for word in self.words[-_MOST_AFFECTED:])
        switch = len(self.words)
        self.words.append(self._make.alu(signal=self._random.choice(SWITCHES)))
        for _ in range(SWITCH_SLOTS):
            if self._random.random() < 0.05 and is_one:
                # Here it is none, as long as the switch is there.
                self.frame.add(switch)
                self.words.append(self._make.alu(signal=ops.Signal.PROGRAM_END))
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
