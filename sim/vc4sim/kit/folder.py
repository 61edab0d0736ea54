"""The folder that goes to a board: a program in C, the questions, and the names of registers."""

import textwrap
from collections.abc import Iterator, Sequence
from importlib import resources
from itertools import pairwise
from pathlib import Path

import numpy as np

from .answers import FORMAT
from .question import Question

__all__ = ["PROGRAM", "write_folder"]

#: The program, which is the same for any questions.
PROGRAM = "kit.c"
_COLUMNS = 110


def write_folder(folder: Path, questions: Sequence[Question], registers: str) -> None:
    """Write it; `registers` is what ``v3d.h`` shall be, the header with the names of registers."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PROGRAM).write_text(resources.files(__package__).joinpath(PROGRAM).read_text("utf-8"), "utf-8")
    (folder / "v3d.h").write_text(registers, "utf-8")
    (folder / "questions.h").write_text("\n".join(_header(questions)) + "\n", "utf-8")


def _header(questions: Sequence[Question]) -> Iterator[str]:
    yield "/* What is asked, written by `vc4 kit`: for each question what lies in memory, in words. */"
    yield f'#define FORMAT "{FORMAT}"'
    for question in questions:
        yield ""
        yield from _comment(question)
        yield from _array("uint32_t", question.name, np.frombuffer(question.image.padded, "<u4").tolist())
        yield from _array("uint16_t", f"{question.name}_addresses", question.image.addresses)
    yield ""
    yield "static const struct question questions[] = {"
    yield from (f"    {_entry(question)}," for question in questions)
    yield "};"


def _comment(question: Question) -> Iterator[str]:
    """What it is about, and its program."""
    lines = [
        f"{question.asks} ...",
        *(f"- {one.rule}" for one in question.candidates),
        "",
        *question.source.splitlines(),
    ]
    wrapped = [part for line in lines for part in textwrap.wrap(line, _COLUMNS) or [""]]
    yield f"/* {wrapped[0]}"
    yield from (f" * {line}".rstrip() for line in wrapped[1:])
    yield " */"


def _array(kind: str, name: str, numbers: Sequence[int]) -> Iterator[str]:
    """An array of C; after zeros, which are not written, the next number has its place."""
    yield f"static const {kind} {name}[] = {{"
    used = [place for place, number in enumerate(numbers) if number or place == len(numbers) - 1]
    parts = (
        f"{numbers[place]:#x}," if place == before + 1 else f"[{place}]={numbers[place]:#x},"
        for before, place in pairwise([-1, *used])
    )
    yield from (f"    {line}" for line in textwrap.wrap(" ".join(parts), _COLUMNS))
    yield "};"


def _entry(question: Question) -> str:
    image, name = question.image, question.name
    numbers = (
        image.size,
        image.first,
        image.second,
        image.answer.start,
        image.words,
        len(image.padded) // 4,
        len(image.addresses),
    )
    return f'{{"{name}", "{question.fingerprint}", {image.start.name}, {", ".join(map(str, numbers))}, {name}, {name}_addresses}}'
