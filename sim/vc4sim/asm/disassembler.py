"""The disassembler: words to statements that assemble to the same words (QPU facts, 10 and 11)."""

import struct
from collections.abc import Iterator
from functools import lru_cache

from vc4.isa.decode import Instruction, decode
from vc4.isa.immediates import ROTATE_BY_R5, ROTATE_FIRST, SMALL_IMMEDIATES
from vc4.isa.ops import ADD_OPERANDS, MUL_OPERANDS, AddOp, Condition, MulOp, MulPack, Mux, Pack, Signal, Unpack
from vc4.isa.registers import ELEMENTS, NOP, READ
from vc4.isa.word import AluWord, LoadWord

from .forms import branch_target, branches, loads, shared, target
from .habits import colour_pack
from .names import OPERATIONS, PACK_TEXT, PACKS, SIGNALS, UNPACK_TEXT
from .single import word_of

__all__ = ["disassemble"]


def disassemble(word: int, address: int | None = None) -> str:
    """The statement for a 64-bit `word`, one line; assembled it gives `word` again.

    What the language cannot say, reserved codes for instance, is a `.long`. After that, and after registers that have to be
    called by file and number, the nearest statement follows as a comment. If the byte `address` of the word is given, the target of a relative branch follows as a comment.
    Raises `ValueError` if `word` does not have 64 bits.
    """
    if not 0 <= word < 1 << 64:
        raise ValueError(f"a word has 64 bits, {word:#x} does not fit")
    text = _statement(word)
    goal = None if address is None else branch_target(decode(word), address)
    return text if goal is None else f"{text}  # to {goal:#010x}"


@lru_cache(maxsize=1 << 16)
def _statement(word: int) -> str:
    """The first candidate that is true; the assembler is the judge, so a word can be anything."""
    candidates = list(_candidates(word))
    text = next((text for text in candidates if word_of(text) == word), f".long {word:#018x}")
    return text if not candidates or text.startswith(candidates[0]) else f"{text}  # {candidates[0]}"


def _candidates(word: int) -> Iterator[str]:
    instruction = decode(word)
    if instruction.layout is AluWord:
        for raw_reads, raw_writes in ((False, False), (True, False), (False, True), (True, True)):
            printer = _AluPrinter(instruction, raw_reads, raw_writes)
            if printer.known:
                yield printer.text()
                yield f"{printer.text()}; mnop"
    else:
        yield from (loads if instruction.layout is LoadWord else branches)(instruction)


#: Colour packs; the first is one in front of a destination outside of file A only.
_COLOUR_TEXT = {
    colour_pack(PACKS[text].pack): f".{text}" for text in ("8abcd", "8abcdsf", "8asf", "8bsf", "8csf", "8dsf")
}

_SIGNAL_TEXT = {signal: text for text, signal in reversed(SIGNALS.items())}

_ADD_NAMES = {choice.add: name for name, choice in OPERATIONS.items() if choice.mul is None}
_MUL_NAMES = {choice.mul: name for name, choice in OPERATIONS.items() if choice.add is None}


def _immediate(code: int) -> str:
    """The small immediate `code` as it is written."""
    bits = SMALL_IMMEDIATES[code]
    if 32 <= code < ROTATE_FIRST:
        return repr(struct.unpack("<f", bits.to_bytes(4, "little"))[0])
    return str(bits - (bits >> 31 << 32))


def _is_register(text: str) -> bool:
    return text[0].isalpha()


class _AluPrinter:
    """Writes one ALU instruction.

    `raw_reads` and `raw_writes` name registers by file and number, which says more than the name if both files have it.
    """

    def __init__(self, instruction: Instruction, raw_reads: bool, raw_writes: bool) -> None:
        self._word = instruction
        self._raw_reads = raw_reads
        self._raw_writes = raw_writes
        self._immediate = instruction.signal is Signal.SMALL_IMMEDIATE
        self._rotates = self._immediate and instruction.raddr_b >= ROTATE_FIRST
        self._used: set[Mux] = set()

    @property
    def known(self) -> bool:
        """Whether both operations have names."""
        return self._word.op_add in _ADD_NAMES and self._word.op_mul in _MUL_NAMES

    def text(self) -> str:
        """The statements between semicolons."""
        self._used = set()
        parts = [*self._half("add"), *self._half("mul"), *self._reads()]
        if self._word.signal in _SIGNAL_TEXT:
            parts.append(_SIGNAL_TEXT[self._word.signal])
        return "; ".join(parts) or "nop"

    def _half(self, side: str) -> Iterator[str]:
        word = self._word
        op: AddOp | MulOp = getattr(word, f"op_{side}")
        address: int = getattr(word, f"waddr_{side}")
        if op in (AddOp.NOP, MulOp.NOP) and address == NOP:
            return
        flags = word.sf and (side == "add") == (word.op_add is not AddOp.NOP)
        condition = getattr(word, f"cond_{side}") if address != NOP or flags else Condition.ALWAYS
        count = ADD_OPERANDS[op] if isinstance(op, AddOp) else MUL_OPERANDS[op]
        muxes = (getattr(word, f"{side}_a"), getattr(word, f"{side}_b"))[:count]
        self._used |= set(muxes)
        move = self._is_move(op, muxes)
        sources = [self._source(mux) for mux in (muxes[:1] if move else muxes)]
        operands = [self._destination(op, address), *sources]
        if side == "mul" and self._rotates:
            operands = self._rotated(*operands)
        yield f"{self._name(op, move)}{shared(condition, flags)} {', '.join(operands)}"

    def _name(self, op: AddOp | MulOp, move: bool) -> str:
        """The mnemonic; a move alone has to say that the mul ALU does it, unless a rotation says so."""
        if move:
            alone = isinstance(op, MulOp) and self._word.op_add is AddOp.NOP and not self._rotates
            return "mmov" if alone else "mov"
        return (_ADD_NAMES if isinstance(op, AddOp) else _MUL_NAMES)[op]

    def _is_move(self, op: AddOp | MulOp, muxes: tuple[Mux, ...]) -> bool:
        """Whether the operation copies a register; constants are left to the operation, as `mov` may load them."""
        same = op in (AddOp.OR, MulOp.V8MIN) and len(set(muxes)) == 1
        return same and not (self._immediate and muxes[0] is Mux.B)

    def _source(self, mux: Mux) -> str:
        unpack = Unpack(self._word.unpack)
        unpacked = unpack is not Unpack.NONE and mux is (Mux.R4 if self._word.pm else Mux.A)
        suffix = f".{UNPACK_TEXT[unpack]}" if unpacked else ""
        if mux is Mux.A:
            return self._read(0) + suffix
        if mux is Mux.B:
            return _immediate(self._word.raddr_b) if self._immediate else self._read(1)
        return f"r{mux.value}{suffix}"

    def _read(self, file: int) -> str:
        address = (self._word.raddr_a, self._word.raddr_b)[file]
        return f"r{'ab'[file]}{address}" if self._raw_reads else READ.name(address, file)

    def _destination(self, op: AddOp | MulOp, address: int) -> str:
        file = self._word.ws if isinstance(op, AddOp) else 1 - self._word.ws
        return target(address, file, self._raw_writes) + self._pack(op, file)

    def _pack(self, op: AddOp | MulOp, file: int) -> str:
        """The suffix of a destination. Bytes of an `fmul` are marked as integers, or they would be a colour pack."""
        if not self._word.pack:
            return ""
        if not self._word.pm:
            pack = Pack(self._word.pack)
            marked = op is MulOp.FMUL and PACKS[PACK_TEXT[pack]].byte
            return "" if file else f".{PACK_TEXT[pack]}{'i' if marked else ''}"
        return "" if isinstance(op, AddOp) else _COLOUR_TEXT.get(MulPack(self._word.pack), "")

    def _rotated(self, destination: str, *sources: str) -> list[str]:
        """The operands with the rotation at every source that is a register, else at the destination."""
        at_source, at_destination = self._rotation()
        if not any(_is_register(source) for source in sources):
            return [f"{destination} {at_destination}", *sources]
        return [destination, *(f"{text} {at_source}" if _is_register(text) else text for text in sources)]

    def _rotation(self) -> tuple[str, str]:
        """The rotation as it is written after a source and after a destination, by 8 elements at most."""
        count = self._word.raddr_b - ROTATE_FIRST
        if self._word.raddr_b == ROTATE_BY_R5:
            return "<< r5", "<< r5"
        if count <= ELEMENTS // 2:
            return f">> {count}", f"<< {count}"
        return f"<< {ELEMENTS - count}", f">> {ELEMENTS - count}"

    def _reads(self) -> Iterator[str]:
        """What is read without being used."""
        if Mux.A not in self._used and self._word.raddr_a != NOP:
            yield f"read {self._read(0)}"
        if Mux.B not in self._used and not self._rotates and (self._immediate or self._word.raddr_b != NOP):
            yield f"read {_immediate(self._word.raddr_b) if self._immediate else self._read(1)}"
