"""The read side of an ALU instruction: two read ports, one small immediate, one unpacker."""

from dataclasses import dataclass

from vc4.isa.immediates import ROTATE_FIRST, SMALL_IMMEDIATES
from vc4.isa.ops import Mux, Unpack
from vc4.isa.registers import NOP, READ

from .errors import Problem
from .names import UNPACK_TEXT, UNPACKS, UnpackName
from .statement import Operand
from .values import Bank, Register, word_bits

__all__ = ["ReadSide", "Source"]

#: What of a shift count matters (QPU facts, 1.1).
_COUNT_MASK = 31

#: Ways with an unpacker, and the value of `pm` that makes it work.
_UNPACKERS = {Mux.A: 0, Mux.R4: 1}

#: Codes of the small immediates by value, the first of several.
_CODES = {value: code for code, value in reversed(list(enumerate(SMALL_IMMEDIATES[:ROTATE_FIRST])))}


@dataclass(frozen=True, slots=True)
class Source:
    """A source operand.

    `unpack` comes from its operation, `is_float` says whether that takes floats, `is_count` whether this is the count
    of a shift, of which the low five bits matter.
    """

    operand: Operand
    unpack: UnpackName | None = None
    is_float: bool = False
    is_count: bool = False

    def unpack_name(self) -> UnpackName | None:
        """The unpack, from the operand or from the operation; `Problem` if it is unknown or asked for twice."""
        names = [] if self.unpack is None else [self.unpack]
        value = self.operand.value
        for text in value.suffixes if isinstance(value, Register) else ():
            if text not in UNPACKS:
                raise Problem(self.operand.column, f"expected an unpack, not .{text}")
            names.append(UNPACKS[text])
        if len(names) > 1:
            raise Problem(self.operand.column, "expected one unpack, not two")
        return names[0] if names else None


class ReadSide:
    """What the sources of one instruction need together.

    `rotation` is the code of the rotation, or `None`. After `place`, `raddr_a` and `raddr_b` are the read addresses,
    `immediate` says whether the second is a small immediate, `pm` (`None`: does not matter) and `unpack` are the fields
    of the unpacker.
    """

    def __init__(self, rotation: int | None) -> None:
        self._ports: list[int | None] = [None, None]
        self._immediate = rotation
        self._rotation = rotation
        self._unpacks: dict[int, Unpack] = {}

    @property
    def raddr_a(self) -> int:
        """Read address of file A."""
        return NOP if self._ports[0] is None else self._ports[0]

    @property
    def raddr_b(self) -> int:
        """Read address of file B or code of the small immediate."""
        if self._immediate is not None:
            return self._immediate
        return NOP if self._ports[1] is None else self._ports[1]

    @property
    def immediate(self) -> bool:
        """Whether `raddr_b` is a small immediate."""
        return self._immediate is not None

    @property
    def pm(self) -> int | None:
        """Which unpacker works: 0 that of file A, 1 that of r4, `None` if neither."""
        return next((unit for unit, unpack in self._unpacks.items() if unpack is not Unpack.NONE), None)

    @property
    def unpack(self) -> Unpack:
        """What the unpacker does."""
        return Unpack.NONE if self.pm is None else self._unpacks[self.pm]

    def place(self, sources: list[Source], reads: list[Source]) -> list[Mux]:
        """Find a way for each of `sources`, and a port for each of `reads`, which nothing takes.

        What can be read through either port is placed last, on port A if that is free. Raises `Problem` at what cannot
        be read beside the others.
        """
        wanted = list(enumerate(sources + reads))
        wanted.sort(key=lambda item: len(_files(item[1])) == 2)
        ways = {index: self._way(source) for index, source in wanted}
        muxes = [ways[index] for index in range(len(sources))]
        for source, mux in zip(sources, muxes, strict=True):
            self._set_unpack(source, mux)
        return muxes

    def _way(self, source: Source) -> Mux:
        value, column = source.operand.value, source.operand.column
        if not isinstance(value, Register):
            self._use_immediate(source)
            return Mux.B
        if value.semaphore:
            raise Problem(column, "a semaphore can only be moved, alone in its instruction")
        if value.bank is Bank.ACCUMULATOR:
            return Mux(value.number)
        if not value.read_files:
            raise Problem(column, f"expected a register that can be read, not {value}")
        return (Mux.A, Mux.B)[self._use_port(_files(source), value, column)]

    def _use_port(self, files: tuple[int, ...], register: Register, column: int) -> int:
        """The file, one of `files`, through which `register` is read."""
        address = register.number
        same = [file for file in files if self._ports[file] == address and not (file == 1 and self.immediate)]
        free = [file for file in files if self._ports[file] is None and not (file == 1 and self.immediate)]
        if not same and not free:
            taken = ", ".join(f"that of file {'AB'[file]} has {self._holder(file)}" for file in files)
            raise Problem(column, f"there is no read port for {register}: {taken}")
        file = (same + free)[0]
        self._ports[file] = address
        return file

    def _holder(self, file: int) -> str:
        """What takes the read port of `file`."""
        if file == 1 and self._immediate is not None:
            rotates = self._immediate >= ROTATE_FIRST
            return "a rotation" if rotates else f"the small immediate {SMALL_IMMEDIATES[self._immediate]:#x}"
        return READ.name(NOP if (address := self._ports[file]) is None else address, file)

    def _use_immediate(self, source: Source) -> None:
        operand = source.operand
        bits = word_bits(operand.value, operand.column, "a register or a small immediate")
        if source.is_count:
            # The first 32 codes stand for their own low five bits.
            bits = SMALL_IMMEDIATES[bits & _COUNT_MASK]
        code = self._rotation if self._rotation and SMALL_IMMEDIATES[self._rotation] == bits else _CODES.get(bits)
        if code is None:
            raise Problem(
                operand.column, "this value is no small immediate: -16 to 15 or a power of two, 1/256 to 128.0"
            )
        if self._ports[1] is not None or self._immediate not in (None, code):
            raise Problem(operand.column, f"there is no place for this value: file B has {self._holder(1)}")
        self._immediate = code

    def _set_unpack(self, source: Source, mux: Mux) -> None:
        name = source.unpack_name()
        unpack = Unpack.NONE if name is None else name.unpack
        unit = _UNPACKERS.get(mux)
        if unit is None:
            if unpack is not Unpack.NONE:
                raise Problem(source.operand.column, "only registers of file A and r4 can be unpacked")
            return
        if name is not None:
            _check_type(name, unit, source)
        if self._unpacks.setdefault(unit, unpack) is not unpack:
            words = (UNPACK_TEXT[each] for each in (unpack, self._unpacks[unit]))
            wanted, taken = (f".{word}" if word != "32" else "nothing" for word in words)
            which = "r4" if unit else "file A"
            raise Problem(source.operand.column, f"the unpacker of {which} cannot do {wanted}: it does {taken}")
        if len(self._unpacks) == 2 and Unpack.NONE not in self._unpacks.values():
            raise Problem(source.operand.column, "expected an unpack of file A or of r4, not both")


def _files(source: Source) -> tuple[int, ...]:
    """The files through which `source` can be read; unpacking needs file A."""
    value = source.operand.value
    if not isinstance(value, Register):
        return ()
    name = source.unpack_name()
    unpacked = name is not None and name.unpack is not Unpack.NONE
    return (0,) if unpacked and 0 in value.read_files else value.read_files


def _check_type(name: UnpackName, unit: int, source: Source) -> None:
    """Raise `Problem` unless the type of an unpack is what happens: float from r4, else as the operation takes it."""
    if name.type and (name.type == "f") != (bool(unit) or source.is_float):
        kind = "integer" if name.type == "f" else "float"
        raise Problem(source.operand.column, f"this unpack is taken as {kind} here, expected the other type or none")
