"""The program counter of a QPU: branches, the end of a program, and its two threads (QPU facts, section 6)."""

from vc4.isa.timing import BRANCH_DISTANCE, DELAY_SLOTS, END_SLOTS, SWITCH_SLOTS
from vc4.isa.word import WORD_BYTES

__all__ = ["Sequencer"]


class Sequencer:
    """Which instruction comes next.

    pc, thread : of that instruction
    running : there is one
    """

    def __init__(self):
        self.pc = 0
        self.thread = 0
        self.running = False
        self._banks = [0, 0]
        self._resume: list[int | None] = [None, None]
        self._shares = False
        self._at_switch = False
        self._begin(0)
        self.running = False

    def _begin(self, pc: int) -> None:
        """A thread begins, or goes on, behind the end of another one."""
        self.pc = pc
        self.running = True
        self._jump: tuple[int, int] | None = None
        self._end_slots: int | None = None
        self._switch_slots: int | None = None
        self._since_branch = BRANCH_DISTANCE

    @property
    def waiting(self) -> bool:
        """A thread is suspended."""
        return self._resume != [None, None]

    @property
    def view(self) -> int:
        """What register addresses are inverted by: bit 4 for the second thread, bit 0 with every new program."""
        return self.thread << 4 | self._banks[self.thread]

    @property
    def branches(self) -> bool:
        """Whether a branch would count here."""
        return self._since_branch >= BRANCH_DISTANCE and self._switch_slots is None

    def place(self, threaded: bool) -> int | None:
        """The thread that a program would get now, or `None`: it has to wait."""
        if not self.running:
            return self.thread if threaded else None if self.waiting else 0
        free = self._at_switch and self._shares and threaded and not self.waiting
        return 1 - self.thread if free else None

    def start(self, pc: int, threaded: bool) -> int:
        """Begin a program where there is a place for it; returns its thread."""
        place = self.place(threaded)
        assert place is not None, "there is no place for a program"
        self._banks[place] ^= 1
        self._shares = threaded
        first = pc & ~(WORD_BYTES - 1)
        if self.running:
            self._resume[place] = first
            self._change()
        else:
            self.thread = place
            self._begin(first)
        return place

    def resume(self) -> None:
        """Go on with the suspended thread, as the other one has ended."""
        self.thread = 1 - self.thread
        pc, self._resume[self.thread] = self._resume[self.thread], None
        assert pc is not None, "no thread is suspended"
        self._begin(pc)

    def _change(self) -> None:
        """The other thread goes on."""
        other = 1 - self.thread
        pc, self._resume[other] = self._resume[other], None
        assert pc is not None
        self._resume[self.thread], self.pc, self.thread = self.pc, pc, other
        self._at_switch = False

    def advance(self, *, branch: bool, target: int | None, ends: bool, switches: bool) -> None:
        """Go on behind an instruction: whether it is a branch, where it goes if it is taken, an end, a thread switch."""
        self._at_switch = False
        self.pc = self.pc + WORD_BYTES & 0xFFFF_FFFF
        if self._jump:
            slots, destination = self._jump
            self._jump = (slots - 1, destination)
            if slots == 1:
                self.pc, self._jump = destination, None
        self._since_branch = 1 if branch else self._since_branch + 1
        if target is not None:
            self._jump = (DELAY_SLOTS, target)
        self._count_end(ends and self._switch_slots is None)
        self._count_switch(switches)

    def _count_end(self, ends: bool) -> None:
        if self._end_slots is not None:
            self._end_slots -= 1
        elif ends:
            self._end_slots = END_SLOTS
        if self._end_slots == 0:
            self.running = False

    def _count_switch(self, switches: bool) -> None:
        if self._switch_slots is not None:
            self._switch_slots -= 1
        elif switches and self._end_slots is None:
            self._switch_slots = SWITCH_SLOTS
        if self._switch_slots == 0:
            self._switch_slots = None
            self._at_switch = True
            if self.waiting:
                self._change()
