"""Exported Verilog in Icarus Verilog, with cocotb around it and the buses of cocotbext-axi, which are not ours."""

import pickle
import shutil
from pathlib import Path

import pytest

from vc4sim.verilog import export_component

FOLDER = Path(__file__).parent


@pytest.fixture
def cosim(tmp_path, monkeypatch):
    """`cosim(component, bench, seed=..., gap=...)`: runs the tests of the module `bench` of this folder on the Verilog.

    A `workload` is handed on to the tests, and `export` makes the Verilog.
    """
    runner = pytest.importorskip("cocotb_tools.runner", reason="needs cocotb: pip install -e '.[cosim]'")
    pytest.importorskip("cocotbext.axi", reason="needs cocotbext-axi: pip install -e '.[cosim]'")
    if not shutil.which("iverilog"):
        pytest.skip("needs Icarus Verilog")

    monkeypatch.syspath_prepend(FOLDER)  # the runner hands its own path on

    icarus = runner.get_runner("icarus")
    source = tmp_path / "dut.v"

    def build(text):
        """A netlist takes a while, so it is not built again for each workload."""
        if source.exists() and source.read_text() == text:
            return
        source.write_text(text)
        icarus.build(
            sources=[source],
            hdl_toplevel="dut",
            build_dir=tmp_path,
            build_args=["-g2012"],
            timescale=("1ns", "1ps"),
            log_file=tmp_path / "build.log",
        )

    def run(component, bench, *, seed, gap, workload=None, export=export_component):
        build(export(component, "dut"))
        log, programs = tmp_path / "run.log", tmp_path / "workload"
        programs.write_bytes(pickle.dumps(workload))
        try:
            results = icarus.test(
                test_module=bench,
                hdl_toplevel="dut",
                seed=seed,
                build_dir=tmp_path,
                test_dir=tmp_path,
                extra_env={"COSIM_GAP": str(gap), "COSIM_WORKLOAD": str(programs), "COCOTB_LOG_LEVEL": "WARNING"},
                log_file=log,
            )
        except SystemExit:  # how the runner says that a test has failed
            pytest.fail(f"seed {seed}: {log.read_text()}")
        count, _ = runner.get_results(results)
        assert count > 0, log.read_text()

    return run
