"""Links of all pages lead somewhere, as GitHub follows them: to files, and to headings in them."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Virtual environments have any name.
_FOREIGN = {"build", "dist", ".pytest_cache", *(file.parent.name for file in ROOT.glob("*/pyvenv.cfg"))}
PAGES = [path for path in sorted(ROOT.rglob("*.md")) if not _FOREIGN & set(path.relative_to(ROOT).parts)]
LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)")


def text_of(page):
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


@cache
def anchors(page):
    """Those of its headings: words in small letters, with a number after those that come again."""
    found = {}
    for heading in re.findall(r"^#+ (.+)$", text_of(page), re.MULTILINE):
        plain = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        count = found.setdefault(slug, 0)
        found[slug] += 1
        if count:
            found[f"{slug}-{count}"] = 1
    return set(found)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links(page):
    broken = []
    for path, anchor in LINK.findall(text_of(page)):
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(f"{path}#{anchor}")
    assert broken == []
