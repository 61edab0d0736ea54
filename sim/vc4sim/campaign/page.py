"""What the file of a campaign says, as a page with plots."""

import io
from collections import defaultdict
from collections.abc import Iterator
from html import escape
from string import Template
from typing import TYPE_CHECKING

from ..coverage.count import share
from ..problem import BadInput
from .kinds import KINDS
from .report import failure_lines, head, text
from .store import Store

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["page"]

_PAGE = Template("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>$title</title>
<style>
body { font-family: sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.4; }
table { border-collapse: collapse; }
td, th { padding: 0.2rem 0.8rem 0.2rem 0; text-align: left; border-bottom: 1px solid #ddd; }
td.number, th.number { text-align: right; }
pre { white-space: pre-wrap; background: #f4f4f4; padding: 0.6rem; }
svg { width: 100%; height: auto; }
</style>
</head>
<body>
<h1>$title</h1>
$head
<h2>Over time</h2>
$plots
<h2>Coverage</h2>
<table>
<tr><th>group</th><th class="number">reached</th><th class="number">of cells</th></tr>
$groups
</table>
<h2>Not reached, and left out</h2>
<ul>
$missing
</ul>
<h2>Failures</h2>
$failures
</body>
</html>
""")
_HOUR = 3600.0


def page(store: Store) -> str:
    """HTML, with everything in one file. Raises `BadInput` without matplotlib."""
    title = f"Campaign of {KINDS[store.settings.kind].name}, seed {store.settings.seed}"
    rows = []
    for group in store.groups:
        reached, total = store.covered.counts(group)
        numbers = f'<td class="number">{share(reached, total)}</td><td class="number">{total:,}</td>'
        rows.append(f"<tr><td>{escape(group.name)}</td>{numbers}</tr>")
    about = [line for line in text(store) if line.startswith(("missing: ", "left out: ", "surprise: "))]
    failures = ["\n".join(failure_lines(store, kept)) for kept in store.failures()]
    return _PAGE.substitute(
        title=escape(title),
        head="\n".join(f"<p>{escape(line)}</p>" for line in head(store)),
        plots=_plots(store),
        groups="\n".join(rows),
        missing="\n".join(f"<li>{escape(line)}</li>" for line in about) or "<li>Nothing.</li>",
        failures="\n".join(f"<pre>{escape(one)}</pre>" for one in failures) or "<p>None.</p>",
    )


def _worked(store: Store) -> Iterator[tuple[float, tuple]]:
    """The jobs in the order in which they were done, each with the hours that somebody has worked on the campaign until then."""
    begun = dict(store.rows("number, began", "session"))
    jobs = store.rows("session, ended, units, seconds, worker, reached, number", "job", "ended, number")
    last = {session: ended for session, ended, *_ in jobs}
    before, passed = {}, 0.0
    for session, began in sorted(begun.items()):
        before[session] = passed
        passed += max(0.0, last.get(session, began) - began)
    for session, ended, *row in jobs:
        yield (before.get(session, 0.0) + ended - begun.get(session, ended)) / _HOUR, tuple(row)


def _plots(store: Store) -> str:
    """What is covered over time, the rate of each worker, and failures."""
    try:
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        raise BadInput("the page needs matplotlib: pip install 'vc4-rtl[campaign]'") from None
    figure = Figure(figsize=(9, 9), layout="constrained")
    FigureCanvasSVG(figure)
    above, middle, below = figure.subplots(3)
    rows = list(_worked(store))
    _plot_covered(above, store, rows)
    _plot_rates(middle, KINDS[store.settings.kind].unit, rows)
    _plot_failures(below, store, rows)
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    drawn = out.getvalue()
    return drawn[drawn.index("<svg") :]


def _plot_covered(axes: "Axes", store: Store, rows: list[tuple[float, tuple]]) -> None:
    """Cells that are reached."""
    total = store.covered.total[1]
    axes.plot([hours for hours, _ in rows], [100 * row[3] / total for _, row in rows], drawstyle="steps-post")
    axes.set(ylabel="cells reached, %", xlabel="hours")


def _plot_rates(axes: "Axes", unit: str, rows: list[tuple[float, tuple]]) -> None:
    """Of each worker, job by job."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for hours, (units, seconds, worker, *_) in rows:
        if seconds:
            found[worker].append((hours, units / seconds))
    for worker, points in sorted(found.items()):
        axes.plot(*zip(*points, strict=True), ".", label=worker)
    axes.set(ylabel=f"{unit} a second", xlabel="hours", ylim=(0, None))
    if 0 < len(found) <= 8:
        axes.legend(fontsize="small")


def _plot_failures(axes: "Axes", store: Store, rows: list[tuple[float, tuple]]) -> None:
    """How many there are."""
    failed = defaultdict(int)
    for kept in store.failures():
        failed[kept.job] += 1
    count, counts = 0, []
    for _, row in rows:
        count += failed[row[4]]
        counts.append(count)
    axes.plot([hours for hours, _ in rows], counts, drawstyle="steps-post", color="tab:red")
    axes.set(ylabel="failures", xlabel="hours", ylim=(0, None))
