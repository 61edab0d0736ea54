"""Sources, instructions, registers and memory, as the protocol has them.

Numbers of variables: a scope of a QPU, or a register of it.
"""

import base64
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vc4.isa.registers import ELEMENTS
from vc4.isa.word import WORD_BYTES

from ...asm import disassemble
from ...model.memory import MemoryFault
from ...problem import BadInput
from ..changes import ChangeMemory
from ..expression import evaluate
from ..formats import Format, words_text
from ..session import Session
from ..state import ACCUMULATORS, FILES, FLAGS, next_uniforms, vector

__all__ = ["SCOPES", "Views"]

_Object = dict[str, Any]
_UNIFORMS = "Uniforms"
#: Scopes of a thread, and the names of what is in them.
SCOPES: dict[str, tuple[str, ...]] = {
    "Accumulators": ACCUMULATORS,
    "Register file A": FILES[0],
    "Register file B": FILES[1],
    "Flags": FLAGS,
    _UNIFORMS: (),
}
_REGISTERS = tuple(name for names in SCOPES.values() for name in names)
#: Numbers of variables of a QPU.
_PER_QPU = 1 << 10
_UNIFORMS_SHOWN = 16
_MOST_BYTES = 1 << 20
_MOST_INSTRUCTIONS = 1 << 12
_ADDRESSES = 1 << 32


class Views:
    """What a client sees of a session; `first_line` is the number that it gives the first line of a file."""

    def __init__(self, session: Session):
        self.session = session
        self.first_line = 1
        lines = session.listing.lines.values()
        self._files = list(dict.fromkeys(file for file, _ in lines))

    def source(self, file: str) -> _Object:
        """A file: its path, or a number if it is a part of the package."""
        path = Path(file)
        if path.is_file():
            return {"name": path.name, "path": str(path.resolve())}
        return {"name": file, "sourceReference": 1 + self._files.index(file)}

    def text(self, reference: int) -> str:
        """What is in a file that has a number. Raises `BadInput`."""
        source = self.session.listing.source
        if not source or not 1 <= reference <= len(self._files):
            raise BadInput(f"there is no source {reference}")
        return source.text_of(self._files[reference - 1])

    def place(self, address: int) -> _Object:
        """File and line of an instruction, if it has them."""
        if address not in self.session.listing.lines:
            return {}
        file, line = self.session.listing.lines[address]
        return {"source": self.source(file), "line": line - 1 + self.first_line}

    def frames(self, qpu: int) -> list[_Object]:
        """That of the program that runs on a QPU, if one does."""
        line = self.session.line(qpu)
        if line is None:
            return []
        gpu = self.session.target.gpu
        kind, _ = self.session.target.launches.get((qpu, gpu.qpus[qpu].thread), ("", None))
        name = line.place.rpartition(": ")[2] if ": " in line.place else f"{kind} program"
        reference = {"instructionPointerReference": f"{line.address:#010x}"}
        return [{"id": qpu + 1, "name": name, "line": 0, "column": 0, **reference, **self.place(line.address)}]

    def scopes(self, qpu: int) -> list[_Object]:
        """Kinds of registers of a QPU."""
        found = []
        for number, (name, names) in enumerate(SCOPES.items(), 1):
            hint = {} if name == _UNIFORMS else {"presentationHint": "registers", "namedVariables": len(names)}
            reference = {"variablesReference": qpu * _PER_QPU + number}
            found.append({"name": name, "expensive": False, **reference, **hint})
        return found

    def variables(self, reference: int) -> list[_Object]:
        """Registers of a scope, or elements of a register. Raises `BadInput` if there is nothing of this number."""
        qpu, number = divmod(reference, _PER_QPU)
        scopes = list(SCOPES.items())
        if not 0 <= qpu < self.session.qpus or not 1 <= number <= len(scopes) + len(_REGISTERS):
            raise BadInput(f"there are no variables {reference}")
        if number > len(scopes):
            return list(self._elements(qpu, _REGISTERS[number - len(scopes) - 1]))
        name, names = scopes[number - 1]
        return [self._register(qpu, one) for one in names] if names else list(self._uniforms(qpu))

    def register_of(self, reference: int, name: str) -> tuple[int, str] | None:
        """The number of the QPU and the register that a variable with a parent is, or is an element of."""
        qpu, number = divmod(reference, _PER_QPU)
        if not 0 <= qpu < self.session.qpus:
            return None
        if number > len(SCOPES):
            name = _REGISTERS[number - len(SCOPES) - 1] if number - len(SCOPES) <= len(_REGISTERS) else ""
        return (qpu, name) if name in _REGISTERS else None

    def place_of(self, reference: int, name: str) -> tuple[int, str]:
        """The number of the QPU, and how the console calls a variable with a parent. Raises `BadInput` if it cannot be changed."""
        if name not in (one["name"] for one in self.variables(reference)):
            raise BadInput(f"{name}: there is no such variable")
        qpu, number = divmod(reference, _PER_QPU)
        if number > len(SCOPES):
            return qpu, f"{_REGISTERS[number - len(SCOPES) - 1]}{name}"
        return qpu, name if name in _REGISTERS else f"[{name}]"

    def set(self, qpu: int, what: str, value: str) -> str:
        """Change what the console calls so, to one or several values; returns it as it is shown. Raises `BadInput`."""
        self.session.set(what, value.replace(",", " ").split(), qpu)
        words = evaluate(what, self.session.target.gpu, qpu, self.session.listing).words.tolist()
        if what in _REGISTERS:
            return self._text(what, words)
        return str(words[0]) if what.partition("[")[0] in FLAGS else _all_texts(words[0])

    @staticmethod
    def _text(name: str, words: Sequence[int]) -> str:
        """A register with all its elements."""
        return "".join(map(str, words)) if name in FLAGS else words_text(words, Format.HEX)

    def _register(self, qpu: int, name: str) -> _Object:
        text = self._text(name, vector(self.session.target.gpu, qpu, name).tolist())
        reference = qpu * _PER_QPU + len(SCOPES) + 1 + _REGISTERS.index(name)
        return {
            "name": name,
            "value": text,
            "evaluateName": name,
            "variablesReference": reference,
            "indexedVariables": ELEMENTS,
        }

    def _elements(self, qpu: int, name: str) -> Iterator[_Object]:
        words = vector(self.session.target.gpu, qpu, name).tolist()
        for element, word in enumerate(words):
            text = str(word) if name in FLAGS else _all_texts(word)
            where = {"evaluateName": f"{name}[{element}]", "variablesReference": 0}
            yield {"name": f"[{element}]", "value": text, **where}

    def _uniforms(self, qpu: int) -> Iterator[_Object]:
        for address, word in next_uniforms(self.session.target.gpu, qpu, _UNIFORMS_SHOWN):
            place = {"memoryReference": f"{address:#010x}", "variablesReference": 0}
            yield {"name": f"{address:#010x}", "value": _all_texts(word), **place}

    def instructions(self, address: int, count: int) -> list[_Object]:
        """So many instructions from an address on. Raises `BadInput` for more than anybody wants."""
        if not 0 <= count <= _MOST_INSTRUCTIONS:
            raise BadInput(f"{count}: at most {_MOST_INSTRUCTIONS} instructions at once")
        return [self._instruction(address + number * WORD_BYTES) for number in range(count)]

    def _instruction(self, address: int) -> _Object:
        reference = f"{address % _ADDRESSES:#010x}"
        try:
            word = self.session.target.memory.read_int(address, WORD_BYTES)
        except MemoryFault:
            return {"address": reference, "instruction": "outside of memory", "presentationHint": "invalid"}
        place = self.place(address)
        location = {"location": place["source"], "line": place["line"]} if place else {}
        symbols = {where: name for name, where in self.session.listing.labels.items()}
        symbol = {"symbol": symbols[address]} if address in symbols else {}
        text = {"instructionBytes": f"{word:016x}", "instruction": disassemble(word, address)}
        return {"address": reference, **text, **symbol, **location}

    def _there(self, address: int, count: int) -> int:
        """How many of so many bytes from an address on memory has. Raises `BadInput` for more than anybody wants."""
        if not 0 <= count <= _MOST_BYTES:
            raise BadInput(f"{count}: at most {_MOST_BYTES} bytes at once")
        memory = self.session.target.memory
        end = memory.base + len(memory.data)
        return min(count, end - address) if memory.base <= address < end else 0

    def write(self, address: int, text: str, *, partly: bool) -> int:
        """Change bytes from an address on, base64 in a message; only those that there are if `partly`. Returns how many. Raises
        `BadInput`.
        """
        try:
            data = base64.b64decode(text, validate=True)
        except ValueError:
            raise BadInput("data: must be base64") from None
        there = self._there(address, len(data))
        if there < len(data) and not partly:
            raise BadInput(f"{address:#010x}: {len(data)} bytes from here on are not all in memory")
        if there:
            self.session.target.change(ChangeMemory(address, data[:there]))
        return there

    def memory(self, address: int, count: int) -> _Object:
        """Bytes from an address on, as far as memory has them. Raises `BadInput` for more than anybody wants."""
        there = self._there(address, count)
        data = self.session.target.memory.read(address, there) if there else b""
        found = {"address": f"{address % _ADDRESSES:#010x}", "data": base64.b64encode(data).decode()}
        return found | ({"unreadableBytes": count - there} if there < count else {})


def _all_texts(word: int) -> str:
    """A word in the ways that are wanted most."""
    return f"0x{Format.HEX.text(word)}  {Format.SIGNED.text(word)}  {Format.FLOAT.text(word)}"
