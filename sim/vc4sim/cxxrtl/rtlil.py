"""Reads and writes a flat RTLIL module without processes, as Yosys prints it after `proc; flatten`."""

import re
from dataclasses import dataclass, field

__all__ = ["Cell", "Chunk", "Memory", "Module", "Spec", "Wire", "const", "read", "sliced"]

_TOKEN = re.compile(r"[\\$]\S+|\d+'[01xzm-]*|\[\d+(?::\d+)?\]|\d+|[{}]")


@dataclass(frozen=True, slots=True)
class Chunk:
    """`width` bits of `wire` from bit `low` on, or the constant `bits`, lowest first."""

    width: int
    wire: str = ""
    low: int = 0
    bits: str = ""

    @property
    def high(self) -> int:
        """The bit after the last one."""
        return self.low + self.width

    def part(self, low: int, width: int) -> "Chunk":
        """`width` of its bits from its bit `low` on."""
        return Chunk(width, self.wire, self.low + low, self.bits[low : low + width])


#: The parts of a signal, the lowest first.
Spec = list[Chunk]


def const(bits: str) -> Chunk:
    """A constant, lowest bit first."""
    return Chunk(len(bits), bits=bits)


def sliced(spec: Spec, low: int, width: int) -> Spec:
    """`width` bits of `spec` from bit `low` on."""
    found, at = [], 0
    for chunk in spec:
        start, end = max(low, at), min(low + width, at + chunk.width)
        if start < end:
            found.append(chunk.part(start - at, end - start))
        at += chunk.width
    return found


@dataclass(slots=True)
class Wire:
    """`options` say what kind of port it is; `init` are its bits at power-up, lowest first, if it has any."""

    width: int
    options: str
    attributes: list[str]
    init: str = ""


@dataclass(slots=True)
class Memory:
    """`size` words of `width` bits."""

    width: int
    size: int
    options: str
    attributes: list[str]


@dataclass(slots=True)
class Cell:
    """`parameters` as they are written; `ports` are what it is connected to."""

    kind: str
    name: str
    attributes: list[str]
    parameters: dict[str, str] = field(default_factory=dict)
    ports: dict[str, Spec] = field(default_factory=dict)


@dataclass(slots=True)
class Module:
    """A module; `connections` are pairs of what is driven and what drives it."""

    header: list[str]
    wires: dict[str, Wire] = field(default_factory=dict)
    memories: dict[str, Memory] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    connections: list[tuple[Spec, Spec]] = field(default_factory=list)

    def inputs(self) -> set[str]:
        """The names of its inputs."""
        return {name for name, wire in self.wires.items() if wire.options.startswith("input")}

    def write(self) -> str:
        """The text of the module."""
        lines = list(self.header)
        for name, wire in self.wires.items():
            init = [f"attribute \\init {_text([const(wire.init)], self)}"] if wire.init else []
            lines += [*wire.attributes, *init, f"wire width {wire.width} {wire.options} {name}"]
        for name, memory in self.memories.items():
            lines += [*memory.attributes, f"memory width {memory.width} size {memory.size} {memory.options} {name}"]
        for cell in self.cells:
            lines += [*cell.attributes, f"cell {cell.kind} {cell.name}"]
            lines += [f"parameter {name} {value}" for name, value in cell.parameters.items()]
            lines += [f"connect {name} {_text(spec, self)}" for name, spec in cell.ports.items()] + ["end"]
        lines += [f"connect {_text(driven, self)} {_text(driver, self)}" for driven, driver in self.connections]
        return "\n".join([*lines, "end", ""])


def _text(spec: Spec, module: Module) -> str:
    parts = []
    for chunk in reversed(spec):
        if not chunk.wire:
            parts.append(f"{chunk.width}'{chunk.bits[::-1]}")
        elif chunk.width == module.wires[chunk.wire].width:
            parts.append(chunk.wire)
        else:
            parts.append(f"{chunk.wire} [{chunk.high - 1}:{chunk.low}]")
    return parts[0] if len(parts) == 1 else f"{{ {' '.join(parts)} }}"


class _Reader:
    def __init__(self, text: str):
        self.lines = iter(text.splitlines())
        self.module = Module([])
        self.attributes: list[str] = []

    def read(self) -> Module:
        for line in self.lines:
            words = line.split()
            match words[:1]:
                case ["attribute"] if self.module.header:
                    self.attributes.append(line)
                case ["module" | "autoidx" | "attribute" | "parameter"]:
                    self.module.header.append(line)
                case ["wire"]:
                    self._wire(words)
                case ["memory"]:
                    _, *options, name = words
                    said = dict(zip(options[::2], options[1::2], strict=True))
                    width, size = int(said.pop("width", 1)), int(said.pop("size"))
                    rest = " ".join(word for option in said.items() for word in option)
                    self.module.memories[name] = Memory(width, size, rest, self._taken())
                case ["cell"]:
                    self.module.cells.append(self._cell(words[1], words[2]))
                case ["connect"]:
                    driven, driver = self._specs(line.strip().removeprefix("connect "))
                    self.module.connections.append((driven, driver))
        return self.module

    def _taken(self) -> list[str]:
        taken, self.attributes = self.attributes, []
        return taken

    def _wire(self, words: list[str]) -> None:
        *options, name = words[1:]
        width = 1
        if options[:1] == ["width"]:
            width, options = int(options[1]), options[2:]
        attributes, init = [], ""
        for attribute in self._taken():
            if attribute.split()[1] == "\\init":
                init = _bits(attribute.split()[2])
            else:
                attributes.append(attribute)
        self.module.wires[name] = Wire(width, " ".join(options), attributes, init.ljust(width, "x") if init else "")

    def _cell(self, kind: str, name: str) -> Cell:
        cell = Cell(kind, name, self._taken())
        for line in self.lines:
            words = line.split(maxsplit=2)
            if words[0] == "end":
                break
            if words[0] == "parameter":
                words = line.split(maxsplit=3) if words[1] in ("signed", "real") else words
                cell.parameters[" ".join(words[1:-1])] = words[-1]
            else:
                (cell.ports[words[1]],) = self._specs(words[2])
        return cell

    def _specs(self, text: str) -> list[Spec]:
        """The signals that stand one after the other in `text`."""
        outer: list[Spec] = []
        inner: Spec | None = None
        for token in _TOKEN.findall(text):
            if token == "{":
                inner = []
            elif token == "}":
                outer.append((inner or [])[::-1])
                inner = None
            elif token[0] == "[":
                high, _, low = token[1:-1].partition(":")
                place = outer if inner is None else inner
                whole = place[-1] if inner is not None else outer[-1][0]
                part = Chunk(int(high) - int(low or high) + 1, whole.wire, int(low or high))
                place[-1] = part if inner is not None else [part]
            else:
                chunk = self._chunk(token)
                outer.append([chunk]) if inner is None else inner.append(chunk)
        return outer

    def _chunk(self, token: str) -> Chunk:
        if token[0] in "\\$":
            return Chunk(self.module.wires[token].width, token)
        return const(_bits(token))


def _bits(constant: str) -> str:
    """The bits of a constant, lowest first."""
    width, quote, digits = constant.partition("'")
    if not quote:
        return f"{int(constant) & 0xFFFF_FFFF:032b}"[::-1]
    return digits[::-1].ljust(int(width), digits[0] if digits[:1] in ("x", "z") else "0")


def read(text: str) -> Module:
    """The only module of `text`."""
    return _Reader(text).read()
