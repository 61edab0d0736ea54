"""The program in C, as it goes to a board, on a stand-in for one with the model behind it."""

import shutil
import subprocess

import pytest

from vc4sim.cli import main
from vc4sim.commands.regs import header
from vc4sim.gl.device import open_device
from vc4sim.kit.answers import judged
from vc4sim.kit.folder import PROGRAM, write_folder
from vc4sim.kit.program import rows
from vc4sim.kit.table import QUESTIONS

from .board import FLAGS, needs_board, needs_cc, program, run

_EVENTS = "board: power on\nboard: memory is given back\nboard: power off\n"
#: A question whose program goes on for ever.
_ENDLESS = rows("endless", "it", "choices.md#arithmetic", ":here\nbrr -, r:here\nnop\nnop\nnop\n", {"ends": [[0] * 16]})


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    """The program with all questions."""
    return program(tmp_path_factory.mktemp("kit"), QUESTIONS)


@needs_board
def test_it_prints_what_the_model_answers(kit, capsys):
    found = run(kit)
    assert (found.returncode, found.stderr) == (0, _EVENTS)
    assert main(["kit", "ask"]) == 0
    assert found.stdout == capsys.readouterr().out
    assert all(one.agrees for one in judged(found.stdout, "answers", QUESTIONS))


@needs_board
def test_some_questions(kit):
    names = ["dither", "add_nop"]
    found = judged(run(kit, *names).stdout, "answers", QUESTIONS)
    assert {one.question.name for one in found} == set(names)
    assert all(one.agrees for one in found)


@needs_board
def test_a_question_that_does_not_exist(kit):
    found = run(kit, "add_nop", "weather")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == "kit: weather: there is no question of this name\n"


@pytest.mark.thorough
@needs_board
def test_a_program_without_an_end_does_not_stop_the_others(tmp_path):
    questions = (_ENDLESS, QUESTIONS[0])
    found = run(program(tmp_path, questions))
    endless, other = judged(found.stdout, "answers", questions)
    assert endless.answer is None
    assert other.agrees
    assert found.returncode == 0
    assert found.stderr.count("power off") == 2


@needs_board
def test_firmware_without_memory(kit):
    found = run(kit, BOARD_HAS_NO_MEMORY="1")
    assert found.returncode == 2
    assert "it has no memory; give it more with gpu_mem" in found.stderr
    assert found.stderr.endswith("board: power off\n")
    assert found.stdout == ""


@needs_board
def test_a_later_board(kit):
    found = run(kit, BOARD_IS_LATER="1")
    assert (found.returncode, found.stdout) == (2, "")
    assert (
        found.stderr
        == "kit: /proc/device-tree/soc/ranges: says nothing of peripherals; is this a Raspberry Pi 1 to 3?\n"
    )


@needs_board
def test_another_gpu(kit):
    def open_other(memory):
        device = open_device(memory)
        device.read = lambda offset: 0x0442_3356
        return device

    found = run(kit, open_gpu=open_other)
    assert found.returncode == 2
    assert "there is no VideoCore IV" in found.stderr


@needs_board
def test_no_board_at_all(kit):
    found = subprocess.run([kit], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("kit: /dev/vcio: cannot be opened")


#: Compilers for other processors, and how this one is one of 32 bits.
_COMPILERS = (("cc",), ("cc", "-m32"), ("arm-linux-gnueabihf-gcc",), ("aarch64-linux-gnu-gcc",))


@needs_cc
@pytest.mark.parametrize("compiler", _COMPILERS, ids=" ".join)
def test_it_compiles_without_a_warning(compiler, tmp_path):
    probe = "#include <stdint.h>\n#include <sys/ioctl.h>\nint main(void) { return 0; }\n"
    command = [*compiler, "-x", "c", "-", "-o", tmp_path / "probe"]
    if (
        not shutil.which(compiler[0])
        or subprocess.run(command, input=probe, text=True, stderr=-3, check=False).returncode
    ):
        pytest.skip(f"needs {' '.join(compiler)} with headers")
    write_folder(tmp_path, QUESTIONS, header())
    subprocess.run([*compiler, *FLAGS, "-o", tmp_path / "kit", tmp_path / PROGRAM], check=True)
