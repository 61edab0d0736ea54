"""The page of the documentation is the table."""

from pathlib import Path

from vc4.isa.hazards import HAZARDS
from vc4sim.checker.page import page

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_up_to_date():
    assert (DOCS / "reference/restrictions.md").read_text() == page(), "python -m vc4sim.checker.page writes it"


def test_the_page_has_every_rule_once():
    for one in HAZARDS:
        assert page().count(f"\n| {one.rule} | {one.title}") == 1


def test_the_page_is_linked():
    assert "(reference/restrictions.md)" in (DOCS / "README.md").read_text()
