"""Registers of a GPU of the library."""

import pytest

import vc4sim
from vc4.config import PRESETS

from .conftest import STORE, on_every_engine, on_model_and_native


def test_before_a_run_they_are_as_after_a_reset():
    for name, config in PRESETS.items():
        registers = vc4sim.Gpu(config=name).registers
        assert registers["IDENT1", "NSLC"] == config.slices
        assert registers["IDENT1", "QUPS"] == config.qpus_per_slice
        assert registers["IDENT0"] & 0xFFFFFF == int.from_bytes(b"V3D", "little")


@on_every_engine
def test_after_a_run(on):
    """The scheduler has counted the programs; the host has reserved all of the VPM for them."""
    gpu = vc4sim.Gpu(on=on, config="qpu")
    gpu.run(STORE, uniforms=[1, gpu.empty(16)])
    assert gpu.registers["SRQCS", "QPURQCC"] == gpu.registers["SRQCS", "QPURQCM"] == 1
    assert gpu.registers["VPMBASE"] > 0


@on_model_and_native
def test_what_is_written_counts_in_the_next_runs(on):
    """Without rows of the VPM for programs of users, what they write goes nowhere."""
    gpu = vc4sim.Gpu(on=on, config="qpu", lockstep=on != "model")
    y = gpu.empty(16, "i32")
    gpu.registers["VPMBASE", "VPMURSV"] = 0
    gpu.registers["SQCNTL", "VSRBL"] = 1
    gpu.registers["SQCNTL", "CSRBL"] = 2
    result = gpu.run(STORE, uniforms=[5, y])
    assert result.errors
    assert not (y.numpy() == 5).any()
    assert gpu.registers["SQCNTL", "CSRBL"] == 2
    assert gpu.registers["SQCNTL", "VSRBL"] == 1
    gpu.registers.clear()
    assert not gpu.run(STORE, uniforms=[5, y]).errors
    assert (y.numpy() == 5).all()


def test_names_and_words_that_do_not_exist():
    registers = vc4sim.Gpu().registers
    for name, text in (("FROB", "there is no register 'FROB'"), (("IDENT1", "X"), "IDENT1 has no field 'X': it has")):
        with pytest.raises(vc4sim.BadInput, match=text):
            registers[name]
    for name, value in (("VPMBASE", 1 << 32), ("VPMBASE", -1), (("IDENT1", "NSLC"), 16), ("VPMBASE", 1.5)):
        with pytest.raises(vc4sim.BadInput, match="does not fit"):
            registers[name] = value
    assert "IDENT0" in list(registers)
