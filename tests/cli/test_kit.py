"""`vc4 kit`: what it writes, asks and reads."""

import pytest

from vc4sim.cli import main
from vc4sim.kit.answers import FORMAT, text_of
from vc4sim.kit.run import identity
from vc4sim.kit.table import QUESTIONS

QUESTION = next(one for one in QUESTIONS if one.name == "fadd_overflow")
HEAD = f"{FORMAT} 02443356 00000000 00000000\n"
LINE = text_of(identity(), {QUESTION: QUESTION.chosen.answer}).splitlines()[1]


def test_a_folder(tmp_path, output_of):
    output_of("kit", "-o", tmp_path / "kit")
    assert sorted(path.name for path in (tmp_path / "kit").iterdir()) == ["kit.c", "questions.h", "v3d.h"]
    text = (tmp_path / "kit/questions.h").read_text()
    for question in QUESTIONS:
        assert text.count(f'"{question.name}", "{question.fingerprint}"') == 1
    assert text.count("/*") == text.count("*/") == len(QUESTIONS) + 1


def test_asked_and_read(tmp_path, output_of):
    (tmp_path / "answers").write_text(output_of("kit", "ask", "fadd_overflow", "ftoi_range"))
    last = output_of("kit", "read", tmp_path / "answers").splitlines()[-1]
    assert last == f"2 answers: 2 as here, 0 wrong here, 0 fit no candidate; {len(QUESTIONS) - 2} not asked"


@pytest.mark.thorough
def test_asked_of_the_rtl(output_of, compiler):
    assert output_of("kit", "ask", "--on", "native", "--lockstep", "add_nop") == output_of("kit", "ask", "add_nop")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (QUESTION.candidates[1].answer, ["fadd_overflow: wrong here", f"  {QUESTION.asks} the largest float"]),
        ((3,) * 16, ["fadd_overflow: fits no candidate"]),
        (None, ["fadd_overflow: fits no candidate"]),
    ],
)
def test_a_chip_that_does_something_else(answer, said, tmp_path, capsys):
    (tmp_path / "answers").write_text(text_of(identity(), {QUESTION: answer}))
    assert main(["kit", "read", str(tmp_path / "answers")]) == 1
    assert capsys.readouterr().out.splitlines()[: len(said)] == said


@pytest.mark.parametrize(
    ("text", "place", "complaint"),
    [
        ("", 1, "not a file of answers"),
        (LINE, 1, "not a file of answers"),
        (HEAD + "fadd_overflow\n", 2, "a name, a fingerprint"),
        (HEAD + LINE[:-1] + "\n", 2, "a name, a fingerprint"),
        (HEAD + LINE + "\n\n", 3, "a name, a fingerprint"),
        (HEAD + LINE.replace("fadd", "fdiv"), 2, "there is no question 'fdiv_overflow'"),
        (HEAD + LINE.replace(QUESTION.fingerprint, "00000000"), 2, "asked in another way"),
        (HEAD + LINE + "\n" + LINE, 3, "has an answer already"),
        (HEAD + LINE[:-9], 2, "has 16 words, not 15"),
    ],
)
def test_wrong_files(text, place, complaint, tmp_path, refused):
    path = tmp_path / "answers"
    path.write_text(text)
    line = refused("kit", "read", path)
    assert line.startswith(f"vc4: {path}:{place}: ")
    assert complaint in line


def test_wrong_arguments(tmp_path, refused):
    assert "-o FOLDER" in refused("kit")
    assert "there is no question 'weather'" in refused("kit", "ask", "weather")
    assert "--lockstep is not for model" in refused("kit", "ask", "--lockstep")
    assert "no such file" in refused("kit", "read", tmp_path / "nothing")
    (tmp_path / "file").write_text("")
    assert "file" in refused("kit", "-o", tmp_path / "file")
