"""What an instruction word asks of the datapath, worked out once a word (QPU facts, sections 2.3, 4 and 11).

Load immediates and branches use the same two ALUs as everything else: both move the immediate or the link address.
"""

from dataclasses import dataclass
from functools import lru_cache

from vc4.isa.decode import Instruction, decode
from vc4.isa.immediates import ROTATE_BY_R5, ROTATE_FIRST, SMALL_IMMEDIATES
from vc4.isa.ops import (
    ADD_OPERANDS,
    FLOAT_INPUT_ADD,
    FLOAT_INPUT_MUL,
    AddOp,
    BranchCondition,
    Condition,
    LoadMode,
    MulOp,
    Mux,
    Signal,
    Unpack,
)
from vc4.isa.registers import ELEMENTS, FILE_REGISTERS, NOP, READ, SIGNAL_UNITS, WRITE
from vc4.isa.word import AluWord, BranchWord, LoadWord

__all__ = ["TMU_PARAMETERS", "Branch", "Decoded", "Write", "decoded", "element_values"]

#: Unit and letter of each register that gives a texture unit a parameter, and the unit of each signal that loads a result.
TMU_PARAMETERS = {f"t{unit}{letter}": (unit, letter) for unit in range(2) for letter in "strb"}
TMU_LOADS = {Signal.LOAD_TMU0: 0, Signal.LOAD_TMU1: 1}


@dataclass(frozen=True, slots=True)
class Branch:
    """Condition and target of a branch; `register` is an address in file A or `None`."""

    condition: BranchCondition
    offset: int
    relative: bool
    register: int | None


@dataclass(frozen=True, slots=True)
class Write:
    """Where the result of one ALU goes: `file` (0: A, 1: B), `address`, and under which condition."""

    file: int
    address: int
    condition: Condition

    @property
    def is_file(self) -> bool:
        """A physical register, not an accumulator or I/O."""
        return self.address < FILE_REGISTERS

    @property
    def unit(self) -> str | None:
        """The peripheral that takes it, or `None`: registers of the QPU, or nothing is written."""
        if self.condition is Condition.NEVER or self.address not in WRITE:
            return None
        unit = WRITE[self.address][self.file].unit
        return {"qpu": None, "fragment": "tile_buffer"}.get(unit, unit)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded instruction, all forms alike.

    raddr : read address of each file, or `None` if the port is left alone
    small_immediate : all elements of port B, or `None`
    immediate : what both ALUs move instead of operands, sixteen words, or `None`
    rotation : elements that the result of the mul ALU moves up, or `None` for element 0 of r5
    units : services that the instruction needs
    tmu_write : unit and letter of the parameter that it gives a texture unit, or `None`
    tmu_load : unit whose result it takes, or `None`
    """

    word: int
    signal: Signal
    op_add: AddOp
    op_mul: MulOp
    muxes: tuple[Mux, Mux, Mux, Mux]
    raddr: tuple[int | None, int | None]
    small_immediate: int | None
    immediate: tuple[int, ...] | None
    rotation: int | None
    writes: tuple[Write, Write]
    set_flags: bool
    pm: int
    pack: int
    unpack: Unpack
    unpack_float: bool
    branch: Branch | None
    units: tuple[str, ...]
    tmu_write: tuple[int, str] | None
    tmu_load: int | None


def element_values(word: int, mode: LoadMode) -> tuple[int, ...]:
    """The sixteen values of a load immediate: the word, or a two-bit value for each element."""
    if not mode.value & 1:
        return (word,) * ELEMENTS
    weight = 2 if mode.value & 2 else -2
    values = ((word >> 16 + element & 1) * weight + (word >> element & 1) for element in range(ELEMENTS))
    return tuple(value & 0xFFFF_FFFF for value in values)


def _writes(fields: Instruction, cond_add: Condition, cond_mul: Condition) -> tuple[Write, Write]:
    return (
        Write(fields.ws, fields.waddr_add, cond_add),
        Write(1 - fields.ws, fields.waddr_mul, cond_mul),
    )


def _units(fields: Instruction, raddr: tuple[int | None, int | None], writes: tuple[Write, Write]) -> tuple[str, ...]:
    """Services named by the signal, the read addresses and the writes that are not suppressed, in the order of issue."""
    units = [SIGNAL_UNITS.get(fields.signal, "qpu")]
    if fields.layout is LoadWord and fields.mode.value & LoadMode.SEMAPHORE.value:
        units.append("semaphore")
    units += [READ[address][file].unit for file, address in enumerate(raddr) if address in READ]
    units += [
        WRITE[write.address][write.file].unit
        for write in writes
        if write.address in WRITE and write.condition is not Condition.NEVER
    ]
    return tuple(dict.fromkeys(unit for unit in units if unit != "qpu"))


def _tmu_write(writes: tuple[Write, Write]) -> tuple[int, str] | None:
    """The parameter among the writes; that of the mul ALU, if both write to texture units."""
    for write in reversed(writes):
        register = WRITE[write.address][write.file] if write.address in WRITE else None
        if register and register.unit == "tmu" and write.condition is not Condition.NEVER:
            return TMU_PARAMETERS.get(register.name)
    return None


@lru_cache(maxsize=1 << 16)
def decoded(word: int) -> Decoded:
    """What a 64-bit `word` asks for; every word asks for something."""
    fields = decode(word)
    return {AluWord: _alu, LoadWord: _load, BranchWord: _branch}[fields.layout](fields)


def _alu(fields: Instruction) -> Decoded:
    immediate = fields.signal is Signal.SMALL_IMMEDIATE
    code = fields.raddr_b
    raddr = tuple(
        None if address == NOP else address for address in (fields.raddr_a, NOP if immediate else fields.raddr_b)
    )
    op_add = fields.op_add if ADD_OPERANDS[fields.op_add] else AddOp.NOP
    # A nop of the add ALU writes nothing; that of the mul ALU shows its last result again.
    writes = _writes(fields, Condition.NEVER if op_add is AddOp.NOP else fields.cond_add, fields.cond_mul)
    muxes = (fields.add_a, fields.add_b, fields.mul_a, fields.mul_b)
    rotates = immediate and code >= ROTATE_FIRST
    float_consumer = (op_add in FLOAT_INPUT_ADD and Mux.A in muxes[:2]) or (
        fields.op_mul in FLOAT_INPUT_MUL and Mux.A in muxes[2:]
    )
    return Decoded(
        word=fields.word,
        signal=fields.signal,
        op_add=op_add,
        op_mul=fields.op_mul,
        muxes=muxes,
        raddr=raddr,
        small_immediate=SMALL_IMMEDIATES[code] if immediate else None,
        immediate=None,
        rotation=(None if code == ROTATE_BY_R5 else code - ROTATE_FIRST) if rotates else 0,
        writes=writes,
        set_flags=bool(fields.sf),
        pm=fields.pm,
        pack=fields.pack,
        unpack=fields.unpack,
        unpack_float=bool(fields.pm) or float_consumer,
        branch=None,
        units=_units(fields, raddr, writes),
        tmu_write=_tmu_write(writes),
        tmu_load=TMU_LOADS.get(fields.signal),
    )


def _moving(fields: Instruction, writes: tuple[Write, Write], **rest) -> Decoded:
    """An instruction whose ALUs both move one value."""
    return Decoded(
        word=fields.word,
        signal=fields.signal,
        op_add=AddOp.OR,
        op_mul=MulOp.V8MIN,
        muxes=(Mux.A,) * 4,
        raddr=(None, None),
        small_immediate=None,
        rotation=0,
        writes=writes,
        unpack=Unpack.NONE,
        unpack_float=False,
        units=_units(fields, (None, None), writes),
        tmu_load=None,
        **rest,
    )


def _load(fields: Instruction) -> Decoded:
    writes = _writes(fields, fields.cond_add, fields.cond_mul)
    return _moving(
        fields,
        writes,
        tmu_write=_tmu_write(writes),
        immediate=element_values(fields.immediate, fields.mode),
        set_flags=bool(fields.sf),
        pm=fields.pm,
        pack=fields.pack,
        branch=None,
    )


def _branch(fields: Instruction) -> Decoded:
    return _moving(
        fields,
        _writes(fields, Condition.ALWAYS, Condition.ALWAYS),
        tmu_write=None,  # an address is no parameter
        immediate=None,
        set_flags=bool(fields.raddr_a & 1),
        pm=0,
        pack=0,
        branch=Branch(
            fields.condition,
            fields.immediate,
            bool(fields.relative),
            fields.raddr_a if fields.register else None,
        ),
    )
