"""Fixtures of all tests."""

import gc
import os
import random
import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from vc4sim.backends.base import Waves
from vc4sim.backends.engines import ENGINES, RTL_ENGINES
from vc4sim.commands.options import vcd_file
from vc4sim.cxxrtl.build import NoCompiler, find_compiler

from .simulation import Simulation

# An elaborated GPU is millions of objects that live on: looking through all of them again and again, as the collector of
# cycles does with its own thresholds, is a third of the time of an elaboration. Never to look would be as bad: a model of the GPU
# is full of cycles, too, and has megabytes of arrays.
gc.set_threshold(100_000, 10, 5)

# That a machine is slow, or busy, is no failure.
settings.register_profile("any pace", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any pace")


def pytest_addoption(parser):
    parser.addoption(
        "--engine",
        choices=RTL_ENGINES,
        default="native",
        help="simulator for tests that run the RTL (default: native, or pysim without a C++ compiler)",
    )
    parser.addoption("--seed", type=int, help="the only seed of a random test, instead of many")
    parser.addoption("--waves", type=vcd_file, help="VCD file for waves of the last run, with --engine cxxrtl or pysim")


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
    levels = {level for item in session.items for level in ("thorough", "slow") if item.get_closest_marker(level)}
    if "slow" not in levels:
        os.environ.setdefault("VC4_NATIVE_FLAGS", "-O1" if levels else "-Og")


@pytest.fixture(scope="session")
def waves(request) -> Waves | None:
    """Those that `--waves` asks for."""
    path = request.config.getoption("--waves")
    return Waves(path) if path else None


@pytest.fixture
def simulator(request, waves):
    """Runs a `Job` on the RTL, see `base.Run`, on the simulator that `--engine` names; nobody need listen."""
    run, wanted = ENGINES[request.config.getoption("--engine")].run, waves
    return lambda job, watch=None, waves=None, follow=None: run(job, watch, waves or wanted, follow)


@pytest.fixture
def front(request, waves):
    """The same for a `FrontJob`, see `run_front`."""
    # Who tests something else need not wait for it.
    from vc4sim.frames.front import run_front

    return partial(run_front, on=request.config.getoption("--engine"), waves=waves)


@pytest.fixture
def seeds(request):
    """`seeds(count)` are so many for random runs, from any one on, or the one that `--seed` names. After the output of a test that
    fails stands the command that does its last run again with waves.
    """
    tried = []

    def some(count: int) -> Iterator[int]:
        named = request.config.getoption("--seed")
        first = random.randrange(1 << 30) if named is None else named
        for seed in range(first, first + (count if named is None else 1)):
            tried[:] = [seed]
            yield seed

    yield some
    for seed in tried:
        replay = f"--seed {seed} --engine cxxrtl --waves failure.vcd"
        print(f"replay: pytest {shlex.quote(request.node.nodeid)} -m '' {replay}")


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
