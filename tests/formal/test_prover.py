"""The prover itself: what does not hold, and what says nothing, is noticed."""

import pytest
from amaranth import *
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import wiring
from amaranth.lib.wiring import In

pytestmark = pytest.mark.thorough


class CounterProof(wiring.Component):
    """A counter of clocks that stops: what it asserts, assumes and wants to reach can be given."""

    enable: In(1)

    def __init__(self, *, stop=5, bound=5, goal=5, assumed=lambda counter: C(1)):
        super().__init__()
        self._stop, self._bound, self._goal, self._assumed = stop, bound, goal, assumed

    def elaborate(self, platform):
        m = Module()
        counter = Signal(4)
        with m.If(self.enable & (counter != self._stop)):
            m.d.sync += counter.eq(counter + 1)
        m.d.comb += [
            Assert(counter <= self._bound, "the counter is past its bound"),
            Assume(self._assumed(counter)),
            Cover(counter == self._goal, "the counter gets far"),
        ]
        return m


def test_a_proof(prover):
    prover.holds(CounterProof(), depth=7)


@pytest.mark.parametrize(
    ("proof", "said"),
    [
        ({"bound": 4}, "bounded: the counter is past its bound"),
        ({"stop": 9, "bound": 8, "goal": 3}, "induction: the counter is past its bound"),
        ({"stop": 9, "bound": 9, "goal": 9}, "cover: the counter gets far"),
        ({"goal": 6}, "cover: the counter gets far"),
        ({"goal": 20}, "cover: the counter gets far"),
        ({"assumed": lambda counter: counter < 3}, "cover: the counter gets far"),
        ({"assumed": lambda counter: C(0)}, "cover: the counter gets far"),
    ],
    ids=["assertion", "step", "depth", "unreachable", "constant", "assumption", "contradiction"],
)
def test_what_does_not_hold(prover, proof, said):
    with pytest.raises(pytest.fail.Exception, match=said) as caught:
        prover.holds(CounterProof(**proof), depth=7)
    name = said.partition(":")[0]
    assert f"{prover.folder / name}.vcd" in str(caught.value)
    assert "test_prover.py:" in str(caught.value)


def test_a_wave_shows_the_counterexample(prover):
    assert "the counter is past its bound" in prover.refuted(CounterProof(bound=3), depth=7)
    assert "counter" in (prover.folder / "bounded.vcd").read_text()


def test_what_holds_is_not_refuted(prover):
    with pytest.raises(AssertionError, match="no assertion fails within 7 clocks"):
        prover.refuted(CounterProof(), depth=7)


def test_a_view_needs_its_signal(prover):
    proof = CounterProof()
    proof.views = {"enable": "no_such_signal"}
    with pytest.raises(AssertionError, match="no_such_signal"):
        prover.holds(proof, depth=2)
