"""The GPU as Verilog, for tools that do not know Amaranth."""

import os
import re

from amaranth.back import verilog
from amaranth.hdl import Value
from amaranth.lib import wiring

from vc4.config import V3DConfig
from vc4.v3d_axi import V3DAxi

from .hierarchy import without_checks

__all__ = ["TOP", "export", "export_component"]

#: Name of the top module.
TOP = "v3d"

#: The register that Yosys adds to a module so that its processes run at time 0, and a process without it.
_STARTER = re.compile(r"^  reg (\\\$auto\$verilog_backend\S+) += 0;", re.MULTILINE)
_PLAIN = re.compile(r"^  always @\*\n    (\S.* = .*;)\n", re.MULTILINE)


def export(config: V3DConfig) -> str:
    """Verilog of `V3DAxi`."""
    return export_component(V3DAxi(config), TOP)


def export_component(component: wiring.Component, name: str) -> str:
    """Verilog of a component, with `name` as the name of its module.

    The parts of the names of ports are joined by one underscore, so that tools know their buses: `m_axi_awaddr`.

    The assertions of the RTL are left out. They are for our own simulators, which check them in every run; who builds
    an FPGA or simulates the Verilog wants no more than the logic, and tools differ in what they make of `assert` in the
    middle of a design: some refuse it, some warn, some keep logic alive for it.
    """
    # One Yosys for everyone: the one that comes with the package, unless the user decides otherwise.
    os.environ.setdefault("AMARANTH_USE_YOSYS", "builtin")
    ports = {
        "_".join(map(str, path)): (Value.cast(value), None) for path, _, value in component.signature.flatten(component)
    }
    text = verilog.convert(without_checks(component), name=name, ports=ports, strip_internal_attrs=True)
    return "endmodule".join(_start_processes(module) for module in text.split("endmodule"))


def _start_processes(module: str) -> str:
    """The module, its processes written such that every simulator runs each of them at time 0.

    `always @*` waits for a change of what it reads, which may be constant. For this Yosys lets it read a register that
    changes at time 0; but in SystemVerilog the initial value of a declaration is no change, and one in an `initial` block
    may come too early. An assignment that is not blocking never does. Processes of a single assignment do not read the
    register as Yosys writes them.
    """
    starter = _STARTER.search(module)
    if starter is None:
        return module
    name = starter[1]
    start = f"  always @* begin\n    if ({name} ) begin end\n    "
    module = _STARTER.sub(lambda _: f"  reg {name} ;\n  initial {name} <= 0;", module)
    return _PLAIN.sub(lambda process: f"{start}{process[1]}\n  end\n", module)
