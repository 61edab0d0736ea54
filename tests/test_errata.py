"""Errata as a configuration takes them."""

import pytest

from vc4.config import V3DConfig, preset
from vc4.errata import CHIPS, Erratum


def test_those_of_a_chip():
    assert V3DConfig(errata="bcm2835").faults == CHIPS["bcm2835"] == frozenset(Erratum)
    assert not preset("bcm2835").faults


def test_they_may_be_given_in_any_way():
    """It is one configuration, also as text, by which compiled hardware is found again."""
    both = {Erratum.HW_2924, Erratum.HW_2116}
    given = ("HW-2924,HW-2116", both, tuple(both), frozenset(both), [*both, *both])
    configs = {V3DConfig(errata=one) for one in given}
    assert len(configs) == 1
    assert "errata=(HW-2116, HW-2924)" in repr(configs.pop())


@pytest.mark.parametrize("wrong", ["bcm2837", "HW_2924", "HW-2924,", "", "bcm2835,HW-2924"])
def test_others_are_refused(wrong):
    with pytest.raises(ValueError, match="errata are bcm2835, HW-2116, .*, not '"):
        V3DConfig(errata=wrong)
