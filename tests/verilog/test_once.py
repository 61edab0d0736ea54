"""One module for each kind of component: what is alike, and the ports and the comment of the file."""

import re
from importlib.metadata import version

import pytest
from amaranth.hdl import Module, ResetInserter
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.axi import AxiLitePort, AxiPort
from vc4.config import preset
from vc4.v3d_axi import V3DAxi
from vc4sim.hierarchy import used
from vc4sim.verilog import export_component
from vc4sim.verilog.alike import form

pytestmark = pytest.mark.thorough


class Count(wiring.Component):
    """Counts in steps."""

    def __init__(self, width, step):
        self._step = step
        super().__init__({"number": Out(width), "enable": In(1)})

    def elaborate(self, platform):
        m = Module()
        with m.If(self.enable):
            m.d.sync += self.number.eq(self.number + self._step)
        return m


class Pass(wiring.Component):
    """Nothing but wires."""

    i: In(stream.Signature(8))
    o: Out(stream.Signature(8))

    def elaborate(self, platform):
        m = Module()
        connect(m, flipped(self.i), flipped(self.o))
        return m


class System(wiring.Component):
    """Counters, four of which are alike, one of them with a reset of its own, a part without logic, and buses that nobody drives."""

    enable: In(1)
    irq: Out(1)
    i: In(stream.Signature(8))
    o: Out(stream.Signature(8))
    host: In(AxiLitePort(address_bits=12))
    bus: Out(AxiPort(word_bytes=8, id_bits=5))

    def elaborate(self, platform):
        m = Module()
        m.submodules.wires = wires = Pass()
        connect(m, flipped(self.i), wires.i)
        connect(m, wires.o, flipped(self.o))
        for number, (width, step) in enumerate([(8, 1), (8, 1), (8, 2), (9, 1), (8, 1)]):
            m.submodules[f"count_{number}"] = count = Count(width, step)
            m.d.comb += [count.enable.eq(self.enable), self.irq.eq(count.number[-1])]
        m.submodules.again = again = ResetInserter(self.i.valid)(Count(8, 1))
        m.d.comb += again.enable.eq(self.enable)
        return m


def modules(text):
    return re.findall(r"^module (\S+?)\(", text, re.MULTILINE)


@pytest.fixture(scope="module")
def text():
    return export_component(System(), "system")


def test_components_are_alike_by_class_and_state():
    components = [Count(8, 1), Count(8, 1), Count(9, 1), Count(8, 2), Pass()]
    used(components)
    first, second, *others = map(form, components)
    assert first == second
    assert len({first, *others}) == 4


def test_each_kind_is_one_module(text):
    assert sorted(modules(text)) == ["system", "system_count", "system_count_2", "system_count_3", "system_pass"]
    assert len(re.findall(r"^  system_count (count_[014]|again) \(", text, re.MULTILINE)) == 4


def test_a_component_with_a_reset_of_its_own_is_no_other_kind(text):
    resets = re.findall(r"^  system_count (\w+) \((?:\n    .*)*?\n    \.rst\((.*)\)", text, re.MULTILINE)
    (own,) = (reset for name, reset in resets if name == "again")
    assert {reset for name, reset in resets if name != "again"} == {"rst"}
    assert re.search(rf"^  assign {re.escape(own)} = rst \| i_valid;", text, re.MULTILINE)


def test_the_gpu_has_as_many_kinds_as_it_has():
    """All QPUs are one kind, and so are all texture units; slices tell their QPUs from each other's."""
    whole = V3DAxi(preset("bcm2835"))
    used(whole)
    gpu = whole._v3d
    assert len({form(qpu) for its in gpu.slices for qpu in its.qpus}) == 1
    assert len({form(tmu) for its in gpu.slices for tmu in its.tmus}) == 1
    assert len({form(its) for its in gpu.slices}) == 3


def test_no_wire_is_there_for_a_field_or_for_no_bits(text):
    assert not re.search(r"^  wire .*(\\\S*[.\[]|\[-1:0\])", text, re.MULTILINE)


#: Vivado's own names of interfaces, out of its IP catalog.
VIVADO = {
    "host_awaddr": "xilinx.com:interface:aximm:1.0 host AWADDR",
    "host_bresp": "xilinx.com:interface:aximm:1.0 host BRESP",
    "bus_arid": "xilinx.com:interface:aximm:1.0 bus ARID",
    "bus_rlast": "xilinx.com:interface:aximm:1.0 bus RLAST",
    "clk": "xilinx.com:signal:clock:1.0 clk CLK",
    "rst": "xilinx.com:signal:reset:1.0 rst RST",
    "irq": "xilinx.com:signal:interrupt:1.0 irq INTERRUPT",
}


@pytest.mark.parametrize("port", VIVADO)
def test_vivado_knows_buses_clock_reset_and_interrupt(text, port):
    attributes = rf'  \(\* X_INTERFACE_INFO = "{re.escape(VIVADO[port])}" \*\)\n(  \(\* .* \*\)\n)?'
    assert re.search(rf"^{attributes}  (in|out)put (\[\d+:0\] )?{port};", text, re.MULTILINE)


def test_the_clock_goes_with_the_buses(text):
    assert 'X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF host:bus, ASSOCIATED_RESET rst"' in text
    assert 'X_INTERFACE_PARAMETER = "POLARITY ACTIVE_HIGH"' in text


def test_the_comment_has_every_port_in_a_line(text):
    comment = text[: text.index("module ")]
    assert comment.startswith(f"// system: made by vc4-rtl {version('vc4-rtl')}\n// Licence: BSD-2-Clause\n")
    (ports,) = re.findall(r"^module system\((.*?)\);", text, re.MULTILINE | re.DOTALL)
    listed = re.findall(r"^//   (?:in|out)put +(?:\[\d+:0\] +)?(\w+)$", comment, re.MULTILINE)
    assert sorted(listed) == sorted(re.split(r"\s*,\s*", ports))
    assert "//   output [4:0]  bus_arid\n" in comment
    assert "//   input         clk\n" in comment
