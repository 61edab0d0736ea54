"""What has been compiled is kept for those with the same compiler and flags only, whichever compiler that is."""

import subprocess

import pytest

from vc4sim.native.build import _compiler, flags

pytestmark = pytest.mark.usefixtures("compiler")


def test_other_flags_are_another_library(monkeypatch):
    monkeypatch.delenv("VC4_NATIVE_FLAGS", raising=False)
    usual = flags()
    assert flags() == usual
    monkeypatch.setenv("VC4_NATIVE_FLAGS", "-O1")
    assert flags() != usual


def test_no_code_has_mmx_instructions():
    """Nobody would say that they are over, and the x87 of the thread is of no use until somebody does."""
    asked = [*_compiler(), "-E", "-dM", "-x", "c++", "/dev/null"]
    macros = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    assert "__VERSION__" in macros
    assert "__MMX__" not in macros
