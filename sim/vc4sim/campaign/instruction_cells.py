"""Cells of the coverage of programs, as what a generator is to make: fields of instructions, or parts of a program."""

from collections.abc import Callable, Iterator

from vc4.isa.immediates import ROTATE_FIRST
from vc4.isa.ops import AddOp, Condition, LoadMode, MulOp, Mux, Signal, Unpack
from vc4.isa.registers import ACCUMULATOR_BASE, FILE_REGISTERS, NOP, read_address
from vc4.isa.sync import SEMAPHORES

from ..coverage.columns import ADD, MUL, PLACES
from ..coverage.groups import GROUPS, Group
from ..coverage.kinds import HAZARDS, OPERAND_KINDS, PORTS
from ..random_programs.wanted import Fields

__all__ = ["fields_of", "steerable"]

#: Registers of the files that every program may write to, and accumulators.
_REGISTERS = range(15)
_ACCUMULATORS = range(ACCUMULATOR_BASE, ACCUMULATOR_BASE + 4)
#: What a read address can be of each of `PORTS`; of I/O one that waits for nothing.
_ADDRESSES = {
    "register": range(FILE_REGISTERS),
    "uniform": (read_address("unif"),),
    "I/O": (read_address("elem_num"),),
    "nop": (NOP,),
}
assert tuple(_ADDRESSES) == PORTS
_ALUS = ("add", "mul")
_OPS: tuple[type, type] = (AddOp, MulOp)
#: Of a mux that is one of the first accumulators.
_FIRST = tuple(mux.value for mux in (Mux.R0, Mux.R1, Mux.R2, Mux.R3))
_RESULTS = tuple(one.value for one in Condition if one is not Condition.NEVER)

_Wish = tuple[str, Fields]
#: Given the numbers of a cell, one of each dimension: what makes it; `None`: nothing that can be asked for.
_Make = Callable[..., _Wish | None]


def _operand(mux: str, kind: int) -> dict:
    """Fields of an operand of one of `OPERAND_KINDS`."""
    name = OPERAND_KINDS[kind]
    source, _, rest = name.partition(" ")
    none = Signal.NONE.value
    modes = {mode.name.lower(): mode.value for mode in Unpack}
    if name == "r0 to r3":
        return {mux: _FIRST}
    if source == "r4":
        pm, unpack = ((1,), (modes[rest],)) if rest else ((0,), (0,))
        return {mux: (Mux.R4.value,), "pm": pm, "unpack": unpack}
    if name == "r5":
        return {mux: (Mux.R5.value,)}
    if source == "A":
        port, _, mode = rest.partition(" ")
        fields = {mux: (Mux.A.value,), "raddr_a": _ADDRESSES[port]}
        return fields | ({"pm": (0,), "unpack": (modes[mode],)} if mode else {"unpack": (0,)})
    if source == "B":
        return {mux: (Mux.B.value,), "signal": (none,), "raddr_b": _ADDRESSES[rest]}
    codes = range(ROTATE_FIRST, 64) if "rotated" in name else range(ROTATE_FIRST)
    return {mux: (Mux.B.value,), "signal": (Signal.SMALL_IMMEDIATE.value,), "raddr_b": codes}


def _operands(alu: int, letter: str) -> _Make:
    return lambda operation, kind: (
        "alu",
        {f"op_{_ALUS[alu]}": (operation,)} | _operand(f"{_ALUS[alu]}_{letter}", kind),
    )


def _conditions(alu: int) -> _Make:
    names = f"op_{_ALUS[alu]}", f"cond_{_ALUS[alu]}", "sf"
    return lambda *numbers: ("alu", {name: (number,) for name, number in zip(names, numbers, strict=True)})


def _pack(number: int) -> dict:
    """Of the sixteen of file A, and after them those with the pm bit."""
    return {"pm": (number >> 4,), "pack": (number & 15,)}


def _packs(alu: int) -> _Make:
    def make(operation: int, pack: int, elsewhere: int) -> _Wish:
        results = {f"cond_{_ALUS[alu]}": _RESULTS, f"waddr_{_ALUS[alu]}": _ACCUMULATORS if elsewhere else _REGISTERS}
        where = {} if elsewhere else {"ws": (alu,)}
        return "alu", {f"op_{_ALUS[alu]}": (operation,)} | _pack(pack) | results | where

    return make


def _loads(alu: int) -> _Make:
    def make(mode: int, pack: int, condition: int) -> _Wish:
        fields = _pack(pack) | {f"cond_{_ALUS[alu]}": (condition,), "mode": (mode,)}
        return "load" if mode < LoadMode.SEMAPHORE.value else "semaphore", fields

    return make


def _unpacks(unpack: int, source: int, alu: int, is_float: int) -> _Wish:
    """Of an operation that always has the operand, and takes floats or integers."""
    names = ((("ADD",), ("FADD",)), (("MUL24",), ("FMUL",)))[alu][is_float]
    fields: dict = {f"op_{_ALUS[alu]}": [_OPS[alu][name].value for name in names], "unpack": (unpack,)}
    mux = f"{_ALUS[alu]}_a"
    if source == len(PORTS):
        return "alu", fields | {mux: (Mux.R4.value,), "pm": (1,)}
    return "alu", fields | {mux: (Mux.A.value,), "pm": (0,), "raddr_a": _ADDRESSES[PORTS[source]]}


def _rotations(operation: int, amount: int, a: int, b: int) -> _Wish:
    sources = (_FIRST, *((one.value,) for one in (Mux.R4, Mux.R5, Mux.A, Mux.B)))
    immediate = {"signal": (Signal.SMALL_IMMEDIATE.value,), "raddr_b": (ROTATE_FIRST + amount,)}
    return "alu", immediate | {"op_mul": (operation,), "mul_a": sources[a], "mul_b": sources[b]}


def _immediates(code: int, alu: int, operand: int) -> _Wish:
    operation = (AddOp.ADD, MulOp.FMUL)[alu].value
    immediate = {"signal": (Signal.SMALL_IMMEDIATE.value,), "raddr_b": (code,)}
    return "alu", immediate | {f"op_{_ALUS[alu]}": (operation,), f"{_ALUS[alu]}_{'ab'[operand]}": (Mux.B.value,)}


def _branches(condition: int, relative: int, register: int, place: int, taken: int) -> _Wish:
    # Where it is, and whether it is taken, is left to chance.
    return "branch", {"condition": (condition,)}


def _signals(signal: int, place: int) -> _Wish | None:
    return _part("switch" if place == PLACES.index("slot of a switch") else "branch") if place else None


def _writes(alu: int, file: int, address: int) -> _Wish | None:
    if address not in _REGISTERS and address not in _ACCUMULATORS:
        return None
    operation = (AddOp.ADD, MulOp.FMUL)[alu].value
    where = {f"waddr_{_ALUS[alu]}": (address,), "ws": (file ^ alu,), f"cond_{_ALUS[alu]}": _RESULTS}
    return "alu", {f"op_{_ALUS[alu]}": (operation,)} | where


def _reads(file: int, address: int) -> _Wish | None:
    if address >= FILE_REGISTERS:
        return None
    return "alu", {"signal": (Signal.NONE.value,), f"raddr_{'ab'[file]}": (address,)}


#: The part of a program that has most of each hazard, by words of its name.
_HAZARD_PARTS = {"branch": "branch", "uniforms": "move_uniforms", "set-up": "set_up", "store": "store"}


def _hazards(hazard: int, distance: int, alu: int) -> _Wish | None:
    parts = [part for word, part in _HAZARD_PARTS.items() if word in HAZARDS[hazard]]
    return _part(parts[0]) if parts else None


def _semaphores(semaphore: int, operation: int) -> _Wish:
    assert semaphore < SEMAPHORES
    return _part("count")


def _part(name: str) -> _Wish:
    return "part", {"name": (name,)}


def _makers() -> Iterator[tuple[str, _Make]]:
    for alu in (ADD, MUL):
        for letter in "ab":
            yield f"{_ALUS[alu]}: operation x operand {letter}", _operands(alu, letter)
        yield f"{_ALUS[alu]}: operation x condition x flags", _conditions(alu)
        yield f"{_ALUS[alu]}: operation x pack x destination", _packs(alu)
        yield f"load immediate: mode x pack x condition of {_ALUS[alu]}", _loads(alu)
    yield "unpack x source x ALU x kind of operation", _unpacks
    yield "rotation: operation x amount x operands a, b", _rotations
    yield "small immediate x operand", _immediates
    yield "semaphore x operation", _semaphores
    yield "branch: condition x relative x register x place x taken", _branches
    yield "signal x place", _signals
    yield "write: ALU x file x address", _writes
    yield "read: file x address", _reads
    yield "hazard x distance x ALU that writes", _hazards


_MAKERS = dict(_makers())
assert set(_MAKERS) == {group.name for group in GROUPS if group.in_total}


def steerable(group: Group) -> bool:
    """Whether something can be asked for of its cells."""
    return group.name in _MAKERS


def fields_of(group: str, numbers: tuple[int, ...]) -> _Wish | None:
    """What makes a cell of a group: a form and fields as `Wanted` has them; `None`: nothing that can be asked for."""
    return _MAKERS[group](*numbers)
