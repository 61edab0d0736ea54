"""The simulators of several configurations live side by side in one process."""

import pytest

from vc4.config import preset
from vc4sim.backends import cxxrtl, native
from vc4sim.random_programs import random_job


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    "configs",
    [("qpu", "slice", "qpu"), pytest.param(("slice", "bcm2835", "slice"), marks=pytest.mark.slow)],
    ids=["small", "large"],
)
def test_one_configuration_after_the_other(configs):
    """None takes anything of another one's library for its own."""
    for name in configs:
        job = random_job(3, 200, preset(name), latency=4)
        assert cxxrtl.run(job) == native.run(job)
