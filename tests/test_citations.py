"""Whoever reads "QPU facts, 3.1" in code or docs finds a section 3.1 in that page."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs/reference"
PAGES = {name: REFERENCE / f"{name.lower()}_facts.md" for name in ("QPU", "SFU", "pipeline")}
NUMBER = r"\d+(?:\.\d+)?"
#: A page and the numbers of sections after it, which may stand in the next line.
CITATION = re.compile(
    rf"\b(QPU|SFU|[Pp]ipeline) facts(?:\]\(\w+\.md\))?,?[\s#]+(?:sections? )?({NUMBER}(?:(?:, | and | to |, and ){NUMBER})*)"
)
FILES = [
    path
    for folder in ("rtl", "sim", "tests", "docs")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".md", ".cc") and "data" not in path.parts
]


def headings(page):
    return set(re.findall(rf"^##+ ({NUMBER})\.? ", PAGES[page].read_text("utf-8"), re.MULTILINE))


def citations(path):
    for page, numbers in CITATION.findall(path.read_text("utf-8")):
        for number in re.findall(NUMBER, numbers):
            yield {"Pipeline": "pipeline"}.get(page, page), number


@pytest.mark.parametrize("page", PAGES)
def test_every_cited_section_is_there(page):
    cited = {number: path.name for path in FILES for name, number in citations(path) if name == page}
    assert len(cited) > 2
    missing = {number: name for number, name in cited.items() if number not in headings(page)}
    assert missing == {}


def test_nothing_is_cited_that_nobody_can_open():
    """No page but those of the project, and what `docs/reference/sources.md` links to."""
    unknown = re.compile("fact " + "sheet", re.IGNORECASE)
    assert [str(path) for path in FILES if unknown.search(path.read_text("utf-8"))] == []
