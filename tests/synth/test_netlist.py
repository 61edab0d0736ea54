"""What Yosys is given."""

import re

from amaranth.hdl import Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4sim.synth import netlist


class Turn(wiring.Component):
    """Words change places."""

    i: In(data.ArrayLayout(8, 2))
    o: Out(data.ArrayLayout(8, 2))

    def elaborate(self, platform):
        m = Module()
        m.d.sync += [self.o[0].eq(self.i[1]), self.o[1].eq(self.i[0])]
        return m


def test_no_name_looks_like_a_bit_of_another(monkeypatch, tmp_path, texts):
    monkeypatch.setattr(
        netlist, "run_tool", lambda *command, folder: (folder / netlist.NETLIST).write_text(texts.netlist)
    )
    netlist.synthesise(Turn(), tmp_path)
    names = re.findall(r"\\\S+", (tmp_path / "top.il").read_text())
    assert "\\part__o.1" in names or "\\o.1" in names
    assert not [name for name in names if "[" in name]
