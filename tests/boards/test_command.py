"""`vc4 run` and `vc4 render` on a board: a model at the other end of a pseudo-terminal."""

import os
import tty

import pytest

import vc4sim
from vc4sim.cli import main

from .stand_in import model_board

pytest.importorskip("serial", reason="no pyserial")


@pytest.fixture(scope="module")
def qpu():
    """A board with the GPU of the preset `qpu`."""
    with model_board() as (name, _):
        yield name


def test_a_program_runs(qpu, capfd):
    assert main(["run", "coordinate_shader", "--on", qpu, "--stats"]) == 0
    said = capfd.readouterr()
    assert f"on the board at {qpu.removeprefix('uart:').partition(',')[0]}" in said.out
    assert "PASS coordinate_shader (448 bytes in 1 region)" in said.out
    assert lines(said.err) == []


def test_a_frame_is_drawn(recorded, tmp_path, capfd):
    case = recorded / "cases/gl/tri_color"
    with model_board("gpu", base=0, size=4 << 20, baud=4_000_000) as (name, _):
        assert main(["render", str(case), "--on", name, "--compare", "-o", str(tmp_path / "frame.png")]) == 0
    assert "PASS tri_color" in capfd.readouterr().out
    assert (tmp_path / "frame.png").exists()


def wrong(capfd, *arguments):
    """What a command says that ends with status 2, in one line."""
    assert main([*arguments]) == 2
    said = capfd.readouterr()
    assert said.out == ""
    (line,) = lines(said.err)
    return line


def lines(text):
    """But for what is said when this machine is too busy to answer in time."""
    return [line for line in text.splitlines() if "requests were repeated" not in line]


class TestWhatABoardLacks:
    @pytest.mark.parametrize(
        ("options", "text"),
        [
            (["--lockstep"], "--lockstep is not for"),
            (["--strict"], "--strict is not for"),
            (["--trace", "-"], "--trace is not for"),
            (["--waves", "waves.vcd"], "--waves is not for"),
            (["--timeline", "timeline.json"], "--timeline is not for"),
        ],
        ids=lambda value: value[0] if isinstance(value, list) else "",
    )
    def test_what_only_simulators_tell(self, qpu, options, text, tmp_path, monkeypatch, capfd):
        monkeypatch.chdir(tmp_path)
        assert text in wrong(capfd, "run", "coordinate_shader", "--on", qpu, *options)
        assert not list(tmp_path.iterdir())

    def test_another_configuration(self, qpu, capfd):
        assert "the board has qpu, not slice" in wrong(
            capfd, "run", "coordinate_shader", "--on", qpu, "--config", "slice"
        )
        assert "the board has no errata, not" in wrong(
            capfd, "run", "coordinate_shader", "--on", qpu, "--errata", "HW-2619"
        )

    def test_qpus(self, qpu, capfd):
        found = wrong(capfd, "run", "coordinate_shader", "--on", qpu, "--qpus", "4")
        assert "needs 4 QPUs at the same time, and the board has 1" in found

    def test_memory(self, qpu, tmp_path, capfd):
        source = tmp_path / "ends.qasm"
        source.write_text("nop; thrend\nnop\nnop\n")
        found = wrong(capfd, "run", str(source), "--on", qpu, "--buffer", "out=65536")
        assert "the board lacks memory: 0x00010000 to 0x0002" in found

    def test_frames(self, qpu, recorded, capfd):
        found = wrong(capfd, "render", str(recorded / "cases/gl/tri_color"), "--on", qpu)
        assert "the board has qpu, which draws no frames" in found

    def test_a_program_that_does_not_end(self, qpu, tmp_path, capfd):
        source = tmp_path / "ever.qasm"
        source.write_text(":again\n  brr -, :again\n  nop\n  nop\n  nop\n")
        found = wrong(capfd, "run", str(source), "--on", qpu)
        assert "not ended after" in found


class TestWrongDevices:
    @pytest.mark.parametrize("name", ["uart:", "uart:/dev/null,0"])
    def test_names(self, name, capfd):
        assert "a board is uart:DEVICE or uart:DEVICE,BAUD" in wrong(capfd, "run", "coordinate_shader", "--on", name)

    def test_no_device(self, tmp_path, capfd):
        assert "none: No such file" in wrong(capfd, "run", "coordinate_shader", "--on", f"uart:{tmp_path}/none")

    def test_no_terminal(self, capfd):
        assert "/dev/null: " in wrong(capfd, "run", "coordinate_shader", "--on", "uart:/dev/null")

    @pytest.mark.thorough
    def test_nobody_answers(self, capfd):
        master, slave = os.openpty()
        tty.setraw(slave)
        found = wrong(capfd, "run", "coordinate_shader", "--on", f"uart:{os.ttyname(slave)}")
        assert "no board answers at 115200 baud" in found
        os.close(slave)
        os.close(master)

    def test_it_is_gone(self, capfd):
        master, slave = os.openpty()
        name = os.ttyname(slave)
        os.close(slave)
        os.close(master)
        assert name in wrong(capfd, "run", "coordinate_shader", "--on", f"uart:{name}")


def test_python(qpu, tmp_path):
    """Arrays of NumPy in the memory of a board, and registers."""
    source = tmp_path / "square.qasm"
    lines = (
        *("ldi vw_setup, 0x1a00", "mul24 vpm, elem_num, elem_num", "ldi vw_setup, 0x80904000", "mov vw_addr, unif"),
        *("thrend", "nop", "nop"),
    )
    source.write_text("\n".join(lines))
    gpu = vc4sim.Gpu(on=qpu)
    assert gpu.registers["IDENT1", "QUPS"] == 1
    out = gpu.empty(16, "i32")
    gpu.run(source, uniforms=[out])
    assert out.numpy().tolist() == [number * number for number in range(16)]
    with pytest.raises(vc4sim.BadInput, match="a board tells no timeline"):
        gpu.run(source, uniforms=[out], timeline=tmp_path / "timeline.json")
    assert not (tmp_path / "timeline.json").exists()
