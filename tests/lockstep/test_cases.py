"""Programs with known results, made without this project, on the RTL with the model beside it."""

import pytest

from vc4sim.cli import main

#: The cases that need nothing but what is built, with a memory that is slow, fast, or full of pauses.
CASES = {
    "branch_links": ("1", "0.5"),
    "ldi_forms": ("60", "0.0"),
    "nop_replay": ("10", "0.3"),
    "regfile_latency": ("100", "0.3"),
    "small_immediates": ("20", "0.0"),
    "uniforms": ("5", "0.6"),
}


@pytest.mark.parametrize("name", CASES)
def test_case(recorded, name, capsys):
    latency, gap = CASES[name]
    case = str(recorded / "cases/qpu" / name)
    assert main(["run", case]) == 0
    assert main(["run", case, "--on", "native", "--lockstep", "--latency", latency, "--gap", gap]) == 0
    assert capsys.readouterr().out.count(f"PASS {name}") == 2


@pytest.mark.thorough
def test_mandelbrot_on_the_model(recorded, capsys):
    assert main(["run", str(recorded / "cases/qpu/mandelbrot")]) == 0
    assert "PASS mandelbrot (16384 bytes" in capsys.readouterr().out
