"""Programming restrictions as data (guide, section 3, restrictions; addendum; QPU facts, section 9: R1 to R32).

A restriction says that an instruction at some offsets after a `trigger` must not do what is `affected`. Nothing here
checks a program; the checker, the documentation and the notes in waveforms are made from this table.
"""

from .hazard_terms import Access, Accesses, Form, Hazard, Kind, Scope, Severity, Source
from .ops import Signal
from .registers import READ, WRITE

__all__ = ["HAZARDS", "Access", "Accesses", "Form", "Hazard", "Kind", "Scope", "Severity", "Source", "hazard"]


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
_LOOKUPS = frozenset({"t0s", "t1s"})
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
            offsets=range(1, 2), same_register=True, divisible=_ROTATABLE, downwards=True),
    _hazard("R3", _LATER, "r5 is not the amount of a rotation in the instruction after the one that writes it",
            "The rotation starts before r5 is written, by a result or by a varying that is read.",
            "The rotation waits one instruction.", {_D, _V, _M}, trigger=_does(reads={"vary"}, writes=_R5),
            affected=_does(Form.ROTATION_BY_R5), offsets=range(1, 2), divisible=_R5),
    _hazard("R4", _INSIDE, "only r0 to r3 are rotated over all sixteen elements",
            "Every other operand turns inside each quad only.", "The same.", {_V, _M},
            trigger=_does(Form.ROTATION, reads=_PORTS | {"r4", "r5"}), severity=Severity.SUSPECT),
    _hazard("R5", _LATER, "for two instructions after an SFU write nothing reads or writes r4",
            "The result arrives in r4 with the third instruction.", "Who comes too early reads the r4 before. Every result and load arrives, in the order of the instructions.", {_D, _V, _M, _B},
            trigger=_does(writes=_SFU), affected=_does(reads={"r4"}, writes=_SFU, signals=_TMU_LOADS | _TLB_LOADS),
            offsets=range(1, 3)),
    _hazard("R6", _LATER, "for two instructions after a new address of uniforms none is read, nor taken by a TMU write",
            "Uniforms of the old address may still come.", "The reader waits for the first uniform of the new address.",
            {_D, _V, _M}, trigger=_does(writes={"unif_addr", "unif_addr_rel"}),
            affected=_does(reads={"unif"}, writes=_TMU), offsets=range(1, 3)),
    _hazard("R7", _LATER, "tmu_noswap comes before all use of the TMUs, with three instructions in between",
            "The parameter may still go to the other TMU. The guide allows the third instruction, the tools do not.",
            "The parameter waits until its unit is known.", {_D, _V, _M}, trigger=_does(writes=_NOSWAP), affected=_does(writes=_TMU), offsets=range(4),
            once=_does(writes=_TMU, signals=_TMU_LOADS), never_after=_does(writes=_NOSWAP)),
    _hazard("R8", _LATER, "for two instructions after a depth write the multisample mask is not read",
            "The mask is not updated yet.", "The mask is updated at once.", {_D, _V, _M}, trigger=_does(writes={"tlbz"}),
            affected=_does(reads={"ms_mask"}), offsets=range(1, 3), scope=Scope.FRAGMENT),
    _hazard("R9", _START, "the first two instructions do not wait for the scoreboard, nor touch the tile buffer",
            "The lock is not ready for the program yet.", "The access waits for the scoreboard like any other.", {_D, _V, _M},
            affected=_does(writes=_TLB, signals=_TLB_LOADS | {Signal.WAIT_SCOREBOARD}), offsets=range(2),
            scope=Scope.FRAGMENT),
    _hazard("R10", _INSIDE, "an instruction makes at most one access to TMU, SFU, tile buffer, mutex and semaphores",
            "The units share the way out of the QPU. Reading and writing the colour of one sample together is allowed.",
            "Each unit gets what it is sent; of two writes to one it takes that of the mul ALU.", {_D, _V, _M}, trigger=_COUPLED, affected=_COUPLED),
    _hazard("R11", _INSIDE, "no uniform is read in an instruction that writes a texture parameter",
            "The parameter takes the uniform of the instruction. A direct lookup, s alone, takes none.", "Both take the same uniform.",
            {_D, _K}, trigger=_does(writes=_TMU), affected=_does(reads={"unif"})),
    _hazard("R12", _INSIDE, "the two ALUs do not both write texture parameters",
            "A TMU takes one parameter an instruction.", "Only the mul ALU writes.", {_K}, trigger=_does(writes=_TMU),
            affected=_does(writes=_TMU)),
    _hazard("R13", _PROGRAM, "at most four parameters belong to a lookup, and no branch leads in between",
            "The parameters wait until s starts the lookup.", "Branches change nothing; of a parameter that is written twice the last value counts, and each takes a slot.", {_K}, trigger=_does(writes=_TMU),
            severity=Severity.POLICY),
    _hazard("R14", _LATER, "at least two instructions lie between branches; for the kernel three",
            "The second branch is lost, or the program is.", "The second branch does nothing at all.", {_V, _K},
            trigger=_BRANCH, affected=_BRANCH, offsets=range(1, 3), shader_offsets=range(1, 4)),
    _hazard("R15", _LATER, "no branch nor switch in the two delay slots of a thread switch, no switch after the last",
            "Two changes of the program counter meet; the other thread may have ended.", "Branch, switch and end do nothing in the slots; a switch after the last one is one as any other.", {_K, _M},
            trigger=_does(signals=_SWITCHES), affected=(_does(signals=_SWITCHES), _BRANCH), offsets=range(1, 3),
            once=_does(signals={Signal.LAST_THREAD_SWITCH}), never_after=_does(signals=_SWITCHES), scope=Scope.THREADED),
    _hazard("R16", _PROGRAM, "between a request to a TMU and its result is one switch, which finds the scoreboard free",
            "The threads would wait for each other, or take each other's results.",
            "Results come in the order of the lookups, whichever thread asked.", {_D, _M}, trigger=_does(signals=_SWITCHES), scope=Scope.THREADED),
    _hazard("R17", _END, "the instruction that ends a program writes no register file",
            "The registers may belong to the next program already.", _ORDINARY, {_D, _V, _M, _B}, trigger=_LAST,
            affected=_does(writes=_ALL_FILES), offsets=_SAME),
    _hazard("R18", _END, "the last three instructions touch no uniform, varying, VPM or DMA, and neither ra14 nor rb14",
            "The next program is being set up after them.", _ORDINARY, {_D, _V, _M, _B}, trigger=_LAST,
            affected=_does(reads=_VPM_READS | {"unif", "vary", "ra14", "rb14"}, writes=_VPM_WRITES | {"ra14", "rb14"}),
            offsets=range(3)),
    _hazard("R19", _END, "the last instruction of a program writes no depth", "The write is lost.", _ORDINARY,
            {_D, _V, _M, _B}, trigger=_LAST, affected=_does(writes={"tlbz"}), offsets=range(2, 3)),
    _hazard("R20", _END, "the instruction that ends a program is not the first to touch the tile buffer",
            "It would end while it waits for the scoreboard.", "It waits like any other, and ends then.", {_M}, trigger=_LAST,
            affected=_does(writes=_TLB, signals={Signal.LOAD_COLOUR_END}), offsets=_SAME, severity=Severity.SUSPECT,
            scope=Scope.FRAGMENT),
    _hazard("R21", _PROGRAM, "every varying and every result of a TMU is read before the end",
            "The next program would get what is left over.", "The same.", {_D}, trigger=_does(reads={"vary"}, writes=_TMU),
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
            "The other half belongs to the other thread.", "The same.", {_K},
            trigger=_does(reads=_files(16, 32), writes=_files(16, 32)), severity=Severity.POLICY, scope=Scope.THREADED),
    _hazard("R27", _PROGRAM, "branches stay inside the program, at multiples of 8, and it ends with two delay slots",
            "Anything may run.", "The low bits are ignored; a fetch outside of memory stops the program, by name.", {_K},
            trigger=_BRANCH),
    _hazard("R28", _INSIDE, "a semaphore instruction does not write to TMU, SFU or tile buffer",
            "It may stall when these cannot.", "It writes when it gets the semaphore.", {_D}, trigger=_SEMAPHORE,
            affected=_does(writes=_TMU | _SFU | _TLB)),
    _hazard("R29", _PROGRAM, "a colour that is loaded in the instruction that ends a program takes the signal for both",
            "There is one field for signals.", "The same.", {_D}, trigger=_does(signals={Signal.LOAD_COLOUR_END}),
            severity=Severity.POLICY, scope=Scope.FRAGMENT),
    _hazard("R30", _PROGRAM, "after the target of a branch the address of the uniforms is set before one is read",
            "None; the kernel must know which uniforms a shader takes.", _ORDINARY, {_K}, trigger=_BRANCH,
            affected=_does(reads={"unif"}), severity=Severity.POLICY),
    _hazard("R31", _START, "the first two instructions write nothing to a TMU", "The write may reach the wrong TMU.",
            "Nothing special.", {_B}, affected=_does(writes=_TMU), offsets=range(2), scope=Scope.TWO_TMUS),
    _hazard("R32", _INSIDE, "r4 is not wanted unpacked and plain in one instruction",
            "One field unpacks all reads of r4.", "The same.", {_B}, trigger=_does(Form.R4_UNPACK, reads={"r4"}),
            affected=_does(reads={"r4"}), severity=Severity.SUSPECT),
    _hazard("R33", _PROGRAM, "reads of the VPM are set up when at most one vector of those before is still to be read",
            "The set-up is ignored, so that reads wait for ever.", "Two set-ups are queued, a third one is ignored.", {_A},
            trigger=_does(writes={"vr_setup"})),
    _hazard("R34", _PROGRAM, "at most four lookups of a TMU are under way",
            "Elements of one get results of another, sometimes; at the ninth the program waits for ever.",
            "Up to eight words have room; what finds none waits.", {_A}, trigger=_does(writes=_LOOKUPS)),
    _hazard("R35", _PROGRAM, "vectors are read from rows that VPMBASE reserves for programs",
            "The rows belong to shaders, which other programs use.", "They read 0, and the host finds VPMERNA in ERRSTAT.",
            {_D}, trigger=_does(writes={"vr_setup"})),
)
# fmt: on

_BY_RULE = {one.rule: one for one in HAZARDS}


def hazard(rule: str) -> Hazard:
    """The restriction called `rule`, like R1; `KeyError` if there is none."""
    return _BY_RULE[rule]
