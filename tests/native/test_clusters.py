"""Blocks by what is known of changes: code of those that sleep in most clocks lies out of the way."""

import pytest
from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4sim.native import code
from vc4sim.native.activity import Activity

from ..cxxrtl.random_hardware import IN_BITS, OUT_BITS
from .test_hardware import compiled, expected

LENGTH = 64
ALWAYS, ONCE = (1 << LENGTH) - 1, 1
pytestmark = pytest.mark.usefixtures("compiler")


class Mixers(wiring.Component):
    """Two registers, and much to compute from each."""

    i: In(IN_BITS)
    o: Out(OUT_BITS)

    def elaborate(self, platform):
        m = Module()
        ends = []
        for name in ("left", "right"):
            held = Signal(16, name=name)
            mixed = held
            for number in range(20):
                before, mixed = mixed, Signal(16)
                m.d.comb += mixed.eq((before + (held ^ number)) ^ before.rotate_left(number % 16))
            end = Signal(16, name=f"{name}_end")
            m.d.sync += [held.eq(self.i[:16] if name == "left" else self.i[16:32]), end.eq(mixed)]
            ends.append(end)
        m.d.comb += self.o.eq(Cat(ends))
        return m


@pytest.mark.parametrize("seldom", ["left", "right"])
def test_code_of_what_is_seldom_needed_lies_apart(seldom, tmp_path, monkeypatch):
    changes = {f"\\{name}[15:0]": ONCE if name == seldom else ALWAYS for name in ("left", "right")}
    monkeypatch.setattr(code, "activity_of", lambda name, lanes: Activity(changes, LENGTH))
    found = {}

    def note(design, *rest):
        found[design] = blocks = cut(design, *rest)
        return blocks

    cut = code.by_activity
    monkeypatch.setattr(code, "by_activity", note)
    inputs = [[number << 16 | 99 - number] for number in range(9)]
    outputs, failure = compiled(Mixers(), inputs, 1, tmp_path)
    assert failure is None
    ((design, blocks),) = found.items()
    ends = {
        label.removesuffix("_end[15:0]").removeprefix("\\"): blocks.homes[register.following]
        for register in design.registers
        for label in design.labels[register.name]
        if "_end" in label
    }
    assert {name: bool(blocks.seldom >> home & 1) for name, home in ends.items()} == {
        name: name == seldom for name in ("left", "right")
    }
    text = (tmp_path / "design.cc").read_text()
    for name, home in ends.items():
        asks = f"if ({'lanes::seldom' if name == seldom else ''}(awake & lanes::blocks(0x0u, {1 << home:#x}u)))"
        assert asks in text
    # It is about where code lies, not about what it does.
    assert outputs == [expected(Mixers(), [value for (value,) in inputs])]
