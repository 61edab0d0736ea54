"""What an instruction does, in the words of `vc4.isa.hazards`: registers that it reads and writes, signals, forms."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from vc4.isa.decode import Instruction, decode
from vc4.isa.hazards import Access, Accesses, Form
from vc4.isa.immediates import ROTATE_BY_R5, ROTATE_FIRST
from vc4.isa.ops import ADD_OPERANDS, MUL_OPERANDS, Condition, LoadMode, Mux, Signal, Unpack
from vc4.isa.registers import ELEMENTWISE_WRITES, FILE_REGISTERS, NOP, READ, WRITE
from vc4.isa.word import AluWord, LoadWord

__all__ = ["Act", "Does", "acts", "matches"]


class Does(Enum):
    """Kinds of acts; the values are the fields of `Access` that name them."""

    READ = "reads"
    WRITE = "writes"
    SIGNAL = "signals"
    BE = "forms"


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that an instruction does.

    what : the register, the signal or the form
    by : the part of the QPU that does it; two parts make two acts
    condition : in which elements it matters
    forms : what is special about it
    """

    does: Does
    what: str | Signal | Form
    by: str = ""
    condition: Condition = Condition.ALWAYS
    forms: frozenset[Form] = frozenset()

    def __str__(self) -> str:
        if isinstance(self.what, Form):
            return _FORM_TEXT[self.what]
        name = f"the signal {self.what.name.lower()}" if isinstance(self.what, Signal) else self.what
        forms = "".join(f", {_FORM_TEXT[form]}" for form in Form if form in self.forms)
        return f"{_VERB[self.does]} {name}{forms}"


_VERB = {Does.READ: "reads", Does.WRITE: "writes", Does.SIGNAL: "has"}
_FORM_TEXT = {
    Form.BRANCH: "is a branch",
    Form.SEMAPHORE: "is a semaphore instruction",
    Form.ROTATION: "rotated",
    Form.ROTATION_BY_R5: "rotates by r5",
    Form.R4_UNPACK: "unpacked",
    Form.PARTIAL_PACK: "packed",
    Form.CONDITIONAL: "under a condition",
}


def matches(accesses: Accesses, act: Act) -> bool:
    """Whether `act` is one of `accesses`."""
    return any(_fits(access, act) for access in accesses)


def _fits(access: Access, act: Act) -> bool:
    if access.forms and not access.forms & act.forms:
        return False
    if access.reads or access.writes or access.signals:
        return act.does is not Does.BE and act.what in getattr(access, act.does.value)
    return act.does is Does.BE


@lru_cache(maxsize=1 << 16)
def acts(word: int) -> tuple[Act, ...]:
    """All that the 64-bit `word` does. Every word has an answer."""
    fields = decode(word)
    found = {AluWord: _alu, LoadWord: _load}.get(fields.layout, _branch)(fields)
    return tuple(dict.fromkeys(found))


def _form(form: Form) -> Act:
    return Act(Does.BE, form, forms=frozenset({form}))


def _load(fields: Instruction) -> Iterator[Act]:
    if fields.mode.value & LoadMode.SEMAPHORE.value:
        yield _form(Form.SEMAPHORE)
    yield from _writes(fields)


def _branch(fields: Instruction) -> Iterator[Act]:
    yield _form(Form.BRANCH)
    if fields.register:
        yield Act(Does.READ, f"ra{fields.raddr_a}", "branch")
    for by, file, address in _targets(fields):
        if address != NOP:
            yield Act(Does.WRITE, WRITE.name(address, file), by)


def _alu(fields: Instruction) -> Iterator[Act]:
    if fields.signal not in (Signal.NONE, Signal.SMALL_IMMEDIATE):
        yield Act(Does.SIGNAL, fields.signal, "signal")
    rotation = _rotation(fields)
    if Form.ROTATION_BY_R5 in rotation:
        yield _form(Form.ROTATION_BY_R5)
    yield from _io_reads(fields)
    adds, muls = ADD_OPERANDS[fields.op_add], MUL_OPERANDS[fields.op_mul]
    yield from _operands(fields, "add", (fields.add_a, fields.add_b)[:adds], frozenset())
    yield from _operands(fields, "mul", (fields.mul_a, fields.mul_b)[:muls], rotation)
    yield from _writes(fields)


def _rotation(fields: Instruction) -> frozenset[Form]:
    """How the mul ALU rotates, if it does."""
    immediate = fields.signal is Signal.SMALL_IMMEDIATE
    if not immediate or fields.raddr_b < ROTATE_FIRST or not MUL_OPERANDS[fields.op_mul]:
        return frozenset()
    by_r5 = fields.raddr_b == ROTATE_BY_R5
    return frozenset({Form.ROTATION, Form.ROTATION_BY_R5} if by_r5 else {Form.ROTATION})


def _addresses(fields: Instruction) -> tuple[int, int]:
    """What the two read ports read; `NOP` for a small immediate."""
    return fields.raddr_a, NOP if fields.signal is Signal.SMALL_IMMEDIATE else fields.raddr_b


def _io_reads(fields: Instruction) -> Iterator[Act]:
    """Reads that happen whether an operand takes the value or not."""
    for file, address in enumerate(_addresses(fields)):
        if address >= FILE_REGISTERS and address != NOP:
            yield Act(Does.READ, READ.name(address, file), "port")


def _operands(fields: Instruction, by: str, muxes: tuple[Mux, ...], rotation: frozenset[Form]) -> Iterator[Act]:
    """Accumulators and registers of the files that an ALU takes; a register at a port that nobody takes is no read."""
    address = getattr(fields, f"waddr_{by}")
    whole = fields.sf or rotation or not _is_elementwise(address)
    condition = _widened(Condition.NEVER if address == NOP else getattr(fields, f"cond_{by}"), bool(whole))
    if fields.sf:
        condition = Condition.ALWAYS
    for mux in muxes:
        if mux.value < Mux.A.value:
            unpacked = mux is Mux.R4 and fields.pm and fields.unpack is not Unpack.NONE
            forms = rotation | {Form.R4_UNPACK} if unpacked else rotation
            yield Act(Does.READ, f"r{mux.value}", by, condition, forms)
            continue
        file = mux.value - Mux.A.value
        register = _addresses(fields)[file]
        if register < FILE_REGISTERS:
            yield Act(Does.READ, READ.name(register, file), by, condition, rotation)


def _is_elementwise(address: int) -> bool:
    """Whether a write under a condition leaves the other elements alone."""
    return address < FILE_REGISTERS or address in ELEMENTWISE_WRITES


def _widened(condition: Condition, whole: bool) -> Condition:
    """`condition`, or always if what is done with the value reaches `whole` vectors."""
    return Condition.ALWAYS if whole and condition is not Condition.NEVER else condition


def _targets(fields: Instruction) -> Iterator[tuple[str, int, int]]:
    """ALU, file and address of both writes."""
    yield "add", fields.ws, fields.waddr_add
    yield "mul", 1 - fields.ws, fields.waddr_mul


def _writes(fields: Instruction) -> Iterator[Act]:
    for by, file, address in _targets(fields):
        condition = getattr(fields, f"cond_{by}")
        if address == NOP or condition is Condition.NEVER:
            continue
        forms = {Form.CONDITIONAL} if condition is not Condition.ALWAYS else set()
        if _packs_partly(fields, by, file):
            forms.add(Form.PARTIAL_PACK)
        yield Act(Does.WRITE, WRITE.name(address, file), by, condition, frozenset(forms))


#: Pack codes whose low three bits are among these write a half or a byte; the others write whole words.
_PARTIAL = {0: {1, 2, 4, 5, 6, 7}, 1: {4, 5, 6, 7}}


def _packs_partly(fields: Instruction, by: str, file: int) -> bool:
    """Whether a write goes through a pack into part of a word: the one of file A, or the one of the mul ALU."""
    packs = by == "mul" if fields.pm else file == 0
    return packs and fields.pack & 7 in _PARTIAL[fields.pm]
