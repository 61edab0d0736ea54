"""The write side of an instruction: addresses, the swap of the register files, and the pack."""

from dataclasses import dataclass

from vc4.isa.ops import FLOAT_RESULT_ADD, FLOAT_RESULT_MUL, AddOp, Condition, MulOp, Pack
from vc4.isa.registers import FILE_REGISTERS, NOP

from .errors import Problem
from .habits import colour_pack
from .modifiers import Modifiers
from .statement import Operand

__all__ = ["Destination", "PackField", "pack_field", "write_fields"]


@dataclass(frozen=True, slots=True)
class Destination:
    """Where one ALU writes, and what its suffixes say."""

    operand: Operand
    modifiers: Modifiers

    @property
    def file_a(self) -> bool:
        """Whether this is a physical register of file A."""
        register = self.operand.register()
        return register.write_files == (0,) and register.number < FILE_REGISTERS

    @property
    def is_coloured(self) -> bool:
        """Whether only the mul ALU has this pack: into bytes, of a float, or of anything that file A does not take."""
        name = self.modifiers.pack
        return name is not None and name.byte and (name.type == "f" or (not name.type and not self.file_a))


@dataclass(frozen=True, slots=True)
class PackField:
    """The fields `pm` and `pack` that one destination needs."""

    pm: int
    pack: int
    column: int


def pack_field(destination: Destination, op: AddOp | MulOp | None) -> PackField | None:
    """The pack that `destination` asks for if `op` writes it (`None`: a load immediate), `None` if it asks for none.

    The colour pack of the mul ALU takes any destination. It is that of `is_coloured`, and that of an `fmul` into bytes
    with saturation. All others belong to register file A (QPU facts, 3.3 and 3.4). `Problem` if it cannot be.
    """
    name, column = destination.modifiers.pack, destination.modifiers.pack_column
    if name is None or name.pack is Pack.NONE:
        return None
    by_context = op is MulOp.FMUL and name.byte and not name.type and name.saturates
    if isinstance(op, MulOp) and (destination.is_coloured or by_context):
        return PackField(1, colour_pack(name.pack).value, column)
    if name.byte and name.type == "f":
        raise Problem(column, "only the mul ALU can pack floats into bytes")
    if not destination.file_a:
        register = destination.operand.register()
        raise Problem(column, f"expected a destination in ra0 to ra31 for this pack, not {register}")
    _check_type(name.type, op, name.byte, column)
    return PackField(0, name.pack.value, column)


def _check_type(kind: str, op: AddOp | MulOp | None, byte: bool, column: int) -> None:
    is_float = op in FLOAT_RESULT_ADD or op in FLOAT_RESULT_MUL
    if kind == "f" and not is_float:
        raise Problem(column, "expected a float operation for a float pack")
    if kind == "i" and is_float and not byte:
        raise Problem(column, "expected an integer operation for an integer pack")


def write_fields(
    add: Destination | None, mul: Destination | None, flags: Destination | None
) -> dict[str, int | Condition]:
    """The fields of the two destinations, alike in all forms of instruction but branches.

    `flags` is the one of them whose result sets the flags, if any. A result that nobody takes has the condition never.
    Raises `Problem` if a register cannot be written, or both write the same file.
    """
    fields: dict[str, int | Condition] = {"ws": _swap(add, mul), "sf": int(flags is not None)}
    for side, destination in (("add", add), ("mul", mul)):
        address, condition = NOP, Condition.NEVER
        if destination is not None:
            address = destination.operand.register().write_address
            if address != NOP or destination is flags:
                condition = destination.modifiers.condition
        fields |= {f"waddr_{side}": address, f"cond_{side}": condition}
    return fields


def _swap(add: Destination | None, mul: Destination | None) -> int:
    """The `ws` bit: 0 if add writes file A and mul file B, which is also the choice when both are free."""
    wanted: dict[int, Destination] = {}
    for swap_of_file, destination in (((0, 1), add), ((1, 0), mul)):
        if destination is None:
            continue
        register = destination.operand.register()
        if not register.write_files:
            raise Problem(destination.operand.column, f"expected a register that can be written, not {register}")
        if register.rotation and mul is not destination:
            raise Problem(destination.operand.column, "only the mul ALU can rotate")
        if len(register.write_files) == 1:
            wanted[swap_of_file[register.write_files[0]]] = destination
    if add is not None and mul is not None and len(wanted) == 2:
        first, second = add.operand.register(), mul.operand.register()
        file = "AB"[first.write_files[0]]
        raise Problem(mul.operand.column, f"{first} and {second} are both in file {file}, expected one A and one B")
    return next(iter(wanted), 0)
