"""Operands, and devices that are compiled once, for the tests of the arithmetic."""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from vc4sim.bench.vectors import Compiled
from vc4sim.cache import cache_folder
from vc4sim.random_pairs.operands import CORNERS, random_pairs


@pytest.fixture(
    params=[
        pytest.param(25_000, id="short"),
        pytest.param(100_000, id="thorough", marks=pytest.mark.thorough),
        pytest.param(1_000_000, id="long", marks=pytest.mark.slow),
    ]
)
def operands(request: pytest.FixtureRequest) -> SimpleNamespace:
    """Pairs `a`, `b`: all pairs of the corners, then the same number of each kind; and the `seed` they are made from."""
    seed = 20_130_916
    rng = np.random.default_rng(seed)
    first, second = (x.ravel() for x in np.meshgrid(CORNERS, CORNERS))
    a, b = random_pairs(rng, request.param - first.size)
    return SimpleNamespace(seed=seed, a=np.concatenate([first, a]), b=np.concatenate([second, b]))


@pytest.fixture(scope="session")
def byte_pairs() -> SimpleNamespace:
    """Words `a`, `b` in which each of the four bytes takes all 65,536 pairs, with changing neighbours."""
    number = np.arange(1 << 16, dtype=np.uint32)
    pairs = [(number * np.uint32(step) + np.uint32(step)) & np.uint32(0xFFFF) for step in (1, 257, 4099, 40_503)]
    a = sum((pair >> np.uint32(8)) << np.uint32(8 * byte) for byte, pair in enumerate(pairs))
    b = sum((pair & np.uint32(0xFF)) << np.uint32(8 * byte) for byte, pair in enumerate(pairs))
    return SimpleNamespace(a=a, b=b)


@pytest.fixture(scope="session")
def compiled(compiler) -> Callable[..., Compiled]:
    """`compiled(device, inputs, outputs, latency)`: the bench of a class of devices, compiled once and kept."""
    benches = {}

    def compile_once(device: type, inputs: tuple, outputs: tuple, latency: int) -> Compiled:
        if device not in benches:
            benches[device] = Compiled(device(), inputs, outputs, latency=latency, folder=cache_folder())
        return benches[device]

    return compile_once
