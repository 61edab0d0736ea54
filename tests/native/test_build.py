"""What has been compiled is kept for those with the same compiler and flags only, whichever compiler that is."""

import pytest

from vc4sim.native.build import flags

pytestmark = pytest.mark.usefixtures("compiler")


def test_other_flags_are_another_library(monkeypatch):
    monkeypatch.delenv("VC4_NATIVE_FLAGS", raising=False)
    usual = flags()
    assert flags() == usual
    monkeypatch.setenv("VC4_NATIVE_FLAGS", "-O1")
    assert flags() != usual
