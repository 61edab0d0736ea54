"""What turns pages that are written for a reader of the repository into pages of the site.

* The landing page lists all others under headings. Each heading with its list becomes a part of the table of contents,
  and pages of the same folders that it does not list follow at the end.
* A page beside a folder of the same name leads to the pages in that folder.
* A link to a file outside of the documentation leads to the repository, if a workflow of GitHub builds the site, which
  says where that is. Otherwise its text stays, without a link.
* The landing page is also what a browser shows for the folder.
"""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx

__all__ = ["setup"]

#: A link of Markdown to a file: its text, the path, and what follows the path.
_LINK = re.compile(r"\[([^\]]+)\]\(((?![a-z]+:|#)[^)#\s]+)(#[^)\s]*)?\)")
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("source-read", _read)
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": True}


def _read(app: Sphinx, docname: str, source: list[str]) -> None:
    docs = Path(app.srcdir)
    page = docs / f"{docname}.md"
    if not page.is_file():
        return
    trees = []
    if docname == app.config.root_doc:
        trees = list(_parts(source[0], docs))
    elif page.with_suffix("").is_dir():
        trees = [_toctree("", _pages(page.with_suffix(""), page.parent))]
    source[0] = "\n".join([_LINK.sub(lambda link: _outside(link, page, docs), source[0]), *trees])


def _parts(text: str, docs: Path) -> Iterator[str]:
    """The parts of the table of contents, from the headings of the landing page and the links under them."""
    _, *pieces = _HEADING.split(text)
    for heading, listed in zip(pieces[::2], pieces[1::2], strict=True):
        pages = [path.removesuffix(".md") for _, path, _ in _LINK.findall(listed) if path.endswith(".md")]
        folders = dict.fromkeys(docs / page.rpartition("/")[0] for page in pages)
        yield _toctree(heading, [*pages, *(page for folder in folders for page in _pages(folder, docs))])


def _pages(folder: Path, start: Path) -> list[str]:
    """The pages in a folder, as paths from `start`."""
    return [path.relative_to(start).with_suffix("").as_posix() for path in sorted(folder.glob("*.md"))]


def _toctree(caption: str, entries: list[str]) -> str:
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["", "```{toctree}", *options, "", *dict.fromkeys(entries), "```", ""])


def _outside(link: re.Match[str], page: Path, docs: Path) -> str:
    """A link as the site has it."""
    target = (page.parent / link[2]).resolve()
    root = docs.parent
    if target.is_relative_to(docs) or not (target.is_relative_to(root) and target.exists()):
        return link[0]
    if "GITHUB_REPOSITORY" not in os.environ:
        return link[1]
    place = f"{os.environ['GITHUB_SERVER_URL']}/{os.environ['GITHUB_REPOSITORY']}/blob/{os.environ['GITHUB_SHA']}"
    return f"[{link[1]}]({place}/{target.relative_to(root).as_posix()}{link[3] or ''})"


def _finish(app: Sphinx, error: Exception | None) -> None:
    page = Path(app.outdir) / f"{app.config.root_doc}.html"
    if not error and page.is_file():
        shutil.copyfile(page, page.with_name("index.html"))
