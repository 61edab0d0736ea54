"""ALU operations of one instruction: what each statement may become, and which ALU takes which (QPU facts, 10.2)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from vc4.isa.ops import ADD_OPERANDS, MUL_OPERANDS, AddOp, MulOp

from .constants import recipes
from .destinations import Destination
from .errors import Problem
from .habits import DOUBLE_MOVE
from .modifiers import Modifiers, modifiers
from .names import OPERATIONS, REGISTERS, UNPACKS, Choice
from .statement import Operand, Statement
from .values import Register, word_bits

__all__ = ["MOVES", "Half", "Request", "assign", "requests"]

#: Moves, and what they become when a register is moved.
MOVES = {
    "mov": Choice(AddOp.OR, MulOp.V8MIN),
    "amov": Choice(AddOp.OR, None),
    "mmov": Choice(None, MulOp.V8MIN),
}

#: Choice of a move that has to convert halves of floats, which only float operations do.
_FLOAT_MOVE = AddOp.FMIN


@dataclass(frozen=True, slots=True)
class Half:
    """One operation on one ALU: what it does, its destination and its sources, two alike if it needs one only."""

    op: AddOp | MulOp
    destination: Destination
    sources: tuple[Operand, ...]
    rotation: Operand | None = None

    @property
    def modifiers(self) -> Modifiers:
        """The suffixes."""
        return self.destination.modifiers


@dataclass(frozen=True, slots=True)
class Request:
    """An operation that wants an ALU: its `choice` and the rest as in `Half`. `constant`: 32 bits that it moves.

    `name` and `column` are those of its statement.
    """

    name: str
    choice: Choice
    destination: Destination
    sources: tuple[Operand, ...]
    column: int
    rotation: Operand | None = None
    constant: int | None = None

    def halves(self, alu: type[AddOp] | type[MulOp]) -> Iterator[Half]:
        """The ways in which `alu` does this, the best first; a constant may have several, or none."""
        if self.constant is None:
            op = self.choice.add if alu is AddOp else self.choice.mul
            if op is not None:
                idle = op in (AddOp.NOP, MulOp.NOP)
                yield Half(op, self.destination, () if idle else self.sources, self.rotation)
            return
        column = self.sources[0].column
        for op, value in recipes(self.constant, alu):
            for same in (REGISTERS["rb39"], REGISTERS["r0"]) if value is None else (value,):
                source = Operand(same, column)
                yield Half(op, self.destination, (source, source), self.rotation)


def requests(statement: Statement) -> list[Request]:
    """What `statement`, an operation or a move, wants of the ALUs: two for a move to two destinations, else one.

    Raises `Problem` if operands or suffixes are wrong whatever the ALU.
    """
    if statement.name in MOVES:
        return list(_moves(statement))
    choice = OPERATIONS[statement.name]
    rotation, operands = _rotation_operand(statement)
    count = ADD_OPERANDS[choice.add] if choice.add is not None else MUL_OPERANDS[choice.mul or MulOp.NOP]
    replace(statement, operands=operands).require(*((count + 1,) if count else (0, 1)))
    target = operands[0] if operands else Operand(REGISTERS["-"], statement.column)
    destination = Destination(target, modifiers(statement, target))
    sources = operands[1:] * 2 if count == 1 else operands[1:]
    return [_request(statement, choice, destination, sources, rotation)]


def _rotation_operand(statement: Statement) -> tuple[Operand | None, tuple[Operand, ...]]:
    """The count in front of the operands of an operation with `.rot`, and the other operands."""
    if not any(token.text == "rot" for token in statement.suffixes):
        return None, statement.operands
    if not statement.operands:
        raise Problem(statement.column, "expected the count of the rotation")
    return statement.operands[0], statement.operands[1:]


def _moves(statement: Statement) -> Iterator[Request]:
    rotation, operands = _rotation_operand(statement)
    replace(statement, operands=operands).require(2, 3)
    *targets, source = operands
    if len(targets) == 2 and statement.name != "mov":
        raise Problem(statement.column, f"{statement.name} takes one destination")
    choices = [MOVES[statement.name]] if len(targets) == 1 else DOUBLE_MOVE
    setter = len(targets) - 1 if isinstance(source.value, Register) else 0
    for index, target in enumerate(targets):
        meant = modifiers(statement, target)
        meant = replace(meant, set_flags=meant.set_flags and index == setter)
        yield _move(statement, choices[index], Destination(target, meant), source, rotation)


def _move(
    statement: Statement, choice: Choice, destination: Destination, source: Operand, rotation: Operand | None
) -> Request:
    if not isinstance(source.value, Register):
        bits = word_bits(source.value, source.column, "a register or a constant")
        return replace(_request(statement, choice, destination, (source,), rotation), constant=bits)
    if _converts_half(destination.modifiers, source.value):
        choice = Choice(choice.add and _FLOAT_MOVE, None)
    return _request(statement, choice, destination, (source, source), rotation)


def _converts_half(meant: Modifiers, source: Register) -> bool:
    """Whether a move needs a float operation: it packs floats to halves, or unpacks floats from file A."""
    packs = meant.pack is not None and meant.pack.type == "f" and not meant.pack.byte
    names = [UNPACKS[text] for text in source.suffixes if text in UNPACKS] + ([meant.unpack] if meant.unpack else [])
    return packs or (0 in source.read_files and any(name.type == "f" for name in names))


def _request(
    statement: Statement,
    choice: Choice,
    destination: Destination,
    sources: tuple[Operand, ...],
    rotation: Operand | None,
) -> Request:
    """A request; what only the mul ALU can do makes its choice narrower."""
    operands = (*sources, destination.operand)
    rotated = [operand for operand in operands if isinstance(operand.value, Register) and operand.value.rotation]
    rotated += [] if rotation is None else [rotation]
    if rotated and choice.mul is None:
        raise Problem(rotated[0].column, "only the mul ALU can rotate")
    if (rotated or destination.is_coloured) and choice.mul is not None:
        choice = choice._replace(add=None)
    return Request(statement.name, choice, destination, sources, statement.column, rotation)


def assign(wanted: list[Request]) -> tuple[Request | None, Request | None]:
    """Which of `wanted` the add and the mul ALU take: first what has no choice, then the others in their order.

    Raises `Problem` if there is no ALU left for one.
    """
    taken: dict[str, Request] = {}
    for request in sorted(wanted, key=lambda request: None not in request.choice):
        able = [alu for alu, op in (("add", request.choice.add), ("mul", request.choice.mul)) if op is not None]
        order = reversed(able) if request.choice.mul_first else able
        free = next((alu for alu in order if alu not in taken), None)
        if free is None:
            if not able:
                raise Problem(request.column, f"no ALU that {request.name} may use can do it")
            holders = " and ".join(f"the {alu} ALU, which has {taken[alu].name}" for alu in able)
            raise Problem(request.column, f"{request.name} needs {holders}")
        taken[free] = request
    return taken.get("add"), taken.get("mul")
