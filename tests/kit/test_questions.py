"""Every question has the answer that its rules say, on model and RTL, and its candidates are told apart."""

import re
from pathlib import Path

import pytest

from vc4sim.asm import assemble
from vc4sim.checker import VECTOR_ROWS, Flow, Subject, check_flow, rules_for
from vc4sim.kit.answers import Verdict, judged, report, text_of
from vc4sim.kit.image import PAGE, Address, Start, image_of, program_image
from vc4sim.kit.page import page
from vc4sim.kit.run import BASE, ask, identity
from vc4sim.kit.table import GROUPS, QUESTIONS
from vc4sim.library.execute import Setup

DOCS = Path(__file__).parents[2] / "docs"
every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.name)


@every_question
def test_the_model_gives_the_first_candidate(question):
    assert ask(question) == question.chosen.answer
    assert ask(question, base=BASE + 5 * PAGE) == question.chosen.answer


@pytest.mark.thorough
@every_question
def test_the_rtl_gives_it_too(question, compiler):
    assert ask(question, Setup(on="native", lockstep=True)) == question.chosen.answer


@every_question
def test_candidates_are_told_apart(question):
    answers = [one.answer for one in question.candidates]
    assert len(answers) >= 2
    assert len(set(answers)) == len(answers)
    assert all(answer is None or len(answer) == question.image.words for answer in answers)


@every_question
def test_a_program_breaks_no_rule_but_those_that_it_asks_about(question):
    if question.image.start is Start.LIST:
        assert not question.breaks
        return
    code = assemble(question.source).code
    assert question.image.data.startswith(code)
    words = [int.from_bytes(code[place : place + 8], "little") for place in range(0, len(code), 8)]
    flow = Flow(words, 0, (0,), VECTOR_ROWS)
    found = check_flow(flow, rules_for(flow, Subject.USER, two_tmus=True))
    assert {one.hazard.rule for one in found} == question.breaks


def test_a_chip_with_each_candidate_in_turn_is_understood():
    most = max(len(question.candidates) for question in QUESTIONS)
    for number in range(most):
        rules = {one: one.candidates[min(number, len(one.candidates) - 1)] for one in QUESTIONS}
        text = text_of(identity(), {question: rule.answer for question, rule in rules.items()})
        verdicts = judged(text, "answers", QUESTIONS)
        assert {one.question: one.candidate for one in verdicts} == rules
        assert all(one.agrees == (number == 0) for one in verdicts)
        lines = list(report(verdicts, QUESTIONS))
        for question, rule in rules.items():
            assert f"  {question.asks} {rule.rule}" in lines
            assert f"{question.name}: {'as here' if number == 0 else 'wrong here'}" in lines


def test_an_answer_that_fits_no_candidate():
    question = QUESTIONS[0]
    words = question.chosen.answer or ()
    for answer in (None, (1, *words[1:])):
        (verdict,) = judged(text_of(identity(), {question: answer}), "answers", QUESTIONS)
        assert verdict == Verdict(question, answer)
        assert verdict.candidate is None
        assert not verdict.agrees
        text = "\n".join(verdict.lines())
        assert text.startswith(f"{question.name}: fits no candidate")
        assert text.endswith("does not end" if answer is None else f"{words[-1]:08x}")


def test_names_are_those_of_c():
    names = [question.name for question in QUESTIONS]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[a-z][a-z0-9_]*", name) for name in names)
    assert len({question.fingerprint for question in QUESTIONS}) == len(names)
    assert [one for group in GROUPS.values() for one in group] == list(QUESTIONS)


def test_an_image_is_the_same_wherever_it_lies():
    image = program_image("nop\n", [Address("x", 4), 7, Address("uniforms"), Address("answer")], 2, {"x": bytes(PAGE)})
    data = image.at(0x70000)
    assert len(data) == image.size
    words = [int.from_bytes(data[image.second + place :][:4], "little") for place in (0, 4, 8, 12)]
    assert words == [0x70000 + PAGE + 4, 7, 0x70000 + image.second, 0x70000 + image.answer.start]
    assert image.answer.start == 2 * PAGE
    assert image.words == 2


def test_an_image_must_have_words_as_addresses():
    with pytest.raises(ValueError, match="no words"):
        image_of(lambda base: bytes(8) + (base >> 4).to_bytes(4, "little"), Start.LIST, 0, 0, range(0, 4))


def test_the_page_is_up_to_date():
    assert (DOCS / "user/kit.md").read_text() == page(), "python -m vc4sim.kit docs/user/kit.md"


def test_the_page_is_linked():
    assert "(user/kit.md)" in (DOCS / "README.md").read_text()
    assert "(../user/kit.md)" in (DOCS / "reference/choices.md").read_text()
