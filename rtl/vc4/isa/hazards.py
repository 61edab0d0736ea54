"""Programming restrictions R1 to R32 as data (guide, section 3, restrictions; addendum; fact sheet, section 9).

A restriction says that an instruction at some offsets behind a `trigger` must not do what is `affected`. Nothing here
checks a program; the checker, the documentation and the notes in waveforms are made from this table.
"""

from dataclasses import dataclass
from enum import Enum

from .ops import Signal
from .registers import READ, WRITE

__all__ = ["HAZARDS", "Access", "Accesses", "Form", "Hazard", "Kind", "Scope", "Severity", "Source", "hazard"]


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

    SEQUENCE = "instructions behind one another"
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
    offsets : how many instructions behind the trigger (`Kind.START`: behind the first one) `affected` is forbidden;
        empty for a restriction that has to be worked out over the whole program
    shader_offsets : the same in shaders, where the kernel asks for more; empty: no difference
    once, never_after : when any of `once` is done, nothing later in the program does any of `never_after`
    same_register : both sides must name the same register
    divisible : registers of which both sides may concern different elements: they are excused by opposite conditions
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
    severity: Severity = Severity.WRONG
    scope: Scope = Scope.ALL

    @property
    def distance(self) -> int:
        """The offset of the last instruction that the restriction reaches."""
        return max(self.offsets, default=0)

    def fits_registers(self, trigger: str, affected: str) -> bool:
        """Whether the rule is about these two registers together, by their names."""
        return not self.same_register or _ONE_REGISTER.get(trigger, trigger) == _ONE_REGISTER.get(affected, affected)


def _of(port: dict, *units: str) -> frozenset[str]:
    """The registers of a port that need one of `units`."""
    return frozenset(register.name for pair in port.values() for register in pair if register.unit in units)


def _files(first: int, stop: int) -> frozenset[str]:
    return frozenset(f"r{file}{number}" for file in "ab" for number in range(first, stop))


def _does(*forms: Form, **acts: frozenset | set) -> Access:
    return Access(forms=frozenset(forms), **{name: frozenset(whats) for name, whats in acts.items()})


_D, _A, _V, _C, _M, _K, _B = Source
_LATER, _INSIDE, _START, _END, _PROGRAM = Kind
_SAME = range(1)
_ALL_FILES = _files(0, 32)
_ROTATABLE = frozenset({"r0", "r1", "r2", "r3"})
_R5 = frozenset({"r5quad", "r5rep"})
#: What the read ports bring, physical or not. The last value again is the same in all quads.
_PORTS = frozenset(READ.name(address, file) for address in range(64) for file in range(2)) - {"nop"}
#: Everything that is written outside of the register files.
_OUTSIDE = frozenset(register.name for pair in WRITE.values() for register in pair) - {"-", "quad_x", "quad_y"}
_NOSWAP = frozenset({"tmu_noswap"})
_TMU = _of(WRITE, "tmu") - _NOSWAP
_SFU = _of(WRITE, "sfu")
#: Accesses to the tile buffer; a set-up of the stencil neither waits nor goes there.
_TLB = _of(WRITE, "tile_buffer") - {"stencil"}
_VPM_READS = _of(READ, "vpm_read", "vdr", "vdw")
_VPM_WRITES = _of(WRITE, "vpm_read", "vdr", "vpm_write")
#: What takes a whole vector. A condition on a write to the tile buffer is how a shader discards pixels.
_PERIPHERALS = _TMU | _SFU | _VPM_WRITES | frozenset({"mutex", "unif_addr", "unif_addr_rel", "tmu_noswap"})
_TMU_LOADS = frozenset({Signal.LOAD_TMU0, Signal.LOAD_TMU1})
_TLB_LOADS = frozenset({Signal.LOAD_COVERAGE, Signal.LOAD_COLOUR, Signal.LOAD_COLOUR_END, Signal.LOAD_ALPHA_MASK})
_SWITCHES = frozenset({Signal.THREAD_SWITCH, Signal.LAST_THREAD_SWITCH})
_LAST = _does(signals={Signal.PROGRAM_END, Signal.LOAD_COLOUR_END})
_BRANCH = _does(Form.BRANCH)
_SEMAPHORE = _does(Form.SEMAPHORE)
_COUPLED = (_does(reads={"mutex"}, writes=_TMU | _SFU | _TLB, signals=_TMU_LOADS | _TLB_LOADS), _SEMAPHORE)


def _hazard(rule, kind, title, why, here, sources, offsets=None, **rest) -> Hazard:
    rest = {name: (value,) if isinstance(value, Access) else value for name, value in rest.items()}
    rest |= {"offsets": offsets or range(kind is Kind.INSTRUCTION), "sources": frozenset(sources)}
    return Hazard(rule=rule, kind=kind, title=title, why=why, here=here, **rest)


_UNBUILT = "Not built: the instruction that needs it waits for ever, by name."
_ORDINARY = "Works as anywhere else in a program."

# fmt: off
HAZARDS = (
    _hazard("R1", _LATER, "a register is not read in the instruction after the one that writes it",
            "The register file is written after the next instruction has read it.",
            "The reader gets the old value, however long it waits.", {_D, _V, _M}, trigger=_does(writes=_ALL_FILES),
            affected=_does(reads=_ALL_FILES), offsets=range(1, 2), same_register=True, divisible=_ALL_FILES),
    _hazard("R2", _LATER, "an accumulator is not rotated in the instruction after the one that writes it",
            "A rotation to a lower quad reads a quad that is not written yet.", "The rotation waits one instruction.",
            {_D, _V, _M}, trigger=_does(writes=_ROTATABLE), affected=_does(Form.ROTATION, reads=_ROTATABLE),
            offsets=range(1, 2), same_register=True),
    _hazard("R3", _LATER, "r5 is not the amount of a rotation in the instruction after the one that writes it",
            "The rotation starts before r5 is written, by a result or by a varying that is read.",
            "The rotation waits one instruction.", {_D, _V, _M}, trigger=_does(reads={"vary"}, writes=_R5),
            affected=_does(Form.ROTATION_BY_R5), offsets=range(1, 2)),
    _hazard("R4", _INSIDE, "only r0 to r3 are rotated over all sixteen elements",
            "Every other operand turns inside each quad only.", "The same.", {_V, _M},
            trigger=_does(Form.ROTATION, reads=_PORTS | {"r4", "r5"}), severity=Severity.SUSPECT),
    _hazard("R5", _LATER, "for two instructions behind an SFU write nothing reads or writes r4",
            "The result arrives in r4 with the third instruction.", _UNBUILT, {_D, _V, _M, _B},
            trigger=_does(writes=_SFU), affected=_does(reads={"r4"}, writes=_SFU, signals=_TMU_LOADS | _TLB_LOADS),
            offsets=range(1, 3)),
    _hazard("R6", _LATER, "for two instructions behind a new address of uniforms none is read, nor taken by a TMU write",
            "Uniforms of the old address may still come.", "The reader waits for the first uniform of the new address.",
            {_D, _V, _M}, trigger=_does(writes={"unif_addr", "unif_addr_rel"}),
            affected=_does(reads={"unif"}, writes=_TMU), offsets=range(1, 3)),
    _hazard("R7", _LATER, "tmu_noswap comes before all use of the TMUs, with three instructions in between",
            "The parameter may still go to the other TMU. The guide allows the third instruction, the tools do not.",
            "The parameter waits until its unit is known.", {_D, _V, _M}, trigger=_does(writes=_NOSWAP), affected=_does(writes=_TMU), offsets=range(4),
            once=_does(writes=_TMU, signals=_TMU_LOADS), never_after=_does(writes=_NOSWAP)),
    _hazard("R8", _LATER, "for two instructions behind a depth write the multisample mask is not read",
            "The mask is not updated yet.", _UNBUILT, {_D, _V, _M}, trigger=_does(writes={"tlbz"}),
            affected=_does(reads={"ms_mask"}), offsets=range(1, 3), scope=Scope.FRAGMENT),
    _hazard("R9", _START, "the first two instructions do not wait for the scoreboard, nor touch the tile buffer",
            "The lock is not ready for the program yet.", _UNBUILT, {_D, _V, _M},
            affected=_does(writes=_TLB, signals=_TLB_LOADS | {Signal.WAIT_SCOREBOARD}), offsets=range(2),
            scope=Scope.FRAGMENT),
    _hazard("R10", _INSIDE, "an instruction makes at most one access to TMU, SFU, tile buffer, mutex and semaphores",
            "The units share the way out of the QPU. Reading and writing the colour of one sample together is allowed.",
            _UNBUILT, {_D, _V, _M}, trigger=_COUPLED, affected=_COUPLED),
    _hazard("R11", _INSIDE, "no uniform is read in an instruction that writes a texture parameter",
            "The parameter takes the uniform of the instruction. A direct lookup, s alone, takes none.", _UNBUILT,
            {_D, _K}, trigger=_does(writes=_TMU), affected=_does(reads={"unif"})),
    _hazard("R12", _INSIDE, "the two ALUs do not both write texture parameters",
            "A TMU takes one parameter an instruction.", "Only the mul ALU writes.", {_K}, trigger=_does(writes=_TMU),
            affected=_does(writes=_TMU)),
    _hazard("R13", _PROGRAM, "at most four parameters belong to a lookup, and no branch leads in between",
            "The parameters wait until s starts the lookup.", _UNBUILT, {_K}, trigger=_does(writes=_TMU),
            severity=Severity.POLICY),
    _hazard("R14", _LATER, "at least two instructions lie between branches; for the kernel three",
            "The second branch is lost, or the program is.", "The second branch does nothing at all.", {_V, _K},
            trigger=_BRANCH, affected=_BRANCH, offsets=range(1, 3), shader_offsets=range(1, 4)),
    _hazard("R15", _LATER, "no branch nor switch in the two delay slots of a thread switch, no switch behind the last",
            "Two changes of the program counter meet; the other thread may have ended.", _UNBUILT, {_K, _M},
            trigger=_does(signals=_SWITCHES), affected=(_does(signals=_SWITCHES), _BRANCH), offsets=range(1, 3),
            once=_does(signals={Signal.LAST_THREAD_SWITCH}), never_after=_does(signals=_SWITCHES), scope=Scope.THREADED),
    _hazard("R16", _PROGRAM, "between a request to a TMU and its result is one switch, which finds the scoreboard free",
            "The threads would wait for each other, or take each other's results.",
            "Results come in the order of the lookups.", {_M}, trigger=_does(signals=_SWITCHES), scope=Scope.THREADED),
    _hazard("R17", _END, "the instruction that ends a program writes no register file",
            "The registers may belong to the next program already.", _ORDINARY, {_D, _V, _M, _B}, trigger=_LAST,
            affected=_does(writes=_ALL_FILES), offsets=_SAME),
    _hazard("R18", _END, "the last three instructions touch no uniform, varying, VPM or DMA, and neither ra14 nor rb14",
            "The next program is being set up behind them.", _ORDINARY, {_D, _V, _M, _B}, trigger=_LAST,
            affected=_does(reads=_VPM_READS | {"unif", "vary", "ra14", "rb14"}, writes=_VPM_WRITES | {"ra14", "rb14"}),
            offsets=range(3)),
    _hazard("R19", _END, "the last instruction of a program writes no depth", "The write is lost.", _UNBUILT,
            {_D, _V, _M, _B}, trigger=_LAST, affected=_does(writes={"tlbz"}), offsets=range(2, 3)),
    _hazard("R20", _END, "the instruction that ends a program is not the first to touch the tile buffer",
            "It would end while it waits for the scoreboard.", _UNBUILT, {_M}, trigger=_LAST,
            affected=_does(writes=_TLB, signals={Signal.LOAD_COLOUR_END}), offsets=_SAME, severity=Severity.SUSPECT,
            scope=Scope.FRAGMENT),
    _hazard("R21", _PROGRAM, "every varying and every result of a TMU is read before the end",
            "The next program would get what is left over.", _UNBUILT, {_D}, trigger=_does(reads={"vary"}, writes=_TMU),
            scope=Scope.FRAGMENT),
    _hazard("R22", _INSIDE, "both ALUs write one register only if it is r0 to r3 and their conditions are opposite",
            "Undefined.",
            "The mul ALU wins, in each element and byte that it writes; a peripheral takes its vector only.", {_D, _V},
            trigger=_does(writes=_OUTSIDE), affected=_does(writes=_OUTSIDE), same_register=True, divisible=_ROTATABLE),
    _hazard("R23", _INSIDE, "a peripheral is not written under a condition",
            "It takes the whole vector, undefined where the condition fails. The host interrupt is no peripheral here.",
            "It takes the whole vector as computed.", {_A, _V}, trigger=_does(Form.CONDITIONAL, writes=_PERIPHERALS)),
    _hazard("R24", _INSIDE, "file A packs for ra0 to ra31 only; one byte of a colour fits a register or r0 to r3 only",
            "Nothing else is packed: a peripheral takes whole words.",
            "No pack of file A is applied; a colour goes to all four bytes.", {_V, _C},
            trigger=(_does(Form.FILE_PACK, writes=_OUTSIDE), _does(Form.BYTE_PACK, writes=_OUTSIDE - _ROTATABLE))),
    _hazard("R25", _INSIDE, "a set-up of the VPM goes neither with the other one nor with a vector",
            "Their order is undefined.", "The VPM takes the write of the mul ALU only; a read comes first.", {_V},
            trigger=_does(writes={"vr_setup", "vw_setup"}),
            affected=_does(reads={"vpm"}, writes={"vpm", "vr_setup", "vw_setup"})),
    _hazard("R26", _PROGRAM, "a program of two threads keeps to ra0 to ra15 and rb0 to rb15",
            "The other half belongs to the other thread.", _UNBUILT, {_K},
            trigger=_does(reads=_files(16, 32), writes=_files(16, 32)), severity=Severity.POLICY, scope=Scope.THREADED),
    _hazard("R27", _PROGRAM, "branches stay inside the program, at multiples of 8, and it ends with two delay slots",
            "Anything may run.", "The low bits are ignored; a fetch outside of memory stops the program, by name.", {_K},
            trigger=_BRANCH),
    _hazard("R28", _INSIDE, "a semaphore instruction does not write to TMU, SFU or tile buffer",
            "It may stall when these cannot.", _UNBUILT, {_D}, trigger=_SEMAPHORE,
            affected=_does(writes=_TMU | _SFU | _TLB)),
    _hazard("R29", _PROGRAM, "a colour that is loaded in the instruction that ends a program takes the signal for both",
            "There is one field for signals.", _UNBUILT, {_D}, trigger=_does(signals={Signal.LOAD_COLOUR_END}),
            severity=Severity.POLICY, scope=Scope.FRAGMENT),
    _hazard("R30", _PROGRAM, "behind the target of a branch the address of the uniforms is set before one is read",
            "None; the kernel must know which uniforms a shader takes.", _ORDINARY, {_K}, trigger=_BRANCH,
            affected=_does(reads={"unif"}), severity=Severity.POLICY),
    _hazard("R31", _START, "the first two instructions write nothing to a TMU", "The write may reach the wrong TMU.",
            "Nothing special.", {_B}, affected=_does(writes=_TMU), offsets=range(2), scope=Scope.TWO_TMUS),
    _hazard("R32", _INSIDE, "r4 is not wanted unpacked and plain in one instruction",
            "One field unpacks all reads of r4.", "The same.", {_B}, trigger=_does(Form.R4_UNPACK, reads={"r4"}),
            affected=_does(reads={"r4"}), severity=Severity.SUSPECT),
)
# fmt: on

_BY_RULE = {one.rule: one for one in HAZARDS}


def hazard(rule: str) -> Hazard:
    """The restriction called `rule`, R1 to R32; `KeyError` if there is none."""
    return _BY_RULE[rule]
