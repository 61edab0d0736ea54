"""Comparisons that a design makes bit by bit, or in pairs of bits as the LUTs of an FPGA want it, become comparisons of words."""

from ..cxxrtl.rtlil import Cell, Chunk, Module, Spec

__all__ = ["join_equalities"]


def join_equalities(module: Module) -> None:
    """Whether several things are equal, all of them, is asked at once: side by side they are one."""
    equalities = {bit: cell for cell in module.cells if cell.kind == "$eq" for bit in _bits(cell.ports["\\Y"])[:1]}
    for number, cell in enumerate(module.cells):
        if cell.kind == "$reduce_and":
            asked = [equalities.get(bit) for bit in _bits(cell.ports["\\A"])]
            compared = [one for one in asked if one and _widths(one, "\\A") == _widths(one, "\\B")]
            if asked == compared:
                ports = {port: _beside([one.ports[port] for one in compared]) for port in ("\\A", "\\B")}
                module.cells[number] = Cell("$eq", cell.name, cell.attributes, {}, ports | {"\\Y": cell.ports["\\Y"]})


def _bits(spec: Spec) -> list[tuple[str, int]]:
    return [(chunk.wire, bit) for chunk in spec for bit in range(chunk.low, chunk.high)]


def _widths(cell: Cell, port: str) -> int:
    return sum(chunk.width for chunk in cell.ports[port])


def _beside(specs: list[Spec]) -> Spec:
    """The lowest first; what lies side by side in a wire is one chunk."""
    found: Spec = []
    for chunk in (chunk for spec in specs for chunk in spec):
        before = found[-1] if found else None
        if before and chunk.wire and before.wire == chunk.wire and before.high == chunk.low:
            found[-1] = Chunk(before.width + chunk.width, chunk.wire, before.low)
        else:
            found.append(chunk)
    return found
