"""The host's side of the line against a board in plain Python, in a time of its own: whatever the line does, results are right."""

import random
import sys
from types import SimpleNamespace

import pytest

from vc4.boards.facts import config_of, config_words
from vc4.boards.protocol import PROTOCOL, Command
from vc4.config import PRESETS, V3DConfig, preset
from vc4sim.problem import BadInput
from vc4sim.uart import link
from vc4sim.uart.board import Board
from vc4sim.uart.link import NoAnswer, Refused
from vc4sim.uart.transport import SerialLine, device_of

from .faults import Faults
from .stand_in import CLOCK_HZ, GAP_CLOCKS, StandIn

BASE, SIZE = 1 << 16, 1 << 14
SCRATCH = 0x10


class Counting:
    """Registers that keep what is written, and count accesses."""

    def __init__(self):
        self.words, self.accesses = {}, 0

    def read(self, offset):
        self.accesses += 1
        return self.words.get(offset, 0)

    def write(self, offset, word):
        self.accesses += 1
        self.words[offset] = word


class Line:
    """A line to a board, with faults both ways; time passes where somebody waits."""

    name, baud = "line", 115_200

    def __init__(self, board, faults):
        self.board, self.faults, self.now, self.written = board, faults, 0.0, -1.0
        self.come = b""

    def monotonic(self):
        return self.now

    def write(self, data):
        if self.now - self.written > GAP_CLOCKS / CLOCK_HZ:
            self.board.pause()
        self.written = self.now
        self.come += self.faults.of(self.board.receive(self.faults.of(data)))

    def read(self, seconds):
        """A few bytes at a time."""
        found, self.come = self.come[:50], self.come[50:]
        self.now += 0.001 if found else seconds
        return found


@pytest.fixture
def connect(monkeypatch):
    """`connect(faults)`: a line to a new board, and the board as the host has it."""

    def make(faults=None):
        line = Line(StandIn(Counting, BASE, SIZE, preset("qpu")), faults or Faults())
        monkeypatch.setattr(link, "time", SimpleNamespace(monotonic=line.monotonic))
        return line, Board(line)

    return make


def test_a_board(connect):
    line, board = connect()
    assert (board.config, board.base, board.size, board.clock_hz) == (preset("qpu"), BASE, SIZE, CLOCK_HZ)
    board.write("SCRATCH", 0x8765_4321)
    assert board.read(SCRATCH) == board.read("SCRATCH") == 0x8765_4321
    data = random.Random(1).randbytes(5000)
    board.write_memory(BASE + 8, data)
    assert bytes(line.board.memory[8:5008]) == data
    board.clear_memory(BASE + 16, 32)
    assert board.read_memory(BASE, 56) == bytes(8) + data[:8] + bytes(32) + data[40:48]
    line.board.pages = lambda first: 0b1001
    assert board.written_pages() == [BASE, BASE + 0x3000]
    board.reset()
    assert board.read("SCRATCH") == 0
    assert board.link.statistics.repeats == 0


@pytest.mark.parametrize(
    "faults",
    [
        {"damages": 0.002},
        {"loses": 0.002},
        {"adds": 0.002},
        {"doubles": 0.3},
        {"damages": 0.001, "loses": 0.001, "adds": 0.001, "doubles": 0.1},
    ],
    ids=lambda faults: " ".join(faults),
)
@pytest.mark.parametrize("seed", range(5))
def test_faults_of_the_line(connect, faults, seed):
    """Each access of a register is made once, and memory is what was written."""
    line, board = connect(Faults(**faults, seed=seed))
    rng = random.Random(seed)
    for number in range(40):
        word = rng.getrandbits(32)
        board.write(4 * number, word)
        assert board.read(4 * number) == word
    assert line.board.registers.accesses == 80
    data = rng.randbytes(SIZE)
    board.write_memory(BASE, data)
    assert board.read_memory(BASE, SIZE) == data
    if "doubles" not in faults:
        assert board.link.statistics.repeats > 0


def test_a_dead_link(connect):
    """From the beginning, and later; it is given up within seconds."""
    faults = Faults(alive=False)
    with pytest.raises(NoAnswer, match="line: no board answers at 115200 baud"):
        connect(faults)
    line, board = connect()
    line.faults.alive, start = False, line.now
    for call in (lambda: board.read("IDENT0"), lambda: board.write_memory(BASE, bytes(800)), board.facts):
        with pytest.raises(NoAnswer):
            call()
    assert line.now - start < 90


def test_what_is_refused(connect):
    _, board = connect()
    with pytest.raises(Refused, match="line: memory has answered with an error to MEMORY_READ at 0x00014000"):
        board.read_memory(BASE + SIZE, 8)
    with pytest.raises(Refused, match="the board refuses REGISTER_READ at 0x00000000"):
        board.link.request(Command.REGISTER_READ, 0, words=2)
    assert board.read("SCRATCH") == 0  # and it goes on


def test_what_is_no_board(connect, monkeypatch):
    for word, text in ((0x1234, "no board with this GPU"), (PROTOCOL + (1 << 24), "version 2 of the protocol")):
        monkeypatch.setitem(StandIn._act.__globals__, "PROTOCOL", word)
        with pytest.raises(BadInput, match=text):
            connect()


@pytest.mark.parametrize("config", [*PRESETS.values(), V3DConfig(vpm_kib=16, errata="bcm2835", memory_windows=True)])
def test_configurations_are_told(config):
    assert config_of(*config_words(config)) == config


def test_numbers_that_are_no_configuration():
    with pytest.raises(ValueError, match="slices must be"):
        config_of(0, 0)


def test_without_pyserial(monkeypatch):
    monkeypatch.setitem(sys.modules, "serial", None)
    with pytest.raises(BadInput, match="boards need pyserial: pip install"):
        SerialLine("/dev/ttyUSB0", 115_200)


class TestNames:
    def test_good(self):
        assert device_of("uart:/dev/ttyUSB0") == ("/dev/ttyUSB0", 115_200)
        assert device_of("uart:/dev/ttyUSB0,3000000") == ("/dev/ttyUSB0", 3_000_000)

    @pytest.mark.parametrize("name", ["uart:", "uart:,9600", "uart:/dev/x,", "uart:/dev/x,fast", "uart:/dev/x,12", "uart:/dev/x,1e6"])  # fmt: skip
    def test_bad(self, name):
        with pytest.raises(BadInput, match="a board is uart:DEVICE or uart:DEVICE,BAUD"):
            device_of(name)

    def test_no_such_device(self, tmp_path):
        pytest.importorskip("serial", reason="no pyserial")
        with pytest.raises(BadInput, match="No such file"):
            SerialLine(str(tmp_path / "none"), 115_200)
        with pytest.raises(BadInput, match=f"{tmp_path}"):
            SerialLine(str(tmp_path), 115_200)
