"""Fixtures of all tests."""

from pathlib import Path

import pytest
from amaranth.sim import Simulator


@pytest.fixture
def simulate():
    """Runs testbenches on a device: `simulate(dut, bench, ..., background=[...])`; `clock=False`: it has no clock."""

    def run(dut, *benches, background=(), clock=True):
        simulator = Simulator(dut)
        if clock:
            simulator.add_clock(1e-8)
        for bench in benches:
            simulator.add_testbench(bench)
        for bench in background:
            simulator.add_testbench(bench, background=True)
        simulator.run()

    return run


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of measured values beside the checkout; a test that needs it is skipped where it is missing."""
    folder = Path(__file__).parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip(f"needs the measured values in {folder}")
    return folder
