"""The pages as a site, and what of Sphinx is ours."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"

for _needed in ("sphinx", "myst_parser", "furo"):
    pytest.importorskip(_needed)


@pytest.fixture(autouse=True)
def _extensions(monkeypatch):
    monkeypatch.syspath_prepend(DOCS / "extensions")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["One.", "", "a, b : what", "    it is", "c : more"], ["One.", "", "", "``a``, ``b``", "    what", "    it is", "``c``", "    more"]),
        (["What comes:", "a : b"], ["What comes:", "", "``a``", "    b"]),
        (["V3D_ and |x|, but `V3D_|`"], ["V3D\\_ and \\|x\\|, but `V3D_|`"]),
        (["As here::", "", "    a : b_", "", "a : b"], ["As here::", "", "    a : b_", "", "", "``a``", "    b"]),
    ],
)  # fmt: skip
def test_docstrings(lines, expected):
    from docstrings import translated

    assert list(translated(lines)) == expected


def test_the_landing_page_lists_every_page():
    listed = re.findall(r"\]\(([^)#]+\.md)\)", (DOCS / "README.md").read_text())
    assert sorted(listed) == sorted(set(listed))
    missing = {page.relative_to(DOCS).as_posix() for page in DOCS.glob("*/*.md")} - set(listed)
    assert missing == {"images/README.md"}


@pytest.mark.parametrize("repository", ["", "somebody/vc4-rtl"])
def test_links_that_leave_the_documentation(repository, monkeypatch):
    from site_pages import _LINK, _outside

    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    if repository:
        for name, value in (("REPOSITORY", repository), ("SERVER_URL", "https://github.com"), ("SHA", "abc")):
            monkeypatch.setenv(f"GITHUB_{name}", value)
    page = DOCS / "developer/testing.md"
    for text, expected in (
        (
            "[`x`](../../tests/data/README.md)",
            "[`x`](https://github.com/somebody/vc4-rtl/blob/abc/tests/data/README.md)",
        ),
        ("[x](../reference/qpu.md#stalls)", "[x](../reference/qpu.md#stalls)"),
        ("[x](../../nothing.md)", "[x](../../nothing.md)"),
    ):
        found = _LINK.sub(lambda link: _outside(link, page, DOCS), text)
        assert found == (expected if repository or "data" not in text else "`x`")


@pytest.mark.thorough
def test_the_site_is_built_without_a_warning(tmp_path):
    """By the command that `CONTRIBUTING.md` shows; every page is in it, and what docstrings say."""
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-d", tmp_path / "doctrees", DOCS, tmp_path / "site"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    for page in DOCS.glob("*/*.md"):
        if page.parent.name != "images":
            assert (tmp_path / "site" / page.relative_to(DOCS).with_suffix(".html")).is_file()
    text = (tmp_path / "site/reference/python/config.html").read_text()
    assert "texture units of a slice, 0 to 2" in text
    assert (tmp_path / "site/index.html").read_text() == (tmp_path / "site/README.html").read_text()
