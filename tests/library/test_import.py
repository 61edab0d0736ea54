"""`import vc4sim` takes no time, and has its names."""

import subprocess
import sys

import pytest

import vc4sim


@pytest.mark.parametrize("statement", ["import vc4sim", "from vc4sim import BadInput", "import vc4sim; dir(vc4sim)"])
def test_nothing_large_is_imported(statement):
    large = ("numpy", "amaranth", "numba", "PIL", "tqdm", "vc4", "matplotlib")
    script = f"{statement}; import sys; print([name for name in {large} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_all_names_are_there():
    assert set(vc4sim.__all__) <= set(dir(vc4sim))
    for name in vc4sim.__all__:
        found = getattr(vc4sim, name)
        assert found.__name__ == name
        assert found.__doc__
    with pytest.raises(AttributeError, match="has no attribute 'Cpu'"):
        vc4sim.Cpu  # noqa: B018


def test_a_gpu_needs_no_simulator_of_the_rtl():
    """The model alone is imported for a run on it, and nothing is compiled."""
    script = """
import sys, vc4sim
gpu = vc4sim.Gpu()
gpu.run("thrend\\nnop\\nnop\\n")
print([name for name in ("numba", "amaranth.sim", "vc4.v3d", "matplotlib") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
