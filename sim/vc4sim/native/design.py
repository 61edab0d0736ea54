"""A narrowed design as variables, and what each of them is computed from."""

from collections import defaultdict
from collections.abc import Iterator

from ..cxxrtl.cuts import MEMORY_READ, MEMORY_WRITE, REGISTERS, memory_of, width_of
from ..cxxrtl.rtlil import Cell, Chunk, Module, Spec, sliced
from .cells import CELLS, Operands
from .clocked import Array, Check, MemoryRead, MemoryWrite, Register
from .expression import PUBLIC, Expression, join, renamed, spread, word, words
from .labels import labels, piece

__all__ = ["Design"]

_INITS = ("$meminit", "$meminit_v2")
#: The input that resets a design, as Amaranth calls it.
_RESET = PUBLIC + "rst"
#: In front of the names of cells and wires that nobody has named.
_FLATTENED = "$flatten\\"


def _instances(name: str) -> tuple[str, ...]:
    """Those around a cell or a wire, as Yosys has put them into its name when it took the hierarchy away; of some it has not."""
    if name.startswith(_FLATTENED):
        *outer, inner = name.removeprefix(_FLATTENED).split(".\\")
        return (*outer, inner.partition(".$")[0])
    return tuple(name.removeprefix(PUBLIC).split(".")[:-1]) if name.startswith(PUBLIC) else ()


def _number(bits: str) -> int:
    """Of bits, the lowest first; unknown ones are 0."""
    return int(bits[::-1].replace("x", "0") or "0", 2)


def _resets(module: Module) -> dict[str, dict[str, Spec]]:
    """By wire that has a constant where the design is reset, and something else otherwise: the ports of the cell that chooses."""
    found = {}
    for cell in module.cells:
        if cell.kind == "$mux" and cell.ports["\\S"][0].wire == _RESET:
            driven, *more = cell.ports["\\Y"]
            is_whole = not more and driven.width == module.wires[driven.wire].width
            if is_whole and not any(chunk.wire for chunk in cell.ports["\\B"]):
                found[driven.wire] = cell.ports
    return found


class Design:
    """The variables of a module in which no wire is wider than a word.

    A wire is a variable; one that several cells drive has a variable for each part, too. Variables that nothing computes are
    inputs and registers, or stay 0.

    computed : by variable, its value; it may read a memory, too, by the name of that
    places : by variable, the instances in which it is, the outermost first; not of all
    registers, reads, writes : what changes with the clock
    arrays : the memories, by their names in the module
    checks : what must not happen
    wide : by variable, how many parts it has side by side, if it is not just one
    labels : by variable or memory, what it is of things that somebody has named, see `labels`; not of all

    Raises `ValueError` for cells that are not known, and for copies of themselves.
    """

    def __init__(self, module: Module):
        self.module = module
        self.computed: dict[str, Expression] = {}
        self.places: dict[str, tuple[str, ...]] = {}
        self.registers: list[Register] = []
        self.reads: list[MemoryRead] = []
        self.writes: list[MemoryWrite] = []
        self.arrays = {
            name: Array(f"m{index}", memory.size) for index, (name, memory) in enumerate(module.memories.items())
        }
        self.checks: list[Check] = []
        self.wide: dict[str, int] = {}
        self._names = {wire: f"w{index}" for index, wire in enumerate(module.wires)}
        self._copies: dict[str, str] = {}  # variables that nobody computes, and which they are
        self._parts: dict[str, list[tuple[Chunk, str]]] = defaultdict(list)
        self._kept = 0
        self._variables: dict[str, str] = {}  # of what memories are read and written with, by its text
        self._resets = _resets(module)
        self._reset = ""  # the variable that says that the design is reset
        self._instances: tuple[str, ...] = ()  # around what is made now
        for cell in module.cells:
            self._instances = _instances(cell.name)
            self._cell(cell)
        self._instances = ()
        for driven, driver in module.connections:
            self._drive(driven, self.words(driver))
        for wire, parts in self._parts.items():
            values = [Expression(f"({name} << {chunk.low})", frozenset([name])) for chunk, name in parts]
            self._compute(self.name(wire), join(" | ".join(["{}"] * len(values)), *values), wire)
        self._join_copies()
        self.labels = labels(
            {array.name: name for name, array in self.arrays.items()},
            [(read.memory, read.result) for read in self.reads],
            [(bits, self._copies.get(name, name)) for bits, name in self.variables()],
        )

    def name(self, wire: str) -> str:
        """The variable of a wire."""
        name = self._names[wire]
        return self._copies.get(name, name)

    def variables(self) -> Iterator[tuple[str, str]]:
        """The bits of all wires, see `labels`, and their variables: of the whole, and of parts."""
        yield from ((piece(wire, 0, self.width(wire)), name) for wire, name in self._names.items())
        for wire, parts in self._parts.items():
            yield from ((piece(wire, chunk.low, chunk.width), name) for chunk, name in parts)

    def kind(self, name: str) -> str:
        """The type of a variable in C++."""
        return f"V{self.wide.get(name, '')}"

    def words(self, spec: Spec) -> list[Expression]:
        """The words of a signal."""
        return words(spec, self.name, self.width)

    def word(self, spec: Spec) -> Expression:
        """A signal of one word."""
        return word(spec, self.name, self.width)

    def width(self, wire: str) -> int:
        """Bits of a wire."""
        return self.module.wires[wire].width

    def ports(self, kind: str) -> list[str]:
        """The variables of all inputs, or of all outputs."""
        return [self.name(name) for name, wire in self.module.wires.items() if wire.options.startswith(kind)]

    def wanted(self) -> list[str]:
        """The variables that have to be there after a clock: all that is computed is computed for one of them."""
        return [*self._at_end(), *self.ports("output")]

    def _at_end(self) -> list[str]:
        """What the end of a clock reads."""
        return [
            *(register.following for register in self.registers),
            *(register.reset for register in self.registers if register.reset),
            *(name for read in self.reads for name in (read.address, read.enable)),
            *(name for write in self.writes for name in (write.address, write.bits, write.data)),
            *(check.fails for check in self.checks),
        ]

    def _copied(self, name: str) -> str:
        """The variable of which this one is a copy, or of a copy of it; itself if it is none."""
        seen = set()
        while (value := self.computed.get(name)) and value.text in value.reads:
            if name in seen:
                raise ValueError(f"{name} depends on itself")
            seen.add(name)
            name = value.text
        return name

    def _join_copies(self) -> None:
        """Whoever reads a copy of a variable reads that itself. Copies for the end of a clock stay: there it may be a new one."""
        copies = {name: source for name in self.computed if (source := self._copied(name)) != name}
        self.computed = {name: renamed(value, copies) for name, value in self.computed.items()}
        for name in copies.keys() - set(self._at_end()):
            del self.computed[name]
            self._copies[name] = copies[name]

    def _compute(self, name: str, value: Expression, wire: str = "") -> None:
        self.computed[name] = value
        if place := self._instances or _instances(wire):
            self.places[name] = place

    def _keep(self, value: Expression) -> Expression:
        self._kept += 1
        name = f"t{self._kept}"
        self._compute(name, value)
        return Expression(name, frozenset([name]))

    def _variable(self, spec: Spec) -> str:
        """A variable that has the value of a signal of one word."""
        value = self.word(spec)
        if value.text in value.reads:
            return value.text
        if value.text not in self._variables:
            self._variables[value.text] = self._keep(value).text
        return self._variables[value.text]

    def _place(self, chunk: Chunk) -> str:
        """The variable of what drives these bits."""
        name = self.name(chunk.wire)
        if chunk.width == self.width(chunk.wire):
            return name
        part = f"{name}_{chunk.low}"
        self._parts[chunk.wire].append((chunk, part))
        return part

    def _drive(self, spec: Spec, values: list[Expression]) -> None:
        if len(spec) > 1:
            values = [self._keep(value) for value in values]
        for chunk, value in spread(values, spec):
            self._compute(self._place(chunk), value, chunk.wire)

    def _cell(self, cell: Cell) -> None:
        if cell.kind in REGISTERS:
            self._register(cell)
        elif cell.kind == MEMORY_READ:
            self._read(cell)
        elif cell.kind == MEMORY_WRITE:
            self._write(cell)
        elif cell.kind in _INITS:
            self._init(cell)
        elif cell.kind == "$check":
            self._check(cell)
        elif cell.kind in CELLS:
            self._drive(cell.ports["\\Y"], CELLS[cell.kind](Operands(cell, self.words, self._keep)))
        else:
            raise ValueError(f"{cell.name}: cells of the kind {cell.kind} are not known")

    def _register(self, cell: Cell) -> None:
        at = 0
        for chunk in cell.ports["\\Q"]:
            given = sliced(cell.ports["\\D"], at, chunk.width)
            given, reset, values = self._without_reset(given) if cell.kind == "$dff" else (given, "", ())
            following = self.word(given)
            held = self.word([chunk])
            enable = self._control(cell, "EN")
            clear = self._control(cell, "SRST")
            if clear:
                value = cell.parameters["\\SRST_VALUE"].partition("'")[2][::-1].ljust(width_of(cell.ports["\\Q"]), "0")
                value = self.word([Chunk(chunk.width, bits=value[at : at + chunk.width])])
            if enable and cell.kind != "$sdffe":
                if clear:
                    following = join("mux({}, {}, {})", clear, following, value)
                following = join("mux({}, {}, {})", enable, held, following)
            else:
                if enable:
                    following = join("mux({}, {}, {})", enable, held, following)
                if clear:
                    following = join("mux({}, {}, {})", clear, following, value)
            init = _number(self.module.wires[chunk.wire].init[chunk.low : chunk.high])
            name = self._place(chunk)
            self.registers.append(Register(name, self._keep(following).text, (init,), reset, values))
            at += chunk.width

    def _without_reset(self, given: Spec) -> tuple[Spec, str, tuple[int, ...]]:
        """What a register is given where the design is not reset, the variable that says that it is, and its value then."""
        chunk = given[0]
        ports = self._resets.get(chunk.wire)
        if ports is None or len(given) > 1 or chunk.width != self.width(chunk.wire):
            return given, "", ()
        self._reset = self._reset or self._keep(self.word(ports["\\S"])).text
        return ports["\\A"], self._reset, (_number("".join(one.bits for one in ports["\\B"])),)

    def _control(self, cell: Cell, name: str) -> Expression | None:
        """A control input of a register as a bit that is 1 when it acts, or `None` if there is none."""
        if f"\\{name}" not in cell.ports:
            return None
        signal = self.word(cell.ports[f"\\{name}"])
        acts = cell.parameters[f"\\{name}_POLARITY"].endswith("1")
        return signal if acts else join("inverted({})", signal)

    def _read(self, cell: Cell) -> None:
        ports = cell.ports
        array = self.arrays[memory_of(cell)]
        if not cell.parameters["\\CLK_ENABLE"].endswith("1"):
            found = join(f"load({array.name}, {{}})", self.word(ports["\\ADDR"]))
            self._drive(ports["\\DATA"], [Expression(found.text, found.reads | {array.name})])
            return
        seen = set(cell.parameters["\\TRANSPARENCY_MASK"].partition("'")[2])
        if len(seen) > 1:
            raise ValueError(f"{cell.name}: it reads what some ports write, but not what others do")
        address, enable = self._variable(ports["\\ADDR"]), self._variable(ports["\\EN"])
        result = f"r{len(self.reads)}"
        full = array.size >= 1 << width_of(ports["\\ADDR"])
        self.reads.append(MemoryRead(array.name, address, enable, result, full, seen == {"1"}))
        self._drive(ports["\\DATA"], [Expression(result, frozenset([result]))])

    def _write(self, cell: Cell) -> None:
        address, bits, data = (self._variable(cell.ports[port]) for port in ("\\ADDR", "\\EN", "\\DATA"))
        self.writes.append(MemoryWrite(self.arrays[memory_of(cell)].name, address, bits, data))

    def _init(self, cell: Cell) -> None:
        memory = self.module.memories[memory_of(cell)]
        bits = "".join(chunk.bits for chunk in cell.ports["\\DATA"]).replace("x", "0")
        first = int("".join(chunk.bits for chunk in cell.ports["\\ADDR"])[::-1] or "0", 2)
        for index in range(len(bits) // memory.width):
            value = int(bits[index * memory.width : (index + 1) * memory.width][::-1], 2)
            if value:
                self.arrays[memory_of(cell)].init[first + index] = value

    def _check(self, cell: Cell) -> None:
        fails = self._keep(join("{} & inverted({})", self.word(cell.ports["\\EN"]), self.word(cell.ports["\\A"])))
        self.checks.append(Check(fails.text, cell.parameters["\\FORMAT"]))
