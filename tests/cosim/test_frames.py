"""The exported GPU draws a captured frame from the lists of its driver: binning and rendering, every byte of memory."""

import pytest

from vc4.config import preset
from vc4.v3d_axi import V3DAxi
from vc4sim.clist import load_capture
from vc4sim.frames.draw import DrawJob
from vc4sim.model.memory import Memory
from vc4sim.render import Host
from vc4sim.render.host import overspill_of


def drawn(folder):
    """The first job of a capture, and the memory that the model leaves."""
    capture = load_capture(folder)
    (job,) = capture.jobs
    memory = Memory(capture.memory_size)
    job.load(memory)
    image = memory.read(0, capture.memory_size)
    host = Host(capture, preset("gpu"))
    for _ in host.run(job):
        pass
    expected = host.memory.read(0, capture.memory_size)
    return DrawJob(image=image, registers=job.starts, overspill=overspill_of(job), config=preset("gpu")), expected


@pytest.mark.parametrize(
    ("gap", "seed"),
    [
        pytest.param(0.3, 1, marks=pytest.mark.thorough),
        pytest.param(0, 2, marks=pytest.mark.slow),
        pytest.param(0.7, 3, marks=pytest.mark.slow),
    ],
)
def test_a_captured_frame(cosim, recorded, gap, seed):
    cosim(V3DAxi(preset("gpu")), "bench_frames", seed=seed, gap=gap, workload=drawn(recorded / "cases/gl/tri_flat"))
