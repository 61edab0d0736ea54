"""Comparisons that a design makes bit by bit, or in pairs of bits as the LUTs of an FPGA want it, become comparisons of words."""

from ..cxxrtl.cuts import width_of
from ..cxxrtl.rtlil import Cell, Chunk, Module, Spec

__all__ = ["join_equalities"]


def join_equalities(module: Module) -> None:
    """Rewrites the module: a `$reduce_and` of equalities becomes one `$eq` of all that they compare, side by side."""
    equalities = {bit: cell for cell in module.cells if cell.kind == "$eq" for bit in _bits(cell.ports["\\Y"])[:1]}
    for number, cell in enumerate(module.cells):
        if cell.kind == "$reduce_and":
            asked = _bits(cell.ports["\\A"])
            compared = [equalities[bit].ports for bit in asked if bit in equalities]
            if len(compared) == len(asked) and all(width_of(its["\\A"]) == width_of(its["\\B"]) for its in compared):
                ports = {port: _beside([its[port] for its in compared]) for port in ("\\A", "\\B")}
                module.cells[number] = Cell("$eq", cell.name, cell.attributes, {}, ports | {"\\Y": cell.ports["\\Y"]})


def _bits(spec: Spec) -> list[tuple[str, int]]:
    return [(chunk.wire, bit) for chunk in spec for bit in range(chunk.low, chunk.high)]


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
