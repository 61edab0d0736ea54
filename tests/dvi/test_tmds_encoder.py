"""The encoder against the specification's algorithm, and against what a screen makes of its words."""

import random

import pytest
from amaranth.sim import Simulator

from vc4.dvi.mode import VGA, Axis
from vc4.dvi.tmds_encoder import CONTROL_WORDS, TmdsEncoder

from .screen import TmdsModel, control_of, decode

LATENCY = 2


def encoded(items):
    """Words of bytes, and of control bits, which are pairs with `None`; and the disparity after each."""
    dut, found = TmdsEncoder(), []
    simulator = Simulator(dut)
    simulator.add_clock(1e-8, domain="pixel")

    async def bench(ctx):
        for item in [*items, *[0] * LATENCY]:
            is_control = isinstance(item, tuple)
            ctx.set(dut.shown, not is_control)
            ctx.set(dut.control if is_control else dut.byte, item[1] if is_control else item)
            await ctx.tick("pixel")
            found.append((ctx.get(dut.word), ctx.get(dut.disparity)))

    simulator.add_testbench(bench)
    simulator.run()
    return found[LATENCY - 1 : LATENCY - 1 + len(items)]


@pytest.fixture(scope="module")
def items():
    """Every byte after every other kind of one: lines of random bytes, and of one byte again and again, with control bits between."""
    rng, some = random.Random(1), [(None, 0)]
    for byte in range(256):
        some += [rng.randrange(256) for _ in range(rng.randrange(8))] + [byte] * rng.randrange(1, 6)
        some += [(None, rng.randrange(4))] * (rng.random() < 0.3)
    return some


def test_words_and_disparity(items):
    model = TmdsModel()
    for item, (word, disparity) in zip(items, encoded(items), strict=True):
        wanted = model.control(item[1]) if isinstance(item, tuple) else model.byte(item)
        assert (f"{word:010b}", disparity) == (f"{wanted:010b}", model.cnt)


def test_a_screen_reads_them(items):
    balance = 0
    for item, (word, disparity) in zip(items, encoded(items), strict=True):
        if isinstance(item, tuple):
            assert (control_of(word), disparity) == (item[1], 0)
            balance = 0
            continue
        assert (control_of(word), decode(word)) == (None, item)
        changes = (word ^ word >> 1) & 0xFF
        assert changes.bit_count() <= 5, "few changes in the first nine bits"
        balance += 2 * word.bit_count() - 10
        assert balance == disparity
        assert abs(balance) <= 10


def test_control_words_have_many_changes():
    assert all((word ^ word >> 1 & 0x1FF).bit_count() >= 7 for word in CONTROL_WORDS)


def test_vga():
    """Clocks of a line and lines of a frame, as VESA has them."""
    assert (VGA.columns.total, VGA.rows.total) == (800, 525)
    assert VGA.pixel_hz / (800 * 525) == pytest.approx(60, rel=0.01)
    assert Axis(1, 2, 3, 4).total == 10
