"""What the disassembler writes for load immediates, semaphores and branches."""

from collections.abc import Iterator

from vc4.isa.decode import Instruction
from vc4.isa.ops import BranchCondition, Condition, LoadMode, Pack
from vc4.isa.registers import ELEMENTS, NOP, WRITE
from vc4.isa.sync import SEMAPHORE_ACQUIRE
from vc4.isa.word import WORD_BYTES, BranchWord

from .names import BRANCH_CONDITIONS, CONDITIONS, PACK_TEXT

__all__ = ["branch_target", "branches", "loads", "shared", "target"]

_CONDITION_TEXT = {condition: text for text, condition in reversed(CONDITIONS.items()) if text.startswith("if")} | {
    Condition.ALWAYS: "",
    Condition.NEVER: "never",
}
_BRANCH_TEXT = {condition: text for text, condition in reversed(BRANCH_CONDITIONS.items())} | {
    BranchCondition.ALWAYS: ""
}

#: Immediates between these are written as decimal numbers.
_DECIMAL = range(-1024, 1024)


def shared(condition: Condition, set_flags: int) -> str:
    """The suffixes for a condition and for setting flags."""
    text = _CONDITION_TEXT[condition]
    return (f".{text}" if text else "") + (".setf" if set_flags else "")


def target(address: int, file: int, raw: bool) -> str:
    """The name of a destination; `raw`: by file and number."""
    return f"r{'ab'[file]}{address}" if raw else WRITE.name(address, file)


def loads(word: Instruction) -> Iterator[str]:
    """Statements for a load immediate or semaphore, the plainest first; nothing if its mode is reserved."""
    if word.mode not in _LOAD_TEXT:
        return
    name, operand = _LOAD_TEXT[word.mode](word.immediate)
    for raw in (False, True):
        add = _load_target(word, word.waddr_add, word.ws, raw)
        mul = _load_target(word, word.waddr_mul, 1 - word.ws, raw)
        flags = ".setf" if word.sf else ""
        if word.waddr_mul == NOP:
            condition = shared(word.cond_add, word.sf) if word.sf or word.waddr_add != NOP else ""
            yield f"{name}{condition} {add}, {operand}"
        elif word.cond_add is word.cond_mul:
            yield f"{name}{shared(word.cond_add, word.sf)} {add}, {mul}, {operand}"
        else:
            add_condition = shared(word.cond_add, 0) if word.sf or word.waddr_add != NOP else ""
            yield f"{name}{flags} {add}{add_condition}, {mul}{shared(word.cond_mul, 0)}, {operand}"


def _load_target(word: Instruction, address: int, file: int, raw: bool) -> str:
    pack = Pack(word.pack)
    suffix = f".{PACK_TEXT[pack]}" if pack is not Pack.NONE and file == 0 else ""
    return target(address, file, raw) + suffix


def _signed(bits: int) -> int:
    return bits - (bits >> 31 << 32)


def _word_text(bits: int) -> tuple[str, str]:
    return "ldi", str(_signed(bits)) if _signed(bits) in _DECIMAL else f"{bits:#010x}"


def _signed_elements(bits: int) -> tuple[str, str]:
    values = [(bits >> i & 1) - 2 * (bits >> ELEMENTS + i & 1) for i in range(ELEMENTS)]
    return "ldipes", f"[{', '.join(map(str, values))}]"


def _unsigned_elements(bits: int) -> tuple[str, str]:
    values = [(bits >> i & 1) + 2 * (bits >> ELEMENTS + i & 1) for i in range(ELEMENTS)]
    return "ldipeu", f"[{', '.join(map(str, values))}]"


def _semaphore_text(bits: int) -> tuple[str, str]:
    return ("sacq", str(bits ^ SEMAPHORE_ACQUIRE)) if bits & SEMAPHORE_ACQUIRE else ("srel", str(bits))


#: Mnemonic and operand by the mode of the load.
_LOAD_TEXT = {
    LoadMode.WORD: _word_text,
    LoadMode.PER_ELEMENT_SIGNED: _signed_elements,
    LoadMode.PER_ELEMENT_UNSIGNED: _unsigned_elements,
    LoadMode.SEMAPHORE: _semaphore_text,
}


def branches(word: Instruction, label: str = "") -> Iterator[str]:
    """Statements for a branch, the plainest first; `label` stands for the target if it is given."""
    if word.condition not in _BRANCH_TEXT:
        return
    condition = _BRANCH_TEXT[word.condition]
    name = ("bra", "brr")[word.relative] + (f".{condition}" if condition else "")
    name += ".setf" if not word.register and word.raddr_a & 1 else ""
    distance = label or (str(_signed(word.immediate)) if word.relative else f"{word.immediate:#x}")
    for raw in (False, True):
        links = [target(word.waddr_add, word.ws, raw)]
        targets = [f"ra{word.raddr_a}"] if word.register else []
        if word.waddr_mul != NOP:
            links.append(target(word.waddr_mul, 1 - word.ws, raw))
            targets = targets or ["-"]
        if word.immediate or not word.register or len(links) > 1:
            targets.append(distance)
        yield f"{name} {', '.join(links + targets)}"


def branch_target(word: Instruction, address: int) -> int | None:
    """The address to which a relative branch without register goes from `address`, `None` for everything else."""
    if word.layout is not BranchWord or not word.relative or word.register:
        return None
    return (address + 4 * WORD_BYTES + word.immediate) & 0xFFFF_FFFF
