"""What hardware compares in pairs of bits is one comparison of words, and has the same result as in Amaranth's simulator."""

import random

import pytest
from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.compare import equal
from vc4sim.native import build
from vc4sim.native.equalities import join_equalities

from ..cxxrtl.random_hardware import IN_BITS, OUT_BITS
from .test_hardware import CLOCKS, compiled, expected

pytestmark = pytest.mark.usefixtures("compiler")

#: Lowest bits of two words, and their width: some lie in the same place, in two words of the processor, or within each other.
WORDS = [(0, 20, 20), (1, 0, 39), (3, 20, 17), (0, 1, 2), (7, 30, 1), (31, 5, 3), (2, 3, 37)]


class Words(wiring.Component):
    """Compares parts of the input with parts of what it was, with each other, and with a constant; some bits of that go out, too."""

    i: In(IN_BITS)
    o: Out(OUT_BITS)

    def elaborate(self, platform):
        m = Module()
        before = Signal(IN_BITS)
        m.d.sync += before.eq(self.i)
        found = []
        for number, (low, other, width) in enumerate(WORDS):
            constant = C(0xA5_1234_0FF0 >> low, IN_BITS)
            for side, word in (("before", before[other:]), ("here", self.i[other:]), ("constant", constant)):
                found.append(equal(m, self.i[low:][:width], word[:width], f"{side}_{number}"))
        pairs = Signal(2)
        m.d.comb += pairs.eq(Cat(self.i[0] == before[1], self.i[3:5] == before[3:5]))
        m.d.comb += self.o.eq(Cat(*found, pairs, pairs.all()))
        return m


@pytest.mark.parametrize("lanes", [1, 4])
def test_pairs_become_words(lanes, tmp_path, monkeypatch):
    left = []

    def watched(module):
        join_equalities(module)
        asked = (cell.ports["\\A"] for cell in module.cells if cell.kind == "$reduce_and")
        left.extend(spec for spec in asked if not any("constant" in chunk.wire for chunk in spec))

    monkeypatch.setattr(build, "join_equalities", watched)
    # Bits that are mostly all the same, so that words are equal now and then.
    rng = random.Random(lanes)
    shapes = [0, (1 << IN_BITS) - 1, 0xA5_1234_0FF0]
    inputs = [
        [rng.choice(shapes) ^ rng.choice([0, 0, 1 << rng.randrange(IN_BITS)]) for _ in range(lanes)]
        for _ in range(CLOCKS)
    ]
    outputs, failure = compiled(Words(), inputs, lanes, tmp_path)
    assert failure is None
    assert not left  # Yosys leaves bits of constants out, so that these stay as they are
    for lane in range(lanes):
        assert outputs[lane] == expected(Words(), [clock[lane] for clock in inputs])
    # Each comparison has come out both ways.
    seen = [value for its in outputs for value in its]
    for bit in range(3 * len(WORDS) + 3):
        assert {value >> bit & 1 for value in seen} == {0, 1}, f"comparison {bit}"
