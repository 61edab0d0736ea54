"""Words without ALU operations: load immediate, semaphores and branches (QPU facts, 4.3 and 6)."""

from vc4.isa.decode import encode
from vc4.isa.ops import LoadMode, Signal
from vc4.isa.registers import ELEMENTS, FILE_REGISTERS, NOP
from vc4.isa.sync import SEMAPHORE_ACQUIRE
from vc4.isa.word import WORD_BYTES, BranchWord, LoadWord

from .destinations import Destination, pack_field, write_fields
from .errors import Problem
from .modifiers import Modifiers, branch_modifiers, modifiers
from .names import REGISTERS
from .statement import Operand, Statement
from .values import Bank, Label, Register, Value, describe, element_word, integer, word_bits

__all__ = ["branch", "load", "semaphore"]

#: A branch counts from the instruction after its three delay slots.
_DELAY = 4 * WORD_BYTES

_RANGES = {LoadMode.PER_ELEMENT_SIGNED: range(-2, 2), LoadMode.PER_ELEMENT_UNSIGNED: range(4)}
_FORCED = {"ldipes": LoadMode.PER_ELEMENT_SIGNED, "ldipeu": LoadMode.PER_ELEMENT_UNSIGNED}


def _immediate(statement: Statement) -> tuple[LoadMode, int]:
    """Mode and immediate that load the last operand; `Problem` if there is no such load."""
    operand = statement.operands[-1]
    forced = _FORCED.get(statement.name)
    if isinstance(operand.value, tuple):
        return _per_element(operand.value, forced, operand.column)
    if forced is not None:
        raise Problem(operand.column, f"expected a list of {ELEMENTS} values, not {describe(operand.value)}")
    return LoadMode.WORD, word_bits(operand.value, operand.column, "a constant")


def _per_element(values: tuple[int, ...], forced: LoadMode | None, column: int) -> tuple[LoadMode, int]:
    """Mode and immediate of a load per element."""
    if len(values) != ELEMENTS:
        raise Problem(column, f"expected {ELEMENTS} values, not {len(values)}")
    fitting = [mode for mode, allowed in _RANGES.items() if all(value in allowed for value in values)]
    modes = [mode for mode in fitting if forced in (None, mode)]
    if not modes:
        raise Problem(column, "expected values from -2 to 1, or from 0 to 3")
    return modes[0], element_word(values)


def _destinations(statement: Statement) -> list[Destination]:
    """The destinations of a move or load: all operands but the last, one or two, each with the suffixes it shares."""
    statement.require(2, 3)
    return [Destination(operand, modifiers(statement, operand)) for operand in statement.operands[:-1]]


def load(statements: list[Statement]) -> int:
    """The word of one or two loads of the same value, one destination or two in all; `Problem` if there is none."""
    targets = [target for statement in statements for target in _destinations(statement)]
    values = [_immediate(statement) for statement in statements]
    last = statements[-1]
    if len(targets) > 2:
        raise Problem(last.column, f"expected at most two destinations, not {len(targets)}")
    if values[0] != values[-1]:
        raise Problem(last.column, "one instruction can load one value only")
    return _load_word(targets, *values[0])


def _load_word(targets: list[Destination], mode: LoadMode, value: int) -> int:
    packs = [field for field in (pack_field(target, None) for target in targets) if field is not None]
    for target in targets:
        if target.modifiers.unpack or target.modifiers.rotate or target.operand.register().rotation:
            raise Problem(target.operand.column, "a load can neither unpack nor rotate")
    add, mul = (*targets, None)[:2]
    flags = add if any(target.modifiers.set_flags for target in targets) else None
    return encode(
        LoadWord,
        signal=Signal.LOAD_IMMEDIATE,
        mode=mode,
        immediate=value,
        pack=packs[0].pack if packs else 0,
        **write_fields(add, mul, flags),
    )


def semaphore(statement: Statement) -> int:
    """The word of `sacq`, `srel` or a `mov` from one of the semaphore registers; `Problem` if there is none."""
    *targets, operand = statement.operands or [Operand(0, statement.column)]
    statement.require(*((1, 2, 3) if isinstance(operand.value, int) else (2, 3)))
    found = [Destination(target, modifiers(statement, target)) for target in targets]
    nowhere = Destination(Operand(REGISTERS["-"], statement.column), modifiers(statement))
    return _load_word(found or [nowhere], LoadMode.SEMAPHORE, _semaphore_bits(statement.name, operand))


def _semaphore_bits(name: str, operand: Operand) -> int:
    if isinstance(operand.value, Register) and operand.value.semaphore:
        return operand.value.number | (SEMAPHORE_ACQUIRE if operand.value.bank is Bank.ACQUIRE else 0)
    bits = word_bits(integer(operand.value, operand.column, "the number of a semaphore"), operand.column, "a number")
    if bits & SEMAPHORE_ACQUIRE:
        raise Problem(operand.column, "expected a semaphore from 0 to 15")
    return bits | (SEMAPHORE_ACQUIRE if name == "sacq" else 0)


def branch(statement: Statement, address: int) -> int:
    """The word of a `bra` or `brr` that lies at byte `address`; `Problem` if there is none.

    Operands are one destination and one target, one destination and two targets, or two of each. Two targets are a
    register of file A, or `-` for none, and a distance or address, and add up. A label that `brr` goes to is made
    relative.
    """
    statement.require(2, 3, 4)
    relative = statement.name == "brr"
    count = 2 if len(statement.operands) == 4 else 1
    links = [Destination(_plain(operand), Modifiers()) for operand in statement.operands[:count]]
    register, bits = _targets(statement.operands[count:], address + _DELAY if relative else 0)
    condition, set_flags = branch_modifiers(statement)
    # The bit that sets flags is the lowest of the number of the register.
    address_bits = int(set_flags) if register is None else register
    if set_flags and not address_bits & 1:
        raise Problem(statement.column, "a branch through a register of even number cannot set flags")
    fields = write_fields(*(*links, None)[:2], None)
    return encode(
        BranchWord,
        signal=Signal.BRANCH,
        condition=condition,
        relative=int(relative),
        register=int(register is not None),
        raddr_a=address_bits,
        immediate=bits,
        **{name: value for name, value in fields.items() if name.startswith("w")},
    )


def _targets(operands: tuple[Operand, ...], base: int) -> tuple[int | None, int]:
    """The number of the target register, if any, and the immediate. Labels count from `base`."""
    registers = [operand for operand in operands if isinstance(operand.value, Register)]
    others = [operand for operand in operands if not isinstance(operand.value, Register)]
    if len(registers) > 1 or len(others) > 1:
        raise Problem(operands[-1].column, "expected one register and one address as targets, not two alike")
    number = None
    for operand in registers:
        number = _target_register(operand)
    return number, _target_bits(others[0], base) if others else 0


def _plain(operand: Operand) -> Operand:
    """`operand` if it is a register as such; `Problem` otherwise."""
    register = operand.register()
    if register.suffixes or register.rotation:
        raise Problem(operand.column, "expected a register without suffix or rotation")
    return operand


def _target_register(operand: Operand) -> int | None:
    register = _plain(operand).register()
    if register.number == NOP and register.bank is Bank.IO:
        return None
    if register.bank is not Bank.FILE_A or register.number >= FILE_REGISTERS:
        raise Problem(operand.column, f"expected ra0 to ra31 as target, not {describe(register)}")
    return register.number


def _target_bits(operand: Operand, base: int) -> int:
    value: Value = operand.value
    if isinstance(value, Label):
        value = value.address - base
    return word_bits(integer(value, operand.column, "a label or an integer"), operand.column, "an address")
