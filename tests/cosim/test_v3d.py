"""The whole GPU as exported Verilog, with a host and a memory that are not ours."""

import pytest

from vc4.config import preset
from vc4.v3d_axi import V3DAxi

pytestmark = pytest.mark.thorough


def test_v3d(cosim):
    cosim(V3DAxi(preset("qpu")), "bench_v3d", seed=1, gap=0.3)
