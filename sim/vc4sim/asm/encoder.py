"""Instruction words from the statements of a line (QPU facts, 11)."""

from collections.abc import Callable, Iterable
from itertools import product

from vc4.isa.decode import encode
from vc4.isa.immediates import ROTATE_FIRST
from vc4.isa.ops import FLOAT_INPUT_ADD, FLOAT_INPUT_MUL, AddOp, Condition, MulOp, Mux, Signal
from vc4.isa.word import AluWord

from .destinations import pack_field, write_fields
from .errors import Problem
from .habits import ZERO_OF_SAME
from .loads import branch, load, semaphore
from .modifiers import modifiers
from .names import OPERATIONS, SIGNALS
from .operations import MOVES, Half, assign, requests
from .rotation import rotation_code
from .sources import ReadSide, Source
from .statement import Operand, Statement
from .values import Bank, Register

__all__ = ["encode_line"]

_LOADS = frozenset({"ldi", "ldipes", "ldipeu"})
_BRANCHES = frozenset({"bra", "brr"})
_SEMAPHORES = frozenset({"sacq", "srel"})
_SHIFTS = frozenset({AddOp.SHR, AddOp.ASR, AddOp.ROR, AddOp.SHL})


def encode_line(statements: list[Statement], address: int) -> int:
    """The word of the statements that lie at byte `address` together; `Problem` at what does not fit into it."""
    for belongs, build in _WHOLE_WORDS:
        found = [statement for statement in statements if belongs(statement)]
        if found and len(found) < len(statements):
            other = next(statement for statement in statements if statement not in found)
            raise Problem(other.column, f"{other.name} cannot share an instruction with {found[0].name}")
        if found:
            return build(found, address)
    return _constants_or_alu(statements)


def _single(build: Callable[[Statement, int], int]) -> Callable[[list[Statement], int], int]:
    def build_one(statements: list[Statement], address: int) -> int:
        if len(statements) > 1:
            raise Problem(statements[1].column, f"{statements[1].name} needs an instruction of its own")
        return build(statements[0], address)

    return build_one


def _is_semaphore(statement: Statement) -> bool:
    if statement.name in _SEMAPHORES:
        return True
    last = statement.operands[-1].value if statement.operands else None
    return statement.name in MOVES and isinstance(last, Register) and last.semaphore


#: Forms that fill a word: whether a statement belongs to the form, and what builds the word.
_WHOLE_WORDS: tuple[tuple[Callable[[Statement], bool], Callable[[list[Statement], int], int]], ...] = (
    (lambda statement: statement.name in _BRANCHES, _single(branch)),
    (_is_semaphore, _single(lambda statement, _: semaphore(statement))),
    (lambda statement: statement.name in _LOADS or _is_list_move(statement), lambda statements, _: load(statements)),
)


def _is_list_move(statement: Statement) -> bool:
    return statement.name in MOVES and bool(statement.operands) and isinstance(statement.operands[-1].value, tuple)


def _is_constant_move(statement: Statement) -> bool:
    return (
        statement.name in MOVES
        and len(statement.operands) > 1
        and not isinstance(statement.operands[-1].value, (Register, tuple))
    )


def _constants_or_alu(statements: list[Statement]) -> int:
    """An ALU instruction; moves of constants alone may become a load, and one that sets no flags is one if possible."""
    if not all(_is_constant_move(statement) for statement in statements):
        return _alu(statements)
    plain = len(statements) == 1 and not modifiers(statements[0], statements[0].operands[0]).set_flags
    first, second = (load, _alu) if plain else (_alu, load)
    try:
        return first(statements)
    except Problem:
        return second(statements)


def _alu(statements: list[Statement]) -> int:
    signal = _signal(statement for statement in statements if statement.name in SIGNALS)
    reads = [_read(statement) for statement in statements if statement.name == "read"]
    wanted = []
    for statement in statements:
        if statement.name in OPERATIONS or statement.name in MOVES:
            wanted += requests(statement)
        elif statement.name not in SIGNALS and statement.name != "read":
            raise Problem(statement.column, f"expected an operation, a signal or a macro, not {statement.name!r}")
    add, mul = assign(wanted)
    ways = product(*([None] if part is None else [*part.halves(alu)] for part, alu in ((add, AddOp), (mul, MulOp))))
    problem = Problem(statements[0].column, "this constant needs a load immediate, alone in its instruction")
    for index, (add_half, mul_half) in enumerate(ways):
        try:
            return _alu_word(add_half, mul_half, reads, signal)
        except Problem as found:
            problem = found if index == 0 else problem
    raise problem


def _signal(statements: Iterable[Statement]) -> tuple[Signal, int]:
    """The signal that the statements name, and its column."""
    found = (Signal.NONE, 0)
    for statement in statements:
        if statement.suffixes or statement.operands:
            raise Problem(statement.column, f"{statement.name} takes neither suffixes nor operands")
        if found[0] is not Signal.NONE:
            raise Problem(statement.column, "expected one signal, not two")
        found = (SIGNALS[statement.name], statement.column)
    return found


def _read(statement: Statement) -> Source:
    """What a `read` without operation reads."""
    statement.require(1)
    if statement.suffixes:
        raise Problem(statement.column, "read takes no suffixes")
    operand = statement.operands[0]
    register = operand.value
    if isinstance(register, Register) and (register.bank is Bank.ACCUMULATOR or register.rotation or register.suffixes):
        raise Problem(operand.column, "expected a register of a register file or a small immediate")
    return Source(operand)


def _alu_word(add: Half | None, mul: Half | None, reads: list[Source], signal: tuple[Signal, int]) -> int:
    halves = [half for half in (add, mul) if half is not None]
    side = ReadSide(rotation_code(add, mul))
    muxes = side.place([source for half in halves for source in _sources(half)], reads)
    if side.immediate and signal[0] is not Signal.NONE:
        name = next(name for name, each in SIGNALS.items() if each is signal[0])
        taken = "a small immediate" if side.raddr_b < ROTATE_FIRST else "a rotation"
        raise Problem(signal[1], f"{taken} takes the place of the signal {name}")
    fields: dict[str, object] = {"signal": Signal.SMALL_IMMEDIATE if side.immediate else signal[0]}
    fields |= {"raddr_a": side.raddr_a, "raddr_b": side.raddr_b}
    for name, half in (("add", add), ("mul", mul)):
        if half is not None and half.sources:
            fields |= {f"{name}_a": muxes.pop(0), f"{name}_b": muxes.pop(0)}
    fields |= {"op_add": add.op if add else AddOp.NOP, "op_mul": mul.op if mul else MulOp.NOP}
    fields |= _write_fields(add, mul)
    if add and add.op in ZERO_OF_SAME and fields["add_a"] == fields["add_b"] and not (mul and mul.op is MulOp.NOP):
        fields |= _taken(fields, "cond_mul")
    return encode(AluWord, **fields, **_pack_fields(halves, side))


def _taken(fields: dict[str, object], name: str) -> dict[str, object]:
    """The condition `name` of an ALU that writes nothing but must not be idle: always in place of never."""
    return {name: Condition.ALWAYS} if fields[name] is Condition.NEVER else {}


def _sources(half: Half) -> list[Source]:
    """The sources of `half`; an unpack of the operation goes to those that have an unpacker."""
    unpack = half.modifiers.unpack
    is_float = half.op in FLOAT_INPUT_ADD or half.op in FLOAT_INPUT_MUL
    unpacked = [unpack is not None and _has_unpacker(operand) for operand in half.sources]
    if unpack is not None and not any(unpacked):
        raise Problem(half.destination.operand.column, "expected a source in file A or r4 for this unpack")
    return [
        Source(operand, unpack if able else None, is_float, is_count=index == 1 and half.op in _SHIFTS)
        for index, (operand, able) in enumerate(zip(half.sources, unpacked, strict=True))
    ]


def _has_unpacker(operand: Operand) -> bool:
    value = operand.value
    return isinstance(value, Register) and (value.is_accumulator(Mux.R4) or value.read_files == (0,))


def _write_fields(add: Half | None, mul: Half | None) -> dict[str, object]:
    """The fields of the destinations; flags that follow the mul ALU need an add ALU whose condition is not never."""
    flags = _flag_source(add, mul)
    fields: dict[str, object] = {
        **write_fields(
            add.destination if add else None, mul.destination if mul else None, flags.destination if flags else None
        )
    }
    return fields | (_taken(fields, "cond_add") if flags and flags is mul else {})


def _flag_source(add: Half | None, mul: Half | None) -> Half | None:
    """What sets the flags: the add ALU unless it has no operation, else the mul ALU (QPU facts, 2.2)."""
    source = add if add is not None and add.op is not AddOp.NOP else mul
    for half in (add, mul):
        if half is None or not half.modifiers.set_flags:
            continue
        if half is not source or half.op is MulOp.NOP:
            raise Problem(half.destination.operand.column, "flags follow the add ALU, or the mul ALU if add is a nop")
        return half
    return None


def _pack_fields(halves: list[Half], side: ReadSide) -> dict[str, int]:
    """Pack and unpack; they share the bit that chooses between register file A and r4 with the colour pack."""
    fields = [field for half in halves if (field := pack_field(half.destination, half.op)) is not None]
    modes = {field.pm for field in fields} | ({side.pm} - {None})
    if len(modes) > 1 or len(fields) > 1:
        raise Problem(fields[-1].column, "this pack cannot share an instruction with the other pack or unpack")
    pm = next(iter(modes), 0) or 0
    return {"pm": pm, "pack": fields[0].pack if fields else 0, "unpack": side.unpack.value}
