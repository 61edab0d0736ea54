"""What an instruction does, in the words of `vc4.isa.hazards`: registers that it reads and writes, signals, forms."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from vc4.isa.decode import Instruction, decode
from vc4.isa.hazards import Access, Accesses, Form
from vc4.isa.immediates import ROTATE_BY_R5, ROTATE_FIRST
from vc4.isa.ops import ADD_OPERANDS, MUL_OPERANDS, Condition, LoadMode, Mux, Signal, Unpack
from vc4.isa.registers import ELEMENTS, ELEMENTWISE_WRITES, FILE_REGISTERS, NOP, QUADS, READ, TAKEN_ELEMENTS, WRITE
from vc4.isa.word import AluWord, BranchWord, LoadWord

from ..events import ALL_ELEMENTS

__all__ = ["Act", "Acts", "Does", "acts", "known_values"]

_QUAD_ELEMENTS = ELEMENTS // QUADS


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
    condition, elements : in which elements it matters: where the condition holds, of those one bit each
    rotation : elements that a value moves up; `None`: by r5, and so by any number
    forms : what is special about it
    """

    does: Does
    what: str | Signal | Form
    by: str = ""
    condition: Condition = Condition.ALWAYS
    elements: int = ALL_ELEMENTS
    rotation: int | None = 0
    forms: frozenset[Form] = frozenset()

    def origins(self, elements: int, *, downwards: bool) -> int:
        """The elements of what is read that come to `elements`: around the quad, or in r0 to r3 around the vector.

        downwards : those only that come from a later quad
        """
        amounts = range(ELEMENTS) if self.rotation is None else (self.rotation,)
        span = ELEMENTS if self.what in _ROTATED else _QUAD_ELEMENTS
        found = 0
        for element in range(ELEMENTS):
            if elements >> element & 1:
                first = element // span * span
                froms = {first + (element - first - amount) % span for amount in amounts}
                found |= sum(
                    1 << one for one in froms if not downwards or one // _QUAD_ELEMENTS > element // _QUAD_ELEMENTS
                )
        return found

    def __str__(self) -> str:
        if isinstance(self.what, Form):
            return _FORM_TEXT[self.what]
        name = f"the signal {self.what.name.lower()}" if isinstance(self.what, Signal) else self.what
        forms = "".join(f", {_FORM_TEXT[form]}" for form in Form if form in self.forms)
        return f"{_VERB[self.does]} {name}{forms}"


#: What turns over all elements; all else turns inside of each quad.
_ROTATED = frozenset({"r0", "r1", "r2", "r3"})
_VERB = {Does.READ: "reads", Does.WRITE: "writes", Does.SIGNAL: "has"}
_FORM_TEXT = {
    Form.BRANCH: "is a branch",
    Form.SEMAPHORE: "is a semaphore instruction",
    Form.ROTATION: "rotated",
    Form.ROTATION_BY_R5: "rotates by r5",
    Form.R4_UNPACK: "unpacked",
    Form.FILE_PACK: "packed by file A",
    Form.BYTE_PACK: "one byte of a colour",
    Form.CONDITIONAL: "under a condition",
}


def _matches(accesses: Accesses, act: Act) -> bool:
    """Whether `act` is one of `accesses`."""
    return any(_fits(access, act) for access in accesses)


def _fits(access: Access, act: Act) -> bool:
    if access.forms and not access.forms & act.forms:
        return False
    if access.reads or access.writes or access.signals:
        return act.does is not Does.BE and act.what in getattr(access, act.does.value)
    return act.does is Does.BE


class Acts(tuple[Act, ...]):
    """All that an instruction does; answers what is among them are kept."""

    def __init__(self, _acts: Iterable[Act]) -> None:
        self._known: dict[Accesses, tuple[Act, ...]] = {}

    def of(self, accesses: Accesses) -> tuple[Act, ...]:
        """The acts that are one of `accesses`."""
        if accesses not in self._known:
            self._known[accesses] = tuple(act for act in self if _matches(accesses, act))
        return self._known[accesses]


@lru_cache(maxsize=1 << 16)
def acts(word: int, taken: bool = True) -> Acts:
    """All that the 64-bit `word` does. Every word has an answer; a branch that is not `taken` writes nothing."""
    fields = decode(word)
    found = {AluWord: _alu, LoadWord: _load}.get(fields.layout, _branch)(fields)
    writes = taken or fields.layout is not BranchWord
    return Acts(dict.fromkeys(act for act in found if writes or act.does is not Does.WRITE))


def known_values(word: int) -> dict[str, int]:
    """Element 0 of what the 64-bit `word` loads as an immediate, by register, whatever else happens."""
    fields = decode(word)
    if fields.layout is not LoadWord or fields.mode is not LoadMode.WORD or fields.pack:
        return {}
    targets = [(WRITE.name(address, file), getattr(fields, f"cond_{by}")) for by, file, address in _targets(fields)]
    return {name: fields.immediate for name, condition in targets if condition is Condition.ALWAYS}


def _form(form: Form) -> Act:
    return Act(Does.BE, form, forms=frozenset({form}))


def _load(fields: Instruction) -> Iterator[Act]:
    if fields.mode.value & LoadMode.SEMAPHORE.value:
        yield _form(Form.SEMAPHORE)
    yield from _writes(fields)


def _branch(fields: Instruction) -> Iterator[Act]:
    yield _form(Form.BRANCH)
    if fields.register:
        yield Act(Does.READ, f"ra{fields.raddr_a}", "branch", elements=1 << ELEMENTS - 1)
    for by, file, address in _targets(fields):
        if address != NOP:
            yield Act(Does.WRITE, WRITE.name(address, file), by)


def _alu(fields: Instruction) -> Iterator[Act]:
    if fields.signal not in (Signal.NONE, Signal.SMALL_IMMEDIATE):
        yield Act(Does.SIGNAL, fields.signal, "signal")
    rotation = _rotation(fields)
    if Form.ROTATION_BY_R5 in rotation:
        yield replace(_form(Form.ROTATION_BY_R5), elements=1)
    adds = (fields.add_a, fields.add_b)[: ADD_OPERANDS[fields.op_add]]
    muls = (fields.mul_a, fields.mul_b)[: MUL_OPERANDS[fields.op_mul]]
    yield from _io_reads(fields, muls, rotation)
    yield from _operands(fields, "add", adds, frozenset())
    yield from _operands(fields, "mul", muls, rotation)
    yield from _writes(fields)


def _rotation(fields: Instruction) -> frozenset[Form]:
    """How the mul ALU rotates, if it does."""
    immediate = fields.signal is Signal.SMALL_IMMEDIATE
    if not immediate or fields.raddr_b < ROTATE_FIRST or not MUL_OPERANDS[fields.op_mul]:
        return frozenset()
    by_r5 = fields.raddr_b == ROTATE_BY_R5
    return frozenset({Form.ROTATION, Form.ROTATION_BY_R5} if by_r5 else {Form.ROTATION})


def _amount(fields: Instruction, rotation: frozenset[Form]) -> int | None:
    """Elements that an operand moves up, see `Act`."""
    if Form.ROTATION_BY_R5 in rotation:
        return None
    return fields.raddr_b - ROTATE_BY_R5 if rotation else 0


def _addresses(fields: Instruction) -> tuple[int, int]:
    """What the two read ports read; `NOP` for a small immediate."""
    return fields.raddr_a, NOP if fields.signal is Signal.SMALL_IMMEDIATE else fields.raddr_b


def _io_reads(fields: Instruction, muls: tuple[Mux, ...], rotation: frozenset[Form]) -> Iterator[Act]:
    """Reads that happen whether an operand takes the value or not; `muls`: operands of the mul ALU, which rotates."""
    for file, address in enumerate(_addresses(fields)):
        if address >= FILE_REGISTERS and address != NOP:
            forms = rotation if Mux(Mux.A.value + file) in muls else frozenset()
            amount = _amount(fields, forms)
            yield Act(Does.READ, READ.name(address, file), "port", rotation=amount, forms=forms)


def _operands(fields: Instruction, by: str, muxes: tuple[Mux, ...], rotation: frozenset[Form]) -> Iterator[Act]:
    """Accumulators and registers of the files that an ALU takes; a register at a port that nobody takes is no read."""
    condition, elements = _taken(fields, by)
    amount = _amount(fields, rotation)
    for mux in muxes if elements else ():
        if mux.value < Mux.A.value:
            unpacked = mux is Mux.R4 and fields.pm and fields.unpack is not Unpack.NONE
            forms = rotation | {Form.R4_UNPACK} if unpacked else rotation
            yield Act(Does.READ, f"r{mux.value}", by, condition, elements, amount, forms)
            continue
        file = mux.value - Mux.A.value
        register = _addresses(fields)[file]
        if register < FILE_REGISTERS:
            yield Act(Does.READ, READ.name(register, file), by, condition, elements, amount, rotation)


def _taken(fields: Instruction, by: str) -> tuple[Condition, int]:
    """Where the result of an ALU matters: under which condition, in which elements at the most; in none if nobody takes it.

    Flags are set where the condition holds, of the ALU that sets them.
    """
    file, address = next((file, address) for alu, file, address in _targets(fields) if alu == by)
    condition = getattr(fields, f"cond_{by}")
    sets_flags = fields.sf and (by == "mul") != bool(ADD_OPERANDS[fields.op_add])
    if sets_flags and (condition is Condition.NEVER or not (address == NOP or _is_elementwise(address))):
        return Condition.ALWAYS, ALL_ELEMENTS
    if sets_flags:
        return condition, ALL_ELEMENTS
    if address == NOP or condition is Condition.NEVER:
        return condition, 0
    taken = TAKEN_ELEMENTS.get(WRITE.name(address, file), ALL_ELEMENTS)
    return (condition if _is_elementwise(address) else Condition.ALWAYS), taken


def _is_elementwise(address: int) -> bool:
    """Whether a write under a condition leaves the other elements alone."""
    return address < FILE_REGISTERS or address in ELEMENTWISE_WRITES


def _targets(fields: Instruction) -> Iterator[tuple[str, int, int]]:
    """ALU, file and address of both writes."""
    yield "add", fields.ws, fields.waddr_add
    yield "mul", 1 - fields.ws, fields.waddr_mul


def _writes(fields: Instruction) -> Iterator[Act]:
    for by, file, address in _targets(fields):
        condition = getattr(fields, f"cond_{by}")
        if by == "add" and fields.layout is AluWord and not ADD_OPERANDS[fields.op_add]:
            continue  # a nop of the add ALU writes nothing
        if address == NOP or condition is Condition.NEVER:
            continue
        forms = {Form.CONDITIONAL} if condition is not Condition.ALWAYS else set()
        if fields.pm and by == "mul" and fields.pack & 7 >= _FIRST_BYTE:
            forms.add(Form.BYTE_PACK)
        if not fields.pm and file == 0 and fields.pack:
            forms.add(Form.FILE_PACK)
        name = WRITE.name(address, file)
        elements = TAKEN_ELEMENTS.get(name, ALL_ELEMENTS)
        yield Act(Does.WRITE, name, by, condition, elements, forms=frozenset(forms))


#: The lowest three bits of packs of the mul ALU into one byte are this or more.
_FIRST_BYTE = 4
