"""LiteDRAM's controller with its own model of the chip, between the bridge and memory, as Verilator simulates them."""

import random
import re
import subprocess

import pytest

from vc4.boards.ulx3s import ULX3S_85F
from vc4.dvi.mode import VGA
from vc4sim.cli import main
from vc4sim.uart.board import open_board

from .rig import DIVISOR, at_a_terminal
from .sdram_rig import board_library, core_with_a_chip, core_with_a_model, skip_without_tools, traffic_program

pytestmark = pytest.mark.usefixtures("compiler")
assert ULX3S_85F.sdram
CHIPS = ULX3S_85F.sdram.names
#: Clocks of a second of a board: about as many as are simulated in one.
CLOCK_HZ = 40_000
#: How the program sets the clock of the pins.
FAST = "-DFAST=sdram__DOT__core__DOT__clk_fast"
#: Clocks from one refresh to the next one at the most.
REFRESH = 64e-3 / 8192 * ULX3S_85F.clock_hz


@pytest.fixture(autouse=True)
def tools():
    skip_without_tools()


def traffic(program, seed, requests, gap):
    """What the program says; there is an assertion if memory is wrong."""
    command = [program, str(seed), str(requests), str(gap)]
    process = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert process.returncode == 0, process.stdout[-2000:]
    return process.stdout.splitlines()


class TestTheController:
    """What is generated for all chips that a ULX3S may have."""

    def test_size_and_start(self):
        from vc4sim.boards.sdram import sdram_core

        core = sdram_core(ULX3S_85F.sdram, ULX3S_85F.clock_hz)
        assert (core.size, core.word_bytes, core.data_bits) == (32 << 20, 4, 16)
        first, *rest = core.start
        assert not first.is_command
        assert first.clocks >= 200e-6 * ULX3S_85F.clock_hz, "chips want 200 microseconds before the first command"
        assert all(step.is_command for step in rest)
        *_, last = rest
        assert (last.ras, last.cas, last.we) == (True, True, True)
        assert last.address == 2 << 4 | 1, "CAS latency 2, bursts of two"
        assert sum(step.ras and step.cas and not step.we for step in rest) >= 2, "two refreshes"

    def test_cells_of_the_pins(self):
        """Each pin has a register in its cell."""
        from vc4sim.boards.sdram import sdram_core

        core = sdram_core(ULX3S_85F.sdram, ULX3S_85F.clock_hz)
        outputs = core.address_bits + core.bank_bits + core.data_bits // 8 + 5
        assert core.verilog.count("OFS1P3BX OFS1P3BX") == outputs + core.data_bits
        assert core.verilog.count("IFS1P3BX IFS1P3BX") == core.verilog.count("BB BB") == core.data_bits

    def test_a_clock_that_chips_do_not_have(self):
        from vc4sim.boards.sdram import sdram_core

        with pytest.raises(ValueError, match="no controller for an SDRAM of 140 MHz"):
            sdram_core(ULX3S_85F.sdram, 70_000_000)


def tried(program, requests):
    """Random requests, with none, some and many pauses."""
    for gap in (0, 20, 150):
        seed = random.randrange(1 << 30)
        print("seed", seed)
        (line,) = traffic(program, seed, requests, gap)
        words, clocks, start, compared, errors = map(int, re.findall(r"\d+", line))
        assert start > 20_000
        assert compared > words / 8
        assert errors > 100
        assert clocks > 200 * REFRESH


@pytest.mark.thorough
@pytest.mark.parametrize("chip", [CHIPS[0], *(pytest.param(chip, marks=pytest.mark.slow) for chip in CHIPS[1:])])
def test_random_traffic(chip):
    """Reads and writes with byte enables, random pauses on all channels, refresh meanwhile; the model sees no command too early."""
    tried(traffic_program(core_with_a_model(chip)), 20_000)


@pytest.mark.thorough
def test_random_traffic_through_the_pins():
    """The same with LiteDRAM's way to the pins, and a chip that knows only these."""
    tried(traffic_program(core_with_a_chip(), FAST), 20_000)


@pytest.mark.thorough
@pytest.mark.parametrize("pixel_bytes", [4, pytest.param(2, marks=pytest.mark.slow)])
def test_a_screen_and_traffic_do_not_starve_each_other(pixel_bytes):
    """Requests of up to 64 bytes at full speed beside a picture of 640 by 480: no row is late, and the requests keep most of their
    pace.
    """
    core = core_with_a_model(CHIPS[0])
    program = traffic_program(core, "-DMOST_WORDS=8", f"-DSCREEN={pixel_bytes}", screen=True)
    shown, line = traffic(program, 1, 150_000, 0)
    (alone,) = traffic(traffic_program(core, "-DMOST_WORDS=8"), 1, 150_000, 0)
    print(shown, line, alone, sep="\n")
    frames, missed = map(int, re.findall(r"\d+", shown))
    assert frames >= 3
    assert missed == 0
    with_screen, without = (int(re.findall(r"\d+", text)[1]) for text in (line, alone))
    share = VGA.columns.shown * VGA.rows.shown * pixel_bytes * 60 / 200e6
    assert with_screen < without / (1 - 1.5 * share)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["model", pytest.param("chip", marks=pytest.mark.slow)])
def test_commands_that_are_too_early_are_seen(monkeypatch, kind):
    """A controller that gives a row no time to open."""
    from litedram.common import TimingSettings

    from vc4sim.boards import sdram

    def hasty(settings) -> TimingSettings:
        settings[0].tRCD = 1
        return settings[0]

    monkeypatch.setattr(sdram, "_slowest", hasty)
    if kind == "model":
        lines = traffic(traffic_program(core_with_a_model(CHIPS[0])), 1, 2000, 0)
        assert any("ACT->" in line and "violation" in line for line in lines)
    else:
        lines = traffic(traffic_program(core_with_a_chip(), FAST), 1, 2000, 0)
        assert any("violation" in line and "tRCD" in line for line in lines)


@pytest.mark.slow
def test_a_program_with_its_data_in_sdram(capfd):
    """On the board of `qpu`, with a host at its serial line; it takes two minutes to compile."""
    library = board_library(CHIPS[0], CLOCK_HZ, CLOCK_HZ // DIVISOR)
    with at_a_terminal(library, CLOCK_HZ // DIVISOR) as name:
        with open_board(name) as board:
            assert (board.base, board.size) == (0, 32 << 20)
            data = random.Random(1).randbytes(1024)
            for address in (0x40, board.size - len(data)):
                board.write_memory(address, data)
                assert board.read_memory(address, len(data)) == data
        assert main(["run", "coordinate_shader", "--on", name]) == 0
        with open_board(name) as board:
            assert board.read_memory(0x40, len(data)) == data
    said = capfd.readouterr()
    assert "PASS coordinate_shader" in said.out
    assert "violation" not in said.out + said.err
