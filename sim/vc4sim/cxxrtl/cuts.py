"""Where the wide signals of a flat design are cut."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from .rtlil import Cell, Chunk, Module, Spec, sliced

__all__ = [
    "BITWISE",
    "MEMORY_READ",
    "MEMORY_WRITE",
    "REGISTERS",
    "WORD",
    "Cuts",
    "Neighbours",
    "choices",
    "is_register",
    "memory_of",
    "splits",
    "width_of",
]

#: Bits that are computed at once.
WORD = 32

#: Registers drive nothing within a clock.
REGISTERS = ("$dff", "$dffe", "$sdff", "$sdffe", "$sdffce")
#: Cells that treat every bit alike: the ports that have a bit for each bit of the last one, which they drive.
BITWISE = {
    "$and": ("\\A", "\\B", "\\Y"),
    "$or": ("\\A", "\\B", "\\Y"),
    "$xor": ("\\A", "\\B", "\\Y"),
    "$not": ("\\A", "\\Y"),
    "$mux": ("\\A", "\\B", "\\Y"),
    "$pmux": ("\\A", "\\Y"),
    **dict.fromkeys(REGISTERS, ("\\D", "\\Q")),
}
MEMORY_READ, MEMORY_WRITE = "$memrd_v2", "$memwr_v2"


def is_register(cell: Cell) -> bool:
    """What a cell drives changes with the clock only."""
    return cell.kind in REGISTERS or (cell.kind == MEMORY_READ and cell.parameters["\\CLK_ENABLE"].endswith("1"))


#: Whether neighbours are to be kept together in a register: its name, the first bit of the lower ones, that of the upper ones, and
#: the bit after them.
Neighbours = Callable[[str, int, int, int], bool]


class Cuts:
    """Where signals are cut: the parts of each wide signal that are wanted in one piece, and how signals hang together."""

    def __init__(self, module: Module, fine: set[str], neighbours: Neighbours):
        self._fine = fine
        self._neighbours = neighbours
        self._widths = {name: wire.width for name, wire in module.wires.items()}
        self._widths |= {name: memory.width for name, memory in module.memories.items()}
        self._alike: dict[str, list[tuple[int, int, str, int]]] = defaultdict(list)
        self._wanted: dict[str, set[tuple[int, int]]] = defaultdict(set)
        self._stored: dict[str, set[int]] = {name: set() for name in module.memories}
        self._becomes: dict[str, set[str]] = defaultdict(set)  # what is computed of a signal bit by bit
        self._taken_apart = {name for name, wire in module.wires.items() if wire.options.startswith("output")}
        for cell in module.cells:
            self._cell(cell)
        for driven, driver in module.connections:
            self._align(driven, driver)
            self._pass_on(driver, driven)

    def wide(self, name: str) -> bool:
        """Whether a signal is cut at all."""
        return self._widths[name] > WORD or name in self._fine

    def _cell(self, cell: Cell) -> None:
        ports = set(cell.ports)
        if splits(cell):
            names = BITWISE[cell.kind]
            driven = cell.ports[names[-1]]
            for name in names[:-1]:
                self._align(cell.ports[name], driven)
                self._pass_on(cell.ports[name], driven)
            ports.difference_update(names)
            if cell.kind in REGISTERS:
                for chunk in driven:
                    self._stored.setdefault(chunk.wire, set()).update((chunk.low, chunk.high))
            if cell.kind == "$pmux":
                for choice in choices(cell.ports):
                    self._align(choice, driven)
                    self._pass_on(choice, driven)
                ports.discard("\\B")
        elif cell.kind in (MEMORY_READ, MEMORY_WRITE):
            whole = [Chunk(self._widths[memory_of(cell)], memory_of(cell))]
            self._align(cell.ports["\\DATA"], whole)
            if cell.kind == MEMORY_WRITE:
                self._pass_on(cell.ports["\\DATA"], whole)
            ports.discard("\\DATA")
        for port in ports:
            self._want(cell.ports[port])
        self._taken_apart.update(chunk.wire for port in ports - {"\\Y", "\\Q"} for chunk in cell.ports[port])

    def _pass_on(self, driver: Spec, driven: Spec) -> None:
        for chunk in driver:
            self._becomes[chunk.wire].update(one.wire for one in driven)

    def _whole(self) -> set[str]:
        """Signals that nobody wants in parts: what is computed of them ends in registers and memories."""
        found = set(filter(self.wide, self._widths)) - self._taken_apart - self._stored.keys()
        while True:
            others = {name for name in found if not self._becomes[name] <= found | self._stored.keys()}
            if not others:
                return found
            found -= others

    def _want(self, spec: Spec) -> None:
        for chunk in spec:
            if chunk.wire and self.wide(chunk.wire) and chunk.width <= WORD:
                self._wanted[chunk.wire].add((chunk.low, chunk.high))

    def _align(self, one: Spec, other: Spec) -> None:
        """Two signals that have the same bits, or bits that depend on each other one by one."""
        self._want(one)
        self._want(other)
        at = 0
        for left, right in _pairs(one, other):
            for here, there in ((left, right), (right, left)):
                if here.wire and there.wire and self.wide(here.wire) and self.wide(there.wire):
                    self._alike[here.wire].append((here.low, here.high, there.wire, there.low))
            at += left.width

    def pieces(self) -> dict[str, list[tuple[int, int]]]:
        """For every wide signal the lowest bit and the width of its pieces, the lowest first."""
        new = {(name, *part) for name, parts in self._wanted.items() for part in parts}
        while new:
            name, low, high = new.pop()
            for start, end, other, to in self._alike[name]:
                first, last = max(low, start), min(high, end)
                part = (first - start + to, last - start + to)
                if first < last and part not in self._wanted[other]:
                    self._wanted[other].add(part)
                    new.add((other, *part))
        found, wholes = {}, self._whole() - self._fine
        for name in filter(self.wide, self._widths):
            found[name] = list(_pieces(self._widths[name], self._wanted[name], name in self._fine))
            if name in self._stored or name in wholes:
                found[name] = list(self._packed(name, found[name]))
        return found

    def _packed(self, name: str, pieces: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """As many neighbours together as fit in a word, but none across the bounds of registers.

        A register costs more to keep than its parts cost to take out of it, and they cannot depend on each other.
        """
        bounds = self._stored.get(name, set())
        low, width = pieces[0]
        for start, more in pieces[1:]:
            if start in bounds or width + more > WORD or not self._neighbours(name, low, start, start + more):
                yield low, width
                low, width = start, 0
            width += more
        yield low, width


def _pieces(width: int, wanted: Iterable[tuple[int, int]], fine: bool) -> Iterator[tuple[int, int]]:
    """Cuts at both ends of every wanted part, unless it lies in another one, and elsewhere every `WORD` bits.

    With `fine`, also where a part lies in another one.
    """
    cuts, reached = {0, width}, 0
    for low, high in sorted(wanted, key=lambda part: (part[0], -part[1])):
        if high > reached or fine:
            cuts |= {low, high}
            reached = high
    ordered = sorted(cuts)
    for low, high in zip(ordered, ordered[1:], strict=False):
        for start in range(low, high, WORD):
            yield start, min(WORD, high - start)


def _pairs(one: Spec, other: Spec) -> Iterator[tuple[Chunk, Chunk]]:
    """Two signals of the same width, side by side in parts that are one chunk of each."""
    left, right = list(one[::-1]), list(other[::-1])
    while left and right:
        a, b = left.pop(), right.pop()
        width = min(a.width, b.width)
        yield a.part(0, width), b.part(0, width)
        left += [a.part(width, a.width - width)] if a.width > width else []
        right += [b.part(width, b.width - width)] if b.width > width else []


def width_of(spec: Spec) -> int:
    return sum(chunk.width for chunk in spec)


def memory_of(cell: Cell) -> str:
    return cell.parameters["\\MEMID"].strip('"').replace("\\\\", "\\")


def splits(cell: Cell) -> bool:
    """Whether each bit of the cell stands for itself: all ports are equally wide."""
    names = BITWISE.get(cell.kind, ())
    return bool(names) and len({width_of(cell.ports[name]) for name in names}) == 1


def choices(ports: dict[str, Spec]) -> list[Spec]:
    """What a `$pmux` chooses from, besides its default."""
    width = width_of(ports["\\Y"])
    return [sliced(ports["\\B"], at, width) for at in range(0, width_of(ports["\\B"]), width)]
