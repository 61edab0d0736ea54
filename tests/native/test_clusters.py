"""Blocks by what is known of changes: where code lies, and what is compared together. It is never about what is computed."""

import pytest
from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4sim.native import build, code
from vc4sim.native.activity import Activity

from ..cxxrtl.random_hardware import IN_BITS, OUT_BITS
from .test_hardware import compiled, expected

LENGTH = 64
ALWAYS, ONCE = (1 << LENGTH) - 1, 1
FIRST_HALF, NEVER = (1 << LENGTH // 2) - 1, 0
SIDES = ("left", "right")
pytestmark = pytest.mark.usefixtures("compiler")


class Mixers(wiring.Component):
    """Two registers, much to compute from each, and a third one that says how."""

    i: In(IN_BITS)
    o: Out(OUT_BITS)

    def elaborate(self, platform):
        m = Module()
        mode = Signal()
        m.d.sync += mode.eq(self.i[32])
        ends = []
        for name in SIDES:
            held = Signal(16, name=name)
            mixed = held
            for number in range(20):
                before, mixed = mixed, Signal(16)
                m.d.comb += mixed.eq((before + (held ^ number)) ^ before.rotate_left(number % 16))
            end = Signal(16, name=f"{name}_end")
            m.d.sync += [held.eq(self.i[:16] if name == "left" else self.i[16:32]), end.eq(mixed ^ mode)]
            ends.append(end)
        m.d.comb += self.o.eq(Cat(ends))
        return m


def blocks_and_text(changes, tmp_path, monkeypatch):
    """The blocks if somebody believes in these changes, the registers by name with what they become, and the C++; it computes what
    it should.
    """
    monkeypatch.setattr(code, "activity_of", lambda name, lanes: Activity(changes, LENGTH))
    found, texts = {}, []

    def note(design, *rest):
        found[design] = blocks = cut(design, *rest)
        return blocks

    def note_text(name, source, work):
        texts.append(source)
        return compile_text(name, source, work)

    cut = code.by_activity
    monkeypatch.setattr(code, "by_activity", note)
    compile_text = build._compile
    monkeypatch.setattr(build, "_compile", note_text)
    inputs = [[number // 5 % 2 << 32 | number << 16 | 99 - number] for number in range(20)]
    outputs, failure = compiled(Mixers(), inputs, 1, tmp_path)
    assert failure is None
    assert outputs == [expected(Mixers(), [value for (value,) in inputs])]
    ((design, blocks),) = found.items()
    registers = {
        label.partition("[")[0].removeprefix("\\"): register
        for register in design.registers
        for label in design.labels[register.name]
    }
    return blocks, registers, texts[0]


@pytest.mark.parametrize("seldom", SIDES)
def test_code_of_what_is_seldom_needed_lies_apart(seldom, tmp_path, monkeypatch):
    changes = {f"\\{name}[15:0]": ONCE if name == seldom else ALWAYS for name in SIDES}
    blocks, registers, text = blocks_and_text(changes, tmp_path, monkeypatch)
    for name in SIDES:
        home = blocks.homes[registers[f"{name}_end"].following]
        assert bool(blocks.seldom >> home & 1) == (name == seldom)
        asks = f"if ({'lanes::seldom' if name == seldom else ''}(awake & lanes::blocks(0x0u, {1 << home:#x}u)))"
        assert asks in text


@pytest.mark.parametrize(
    ("right", "is_joint"),
    [pytest.param(ALWAYS, True, id="for nothing"), pytest.param(ALWAYS ^ FIRST_HALF, False, id="for much")],
)
def test_what_wakes_up_few_in_vain_is_compared_together(right, is_joint, tmp_path, monkeypatch):
    """What says how never changes, and wakes up both sides: to compare it with the left one wakes up the right side, too."""
    changes = {"\\i[39:0]": ALWAYS, "\\left[15:0]": FIRST_HALF, "\\right[15:0]": right, "\\mode[0:0]": NEVER}
    blocks, registers, _ = blocks_and_text(changes, tmp_path, monkeypatch)
    woken = {name: blocks.readers[registers[name].name] for name in (*SIDES, "mode")}
    homes = {name: 1 << blocks.homes[registers[f"{name}_end"].following] for name in SIDES}
    assert homes["left"] != homes["right"]
    assert woken["mode"] == homes["left"] | homes["right"]
    assert woken["right"] == homes["right"]
    assert woken["left"] == (woken["mode"] if is_joint else homes["left"])
