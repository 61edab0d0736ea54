"""Takes instances of a component out of a design, to be compiled once and joined to it again in C++."""

from collections.abc import Iterator

from amaranth import ClockSignal, Instance, Module, ResetSignal
from amaranth.hdl import Value
from amaranth.lib import wiring

from .rtlil import Chunk, Wire
from .rtlil import Module as FlatModule

__all__ = ["declaration", "port_widths", "ports", "take_out", "unplug"]


def ports(component: wiring.Component) -> Iterator[tuple[str, wiring.Flow, Value]]:
    """The ports of a component, with their names when it is a design of its own, and their direction seen from inside."""
    for path, member, value in component.signature.flatten(component):
        yield "__".join(map(str, path)), member.flow, Value.cast(value)


def port_widths(component: wiring.Component, flow: wiring.Flow) -> dict[str, int]:
    """The ports of that direction, seen from inside, as they are named when `component` is a design of its own."""
    return {name: len(value) for name, its, value in ports(component) if its == flow}


def _type(kind: str) -> str:
    return f"socket_{kind}"


def take_out(component: wiring.Component, kind: str) -> None:
    """From now on, `component` elaborates to a cell of that kind with its ports, of which `declaration` tells."""
    joined = {f"{'i' if flow == wiring.In else 'o'}_{name}": value for name, flow, value in ports(component)}

    def elaborate(_platform):
        m = Module()
        m.submodules.socket = Instance(_type(kind), i_clk=ClockSignal(), i_rst=ResetSignal(), **joined)
        return m

    component.elaborate = elaborate


def declaration(component: wiring.Component, kind: str) -> str:
    """RTLIL: what Yosys has to know of the cells of that kind, in the places of components like `component`."""
    all_ports = [("clk", wiring.In, 1), ("rst", wiring.In, 1)]
    all_ports += [(name, flow, len(value)) for name, flow, value in ports(component)]
    wires = [
        f"wire width {width} {'input' if flow == wiring.In else 'output'} {number} \\{name}"
        for number, (name, flow, width) in enumerate(all_ports, start=1)
    ]
    return "\n".join(["attribute \\blackbox 1", "attribute \\keep 1", f"module \\{_type(kind)}", *wires, "end", ""])


def unplug(module: FlatModule, component: wiring.Component, kind: str, *, without: tuple[str, ...] = ()) -> None:
    """Replace the cells of that kind, in the places of components like `component`, by ports of `module`.

    The inputs of cell n, in the order of the names, become outputs `kind`n__name, its outputs become inputs. Ports whose
    name begins with one of `without` are left open.
    """
    sockets = sorted((cell for cell in module.cells if cell.kind == f"\\{_type(kind)}"), key=lambda cell: cell.name)
    module.cells[:] = [cell for cell in module.cells if cell.kind != f"\\{_type(kind)}"]
    inputs = port_widths(component, wiring.In)
    for number, cell in enumerate(sockets):
        for port, spec in cell.ports.items():
            name, width = port.removeprefix("\\"), sum(chunk.width for chunk in spec)
            if name.startswith(("clk", "rst", *without)):
                continue
            wire = f"\\{kind}{number}__{name}"
            out = name in inputs
            module.wires[wire] = Wire(width, f"{'output' if out else 'input'} {len(module.wires) + 1}", [])
            whole = [Chunk(width, wire)]
            module.connections.append((whole, spec) if out else (spec, whole))
