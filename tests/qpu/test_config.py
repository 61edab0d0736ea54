"""Every parameter of the configuration changes what it says."""

import pytest
from amaranth.hdl import Fragment

from vc4.config import PRESETS, V3DConfig, preset
from vc4.qpu.qpu import Qpu
from vc4.v3d import V3D
from vc4sim.backends.base import Job

from .conftest import OUTPUT, UNIFORMS

#: Loads what lies at the uniform into the row after the 64 that vectors can name, and stores that row.
SOURCE = """
    mov r0, unif
    ldi vr_setup, 0x80010000 | 64 << 4    # one row of sixteen words, to row 64
    mov vr_addr, r0
    read vr_wait
    ldi vw_setup, 0x80904000 | 64 << 7
    mov vw_addr, unif
    read vw_wait
"""


@pytest.mark.parametrize(
    ("config", "row"), [("qpu", (0,) * 16), pytest.param("slice", tuple(range(1, 17)), marks=pytest.mark.thorough)]
)
def test_vpm_kib(lockstep, config, row):
    """A VPM of 64 rows reads zeros after the last one; a larger one has a row there."""
    run = lockstep(SOURCE, [UNIFORMS + 8, OUTPUT, *range(1, 17)], config=preset(config))
    assert run.output(16) == row


@pytest.mark.parametrize("trace", [False, True])
def test_trace(trace):
    qpu = Qpu(V3DConfig(trace=trace))
    Fragment.get(qpu, platform=None)
    assert ("trace" in qpu.signature.members) == trace


@pytest.mark.thorough
def test_qpus():
    """Slices have as many as the configuration says."""
    config = V3DConfig(slices=2, qpus_per_slice=2)
    v3d = V3D(config)
    Fragment.get(v3d, platform=None)
    assert [len(one.qpus) for one in v3d.slices] == [2, 2]
    assert config.qpus == 4


@pytest.mark.parametrize(
    ("name", "values", "wrong"),
    [("slices", "1, 2, 3 or 4", 5), ("qpus_per_slice", "1, 2, 3 or 4", 0), ("tmus_per_slice", "0, 1 or 2", 3)],
)
def test_wrong_numbers_are_refused(name, values, wrong):
    with pytest.raises(ValueError, match=f"{name} must be {values}, not {wrong}"):
        V3DConfig(**{name: wrong})


@pytest.mark.parametrize("kib", [0, 5, 20, -4, "8"])
def test_wrong_sizes_are_refused(kib):
    with pytest.raises(ValueError, match=f"vpm_kib must be 4, 8, 12 or 16, not {kib!r}"):
        V3DConfig(vpm_kib=kib)


def test_presets():
    assert preset("qpu") == PRESETS["qpu"] == V3DConfig(vpm_kib=4)
    with pytest.raises(ValueError, match="no preset is called 'nothing'; there are qpu"):
        preset("nothing")


@pytest.mark.parametrize("name", PRESETS)
def test_programs_need_nothing_that_draws(name):
    whole = preset(name)
    front = Job(image=b"", base=0, launches=(), config=whole).built
    assert not any((front.binner, front.pixels, front.early_z))
    assert all(getattr(front, kept) == getattr(whole, kept) for kept in ("qpus", "units", "vpm_rows", "lists"))
