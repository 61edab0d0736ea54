"""`L2c`: every request is answered once, in the order of its tag, with what memory holds."""

import pytest

from vc4.l2c import l2c

from .l2c_invariants import UnboundedL2cProof
from .l2c_proof import L2cProof


@pytest.mark.parametrize(
    "slots", [pytest.param(2, marks=pytest.mark.thorough), pytest.param(4, marks=pytest.mark.slow)]
)
def test_requests(prover, slots):
    prover.holds(UnboundedL2cProof(slots), depth=2, cover=20)


@pytest.mark.thorough
def test_bounded(prover):
    prover.holds(L2cProof(), depth=12, unbounded=False, cover=20)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("part", "old", "new", "said"),
    [
        (l2c.L2c, "~hit & ~decision.blocked", "~hit", "two lines of a set"),
        (l2c.L2c, "advances & ~writes & ~slots", "advances & ~slots", "in the clock that writes it"),
        (l2c.Slots, "same_tag | same_set)", "same_tag)", "two lines of a set"),
        (l2c.Answers, "(request.word + beat)", "(beat + 0)", "another word comes"),
        (l2c.L2c, " & ~decision.older", "", "another word comes"),
    ],
    ids=["blocked", "writes", "set", "word", "older"],
)
def test_faults(prover, faulty, monkeypatch, part, old, new, said):
    monkeypatch.setattr(l2c, part.__name__, faulty(part, old, new))
    assert said in prover.refuted(L2cProof(slots=2), depth=18)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("part", "old", "new", "said"),
    [
        (l2c.L2c, "fills.busy.eq(empties)", "fills.busy.eq(0)", "complete"),
        (l2c.Fills, " | ~self.keeps", "", "entered during a clear"),
        (l2c.Fills, "(arrives & response.error & (response.tag == slot)) | ", "", "with an error"),
        (l2c.L2c, "self._found & ~decision.replaced", "self._found", "replaced before it is read"),
    ],
    ids=["busy", "keeps", "error", "replaced"],
)
def test_faults_that_show_late(prover, faulty, monkeypatch, part, old, new, said):
    """An invariant fails long before a client can see it."""
    monkeypatch.setattr(l2c, part.__name__, faulty(part, old, new))
    assert said in prover.refuted(UnboundedL2cProof(slots=2), depth=12)
