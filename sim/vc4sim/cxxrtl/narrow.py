"""Cuts the wide signals of a flat design into the pieces that it uses.

CXXRTL computes signals of up to 32 bits in a register of the processor and wider ones in loops over memory, and a signal of
which one part depends on another one it computes several times. Amaranth makes one signal of every struct, so a design
full of structs runs several times faster when their fields are signals of their own.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping

from .cuts import (
    BITWISE,
    MEMORY_READ,
    MEMORY_WRITE,
    REGISTERS,
    Cuts,
    Neighbours,
    choices,
    is_register,
    memory_of,
    splits,
    width_of,
)
from .rtlil import Cell, Chunk, Memory, Module, Spec, Wire, sliced

__all__ = ["Pieces", "narrow"]

#: Name, lowest bit and width of the pieces of a signal, the lowest first.
Pieces = list[tuple[str, int, int]]

_INIT = "$meminit_v2"


class _Narrower:
    """Rewrites a module with its wide signals in pieces."""

    def __init__(self, module: Module, fine: set[str], neighbours: Neighbours):
        self._old = module
        self._pieces = Cuts(module, fine, neighbours).pieces()
        self._new = Module(module.header)
        self._wholes: dict[str, str] = {}

    def narrow(self) -> tuple[Module, dict[str, Pieces]]:
        ports = {}
        for name, wire in self._old.wires.items():
            self._wire(name, wire)
            if wire.options.startswith(("input", "output")):
                ports[name] = [
                    (self._name(name, *piece), *piece) for piece in self._pieces.get(name, [(0, wire.width)])
                ]
        for name, memory in self._old.memories.items():
            for low, width in self._pieces.get(name, [(0, memory.width)]):
                piece = Memory(width, memory.size, memory.options, memory.attributes)
                self._new.memories[self._name(name, low, width)] = piece
        for cell in self._old.cells:
            self._cell(cell)
        for driven, driver in self._old.connections:
            self._new.connections += _pairs_of_driven(self._mapped(driven), self._mapped(driver))
        return self._new, ports

    def whole(self, piece: str) -> str:
        """The signal that `piece` is cut from."""
        return self._wholes.get(piece, piece)

    def _name(self, name: str, low: int, width: int) -> str:
        if name not in self._pieces:
            return name
        piece = f"{name}[{low + width - 1}:{low}]"
        self._wholes[piece] = name
        return piece

    def _wire(self, name: str, wire: Wire) -> None:
        for number, (low, width) in enumerate(self._pieces.get(name, [(0, wire.width)])):
            port = wire.options.split()
            if port and port[0] in ("input", "output") and number:
                # Every port wants a number of its own.
                port[1] = str(len(self._old.wires) + len(self._new.wires))
            attributes, options = wire.attributes, " ".join(port)
            if name in self._pieces:
                # Whoever looks for the signal by its name finds its pieces, and what bits they are.
                options += f" offset {low}"
                if name[0] == "\\" and not any("\\hdlname" in line for line in attributes):
                    attributes = [*attributes, f'attribute \\hdlname "{name[1:]}"']
            self._new.wires[self._name(name, low, width)] = Wire(
                width, options, attributes, wire.init[low : low + width]
            )

    def _mapped(self, spec: Spec) -> Spec:
        """The same signal in pieces."""
        found = []
        for chunk in spec:
            if chunk.wire not in self._pieces:
                found.append(chunk)
                continue
            for low, width in self._pieces[chunk.wire]:
                start, end = max(low, chunk.low), min(low + width, chunk.high)
                if start < end:
                    found.append(Chunk(end - start, self._name(chunk.wire, low, width), start - low))
        return found

    def _cell(self, cell: Cell) -> None:
        ports = {name: self._mapped(spec) for name, spec in cell.ports.items()}
        if cell.kind in (MEMORY_READ, MEMORY_WRITE, _INIT):
            self._memory_port(cell, ports)
        elif splits(cell) and len(ports[BITWISE[cell.kind][-1]]) > 1:
            self._bitwise(cell, ports)
        else:
            self._new.cells.append(Cell(cell.kind, cell.name, cell.attributes, cell.parameters, ports))

    def _bitwise(self, cell: Cell, ports: dict[str, Spec]) -> None:
        names = BITWISE[cell.kind]
        at = 0
        for chunk in ports[names[-1]]:
            parts = {name: sliced(ports[name], at, chunk.width) if name in names else ports[name] for name in ports}
            if cell.kind == "$pmux":
                parts["\\B"] = [part for choice in choices(ports) for part in sliced(choice, at, chunk.width)]
            self._add(cell, at, chunk.width, parts)
            at += chunk.width

    def _memory_port(self, cell: Cell, ports: dict[str, Spec]) -> None:
        memory = memory_of(cell)
        width = self._old.memories[memory].width
        words = width_of(ports["\\DATA"]) // width
        for low, part in self._pieces.get(memory, [(0, width)]):
            data = [chunk for word in range(words) for chunk in sliced(ports["\\DATA"], word * width + low, part)]
            parts = {**ports, "\\DATA": data}
            if cell.kind != MEMORY_READ:
                parts["\\EN"] = sliced(ports["\\EN"], low, part)
            name = self._name(memory, low, part).replace("\\", "\\\\")
            self._add(cell, low, part, parts, {"\\MEMID": f'"{name}"'})

    def _add(
        self, cell: Cell, low: int, width: int, ports: dict[str, Spec], parameters: dict[str, str] | None = None
    ) -> None:
        """A part of a cell."""
        own = {name: self._parameter(name, value, low, width) for name, value in cell.parameters.items()}
        name = f"{cell.name}[{low + width - 1}:{low}]"
        self._new.cells.append(Cell(cell.kind, name, cell.attributes, own | (parameters or {}), ports))

    @staticmethod
    def _parameter(name: str, value: str, low: int, width: int) -> str:
        if name in ("\\WIDTH", "\\A_WIDTH", "\\B_WIDTH", "\\Y_WIDTH"):
            return str(width)
        if name in ("\\SRST_VALUE", "\\ARST_VALUE", "\\INIT_VALUE"):
            bits = value.partition("'")[2]
            bits = bits.rjust(low + width, bits[0] if bits[0] == "x" else "0")[::-1]
            return f"{width}'{bits[low : low + width][::-1]}"
        return value


def _pairs_of_driven(driven: Spec, driver: Spec) -> Iterator[tuple[Spec, Spec]]:
    """A connection for each piece that is driven."""
    at = 0
    for chunk in driven:
        yield [chunk], sliced(driver, at, chunk.width)
        at += chunk.width


def _loops(module: Module) -> set[str]:
    """Wires that depend on themselves, as far as one sees without looking at single bits."""
    before: dict[str, dict[str, None]] = defaultdict(dict)
    for cell in module.cells:
        # What is read with a clock comes from a register.
        driven = "" if is_register(cell) else "\\DATA" if cell.kind == MEMORY_READ else "\\Y"
        if driven and driven in cell.ports:
            reads = (chunk.wire for name, spec in cell.ports.items() if name != driven for chunk in spec)
            before[cell.name] = dict.fromkeys(reads)
            for chunk in cell.ports[driven]:
                before[chunk.wire][cell.name] = None
    for driven, driver in module.connections:
        for chunk in driven:
            before[chunk.wire] |= dict.fromkeys(read.wire for read in driver)
    return _on_cycles(before, module.wires)


def _on_cycles(before: Mapping[str, Iterable[str]], wires: Container[str]) -> set[str]:
    """All of `wires` on some cycles, so many that without them there is no cycle."""
    found: set[str] = set()
    known: set[str] = set()  # no cycle is left before them
    for root in before:
        path: dict[str, Iterator[str]] = {} if root in known else {root: iter(before[root])}
        while path:
            name, rest = next(reversed(path.items()))
            following = next((one for one in rest if one not in known), None)
            if following is None:
                known.add(name)
                del path[name]
            elif following not in path:
                path[following] = iter(before.get(following, ()))
            else:
                names = list(path)
                cycle = [one for one in names[names.index(following) :] if one in wires]
                found.update(cycle)
                known.update(cycle)
                for one in names[names.index(cycle[0]) :]:
                    del path[one]
    return found


def _mixed(module: Module) -> set[str]:
    """Wires of which registers drive some bits, while others follow within the clock: for these CXXRTL evaluates twice."""
    held: set[str] = set()
    followed = {chunk.wire for driven, _ in module.connections for chunk in driven}
    for cell in module.cells:
        driven = "\\Q" if cell.kind in REGISTERS else "\\Y"
        (held if cell.kind in REGISTERS else followed).update(chunk.wire for chunk in cell.ports.get(driven, ()))
    return held & followed - {""}


def narrow(module: Module, neighbours: Neighbours = lambda *bits: True) -> tuple[Module, dict[str, Pieces]]:
    """The same design in pieces, and for each of its ports the name, lowest bit and width of the pieces.

    `neighbours` says what is kept together in registers. One evaluation in the right order then settles all signals. Raises `ValueError` for a design of which that is not true.
    """
    fine: set[str] = set()
    while True:
        narrower = _Narrower(module, fine, neighbours)
        narrowed, ports = narrower.narrow()
        looping = {narrower.whole(name) for name in _loops(narrowed)}
        mixed = {narrower.whole(name) for name in _mixed(narrowed)} - fine
        if not looping | mixed:
            return narrowed, ports
        if not mixed and looping <= fine:
            raise ValueError(f"signals depend on themselves: {', '.join(sorted(looping))}")
        fine |= looping | mixed
