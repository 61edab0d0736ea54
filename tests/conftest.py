"""Fixtures of all tests."""

import gc
import os
from pathlib import Path

import pytest

from vc4sim.commands.engines import ENGINES, RTL_ENGINES
from vc4sim.cxxrtl.build import NoCompiler, find_compiler

from .simulation import Simulation

# An elaborated GPU is millions of objects that live on: looking through all of them again and again, as the collector of
# cycles does with its own thresholds, is a third of the time of an elaboration.
gc.set_threshold(100_000, 50, 100)


def pytest_addoption(parser):
    parser.addoption(
        "--engine",
        choices=RTL_ENGINES,
        default="native",
        help="simulator for tests that run programs on the RTL (default: native, or pysim without a C++ compiler)",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Every test has one level: a slow test with a parameter that is thorough is slow. What was collected lives on."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.own_markers = [mark for mark in item.own_markers if mark.name != "thorough"]
            if item.get_closest_marker("thorough"):
                raise pytest.UsageError(f"{item.nodeid} is slow, so its class or file cannot be thorough")
    # What takes longest comes first, so that no worker is left with it at the end: above all compiled kernels, which the tests
    # of frames then find.
    items.sort(key=lambda item: item.path.name not in ("test_compiled.py", "test_waves.py"))
    gc.freeze()


def pytest_collection_finish(session):
    """Short runs: the C++ compiler would take longer to optimise than that saves."""
    if not any(item.get_closest_marker(level) for item in session.items for level in ("thorough", "slow")):
        os.environ.setdefault("VC4_NATIVE_FLAGS", "-Og")


@pytest.fixture
def simulator(request):
    """Runs a `Job` on the RTL, see `base.Run`, on the simulator that `--engine` names; nobody need listen."""
    run = ENGINES[request.config.getoption("--engine")].run
    return lambda job, watch=None, waves=None, follow=None: run(job, watch, waves, follow)


@pytest.fixture
def simulate():
    """Runs testbenches on a device: `simulate(dut, bench, ..., background=[...])`; `clock=False`: it has no clock."""

    def run(dut, *benches, background=(), clock=True):
        Simulation(dut, clock=clock).run(*benches, background=background)

    return run


@pytest.fixture(scope="session")
def compiler():
    """A C++ compiler; tests of native code are skipped without one."""
    try:
        return find_compiler()
    except NoCompiler as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def recorded() -> Path:
    """The folder of what was measured, recorded or published by others: `tests/data`, whose README says what it holds."""
    return Path(__file__).parent / "data"
