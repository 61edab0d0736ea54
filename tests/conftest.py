"""Fixtures of all tests."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of measured values beside the checkout; a test that needs it is skipped where it is missing."""
    folder = Path(__file__).parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip(f"needs the measured values in {folder}")
    return folder
