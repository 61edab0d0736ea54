"""The terms in which programming restrictions are written: what an instruction does, and what must not come together.

The table is in `hazards`.
"""

from dataclasses import dataclass
from enum import Enum

from .ops import Signal

__all__ = ["Access", "Accesses", "Form", "Hazard", "Kind", "Scope", "Severity", "Source"]


class Source(Enum):
    """Who states or checks a restriction."""

    GUIDE = "architecture guide"
    ADDENDUM = "addendum"
    VC4ASM = "vc4asm"
    VC4C = "VC4C"
    MESA = "Mesa"
    KERNEL = "Linux kernel"
    BROADCOM = "Broadcom's driver of 2014"


class Kind(Enum):
    """Over what a restriction reaches."""

    SEQUENCE = "instructions one after another"
    INSTRUCTION = "one instruction"
    START = "first instructions of a program"
    END = "last instructions of a program"
    PROGRAM = "whole program"


class Severity(Enum):
    """What comes of a violation on the chip."""

    WRONG = "a wrong or undefined result, or a hang"
    SUSPECT = "harmless in some cases, which a checker may or may not see"
    POLICY = "none: a rule of tools or of an operating system"


class Scope(Enum):
    """Programs that a restriction is about."""

    ALL = "all programs"
    FRAGMENT = "fragment shaders"
    THREADED = "programs of two threads"
    TWO_TMUS = "programs on a GPU with two TMUs a slice"


class Form(Enum):
    """What an instruction can be, besides the registers and signals that it names."""

    BRANCH = "branch"
    SEMAPHORE = "semaphore"
    ROTATION = "rotates the result of the mul ALU"
    ROTATION_BY_R5 = "rotates it by r5"
    R4_UNPACK = "unpacks r4"
    FILE_PACK = "goes through the pack of file A"
    BYTE_PACK = "packs a colour into one byte"
    CONDITIONAL = "writes under a condition other than always and never"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What an instruction does: it is of one of `forms`, if any is named, and makes one of the accesses, if any is named.

    reads, writes : names of `registers.READ` and `registers.WRITE`, ra0 to ra31, rb0 to rb31, and r0 to r5
    signals : signals
    """

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    signals: frozenset[Signal] = frozenset()
    forms: frozenset[Form] = frozenset()


#: Any of these.
Accesses = tuple[Access, ...]
#: Names of one register, of which each file has its own.
_ONE_REGISTER = {"r5quad": "r5", "r5rep": "r5", "unif_addr_rel": "unif_addr"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hazard:
    """One restriction.

    rule : its number
    title : the restriction in one line
    why : what the chip does with a violation
    here : what this implementation does
    trigger, affected : what an instruction does if any of these accesses fits it; both the same: at most one of them in
        an instruction; nothing affected: not even the trigger
    offsets : how many instructions after the trigger (`Kind.START`: after the first one) `affected` is forbidden;
        empty for a restriction that has to be worked out over the whole program
    shader_offsets : the same in shaders, where the kernel asks for more; empty: no difference
    once, never_after : when any of `once` is done, nothing later in the program does any of `never_after`
    same_register : both sides must name the same register
    divisible : registers of which both sides may concern different elements: they are excused if no element is the same
    downwards : of these, only elements count that a rotation moves to an earlier quad
    """

    rule: str
    kind: Kind
    title: str
    why: str
    here: str
    sources: frozenset[Source]
    trigger: Accesses = ()
    affected: Accesses = ()
    offsets: range = range(0)
    shader_offsets: range = range(0)
    once: Accesses = ()
    never_after: Accesses = ()
    same_register: bool = False
    divisible: frozenset[str] = frozenset()
    downwards: bool = False
    severity: Severity = Severity.WRONG
    scope: Scope = Scope.ALL

    @property
    def distance(self) -> int:
        """The offset of the last instruction that the restriction reaches."""
        return max(self.offsets, default=0)

    def fits_registers(self, trigger: str, affected: str) -> bool:
        """Whether the rule is about these two registers together, by their names."""
        return not self.same_register or _ONE_REGISTER.get(trigger, trigger) == _ONE_REGISTER.get(affected, affected)
