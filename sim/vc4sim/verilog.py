"""The GPU as Verilog, for tools that do not know Amaranth."""

import os
import re

from amaranth.back import verilog
from amaranth.hdl import Elaboratable
from amaranth.lib import wiring

from vc4.config import V3DConfig
from vc4.v3d import V3D

from .hierarchy import without_checks

__all__ = ["TOP", "export"]

#: Name of the top module.
TOP = "v3d"

#: The register that Yosys adds to a module so that its processes run at time 0, and a process without it.
_STARTER = re.compile(r"^  reg (\\\$auto\$verilog_backend\S+) += 0;", re.MULTILINE)
_PLAIN = re.compile(r"^  always @\*\n    (\S.* = .*;)\n", re.MULTILINE)


class _Synthesizable(Elaboratable):
    """A component with the same ports, and without its checks."""

    def __init__(self, component: wiring.Component):
        self.signature = component.signature
        self._component = component

    def __getattr__(self, name: str):
        return getattr(self._component, name)

    def elaborate(self, platform):
        return without_checks(self._component)


def export(config: V3DConfig) -> str:
    """Verilog of `V3D`, without the trace port if `config` does not ask for it.

    The assertions of the RTL are left out. They are for our own simulators, which check them in every run; who builds
    an FPGA or simulates the Verilog wants no more than the logic, and tools differ in what they make of `assert` in the
    middle of a design: some refuse it, some warn, some keep logic alive for it.
    """
    # One Yosys for everyone: the one that comes with the package, unless the user decides otherwise.
    os.environ.setdefault("AMARANTH_USE_YOSYS", "builtin")
    text = verilog.convert(_Synthesizable(V3D(config)), name=TOP, strip_internal_attrs=True)
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
