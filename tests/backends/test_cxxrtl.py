"""The simulators of several configurations live side by side in one process."""

import pytest

from vc4.config import preset
from vc4sim.backends import cxxrtl, native
from vc4sim.random_programs import random_job


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
def test_one_configuration_after_the_other():
    """None takes anything of another one's library for its own."""
    for name in ("slice", "bcm2835", "slice"):
        job = random_job(3, 200, preset(name), latency=4)
        assert cxxrtl.run(job) == native.run(job)
