"""What is recorded of a driver's jobs."""

import json

import pytest

from vc4.regs.table import register
from vc4sim.cli import main
from vc4sim.clist import load_capture
from vc4sim.gl.device import Device, open_device
from vc4sim.model.memory import Memory


@pytest.fixture
def frames(tmp_path):
    return tmp_path / "frames"


def start(device: Device, **registers: int) -> int:
    """Writes, then work."""
    for name, word in registers.items():
        device.write(register(name).offset, word)
    return device.run(1 << 30)


def draw(device: Device, job) -> None:
    for number in job.threads:
        names = f"CT{number}CA", f"CT{number}EA"
        assert start(device, INTENA=3, INTCTL=3, **{name: job.registers[name] for name in names})


def test_jobs_are_numbered_on(recorded, frames):
    """Also those of the next program."""
    capture = load_capture(recorded / "cases/gl/tri_flat")
    (job,) = capture.jobs
    for count in (1, 2):
        memory = Memory(capture.memory_size)
        job.load(memory)
        draw(open_device(memoryview(memory.data), record=frames), job)
        assert len([*frames.iterdir()]) == count


def test_a_job_that_hangs(frames, capsys):
    """Its case ends in the same place."""
    memory = bytearray(4096)
    memory[0x100:0x103] = bytes([1, 1, 250])
    device = open_device(memoryview(memory), record=frames)
    assert start(device, INTENA=1, CT1CA=0x100, CT1EA=0x200) == 0
    device.reset()
    (folder,) = frames.iterdir()
    assert "check" not in json.loads((folder / "case.json").read_text())
    assert main(["render", str(folder)]) == 2
    assert "0x00000102" in capsys.readouterr().err
