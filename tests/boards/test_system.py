# amaranth: UnusedElaboratable=no

"""`BoardSystem` as native code at the other end of a pseudo-terminal, for the commands as users have them, with a bad line."""

import random
import time

import pytest

from vc4.boards.system import BoardSystem
from vc4.config import preset
from vc4sim.cli import main
from vc4sim.problem import BadInput
from vc4sim.uart.board import open_board

from .faults import Faults
from .rig import BAUD, board

pytest.importorskip("serial", reason="no pyserial")


@pytest.mark.parametrize(("clock_hz", "baud"), [(50_000_000, 14_000_000), (1_000_000, 600_000)])
def test_baud_that_the_clock_does_not_make(clock_hz, baud):
    def memory(tag_bits):
        raise AssertionError("it is too early for that")

    with pytest.raises(ValueError, match=f"{baud} baud cannot be made of {clock_hz} Hz"):
        BoardSystem(preset("qpu"), memory, clock_hz=clock_hz, baud=baud)


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
class TestPseudoTerminal:
    def test_registers_and_memory(self):
        """Every command; what a reset forgets, and what it does not."""
        with board() as name, open_board(name) as found:
            assert (found.config, found.base, found.size) == (preset("qpu"), 1 << 16, 1 << 16)
            assert found.read("IDENT0") == 0x0244_3356
            data = random.Random(1).randbytes(3000)
            found.clear_memory(found.base, found.size)
            found.write_memory(found.base + 16, data)
            found.write("SRQUA", 0x1234_5678)
            assert found.read("SRQUA") == 0x1234_5678
            found.reset()
            assert found.read("SRQUA") == 0
            assert found.read_memory(found.base, 3024) == bytes(16) + data + bytes(8)
            assert found.written_pages() == []
            with pytest.raises(BadInput, match="memory has answered with an error to MEMORY_WRITE at 0x00020000"):
                found.write_memory(found.base + found.size, bytes(8))
            assert found.read("XBUSERR") == 0  # that was no request of the GPU

    def test_programs(self, capfd):
        """One after the other, and what they have written is told."""
        with board() as name:
            for _ in range(2):
                assert main(["run", "coordinate_shader", "--on", name]) == 0
            said = capfd.readouterr()
            assert said.out.count("29 instructions in ") == 2
            assert said.out.count("PASS coordinate_shader") == 2
            with open_board(name) as found:
                assert found.written_pages() == [1 << 16]

    def test_a_reset_in_the_middle(self, tmp_path, capfd):
        """A program that stores for ever is reset while requests are under way; then another one runs."""
        source = tmp_path / "ever.qasm"
        source.write_text(
            """
            mov r1, unif
            :again
              ldi vw_setup, 0x1a00      # a row of the VPM
              mov vpm, 1.0
              ldi vw_setup, 0x80904000  # to memory
              brr -, :again
              mov vw_addr, r1
              nop
              nop
            """
        )
        with board() as name:
            arguments = ["run", str(source), "--uniform", "&out", "--buffer", "out=f32:16", "--on", name]
            for cycles in (1000, 1013):
                assert main([*arguments, "--max-cycles", str(cycles)]) == 2
                assert "not ended after" in capfd.readouterr().err
            assert main(["run", "coordinate_shader", "--on", name]) == 0

    def test_errors_of_memory(self, tmp_path, capfd):
        """A program that leaves memory: the GPU is told, and the board goes on."""
        source = tmp_path / "leaves.qasm"
        source.write_text("brr -, 0x100000\nnop\nnop\nnop\n")
        with board() as name:
            assert main(["run", str(source), "--on", name, "--max-cycles", "2000"]) == 2
            assert "ERR_RESPONSE of ERRSTAT and XBUSERR" in capfd.readouterr().err
            assert main(["run", "coordinate_shader", "--on", name]) == 0

    @pytest.mark.parametrize(
        "faults",
        [
            Faults(damages=0.001),
            Faults(loses=0.001),
            Faults(adds=0.001),
            Faults(doubles=0.3),
            Faults(damages=0.0005, loses=0.0005, adds=0.0005, doubles=0.1),
        ],
        ids=["damages", "loses", "adds", "doubles", "all"],
    )
    def test_a_bad_line(self, faults, capfd):
        """The result is right, and each program has run once."""
        with board(faults=faults) as name:
            for _ in range(2):
                assert main(["run", "coordinate_shader", "--on", name]) == 0
        assert capfd.readouterr().out.count("29 instructions in ") == 2

    def test_a_line_that_dies(self, capfd):
        faults = Faults()
        with board(faults=faults) as name, open_board(name) as found:
            assert found.read("IDENT0")
            faults.alive = False
            start = time.monotonic()
            with pytest.raises(BadInput, match=f"no board answers at {BAUD} baud"):
                found.read("IDENT0")
            assert time.monotonic() - start < 30
            faults.alive = True
            found.link.connect()
            assert found.read("IDENT0")


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("case", ["clear_565", "tri_color"])
def test_a_frame(recorded, case, capfd):
    """It needs a GPU that takes long to compile."""
    with board("gpu") as name:
        assert main(["render", str(recorded / "cases/gl" / case), "--on", name, "--compare"]) == 0
    assert f"PASS {case}" in capfd.readouterr().out
