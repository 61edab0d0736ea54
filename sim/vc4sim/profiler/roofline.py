"""A roofline: what a program computes in a clock, and what each unit lets it compute with what it moves for that."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from .limits import Limit

try:
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError as _error:
    raise ImportError("figures need matplotlib: pip install 'vc4-rtl[plot]'") from _error

__all__ = ["draw"]

#: Of units, of which there are no more.
_COLOURS = ("#1f6fb2", "#d9822b", "#3a8f4b", "#b8434e", "#7a5ca8")
_ROOF, _GRID = "#2b3440", "#e4e7eb"
_SETTINGS = {"font.family": "DejaVu Sans", "font.size": 9, "svg.hashsalt": "vc4", "svg.fonttype": "path"}
#: How far the axes reach beyond points and corners, as a factor.
_ROOM = 3.0
#: Widths and dashes of the lines: those that lie on others let them be seen.
_LINES = ((3.2, "-"), (2.6, "-"), (2.0, "-"), (1.6, "--"), (1.2, ":"))


def draw(output: Path, programs: Mapping[str, Sequence[Limit]]) -> None:
    """Draw the limits of programs, by their names, into an SVG or PNG file by the suffix of `output`.

    The horizontal lines are what the ALUs can do, and each sloping one what a unit lets them do that moves so many bytes a clock.
    A program is a point: how many operations it makes of a byte, and how many in a clock. One program has a point for each such
    unit, and one more line: what its instructions could do if none of them waited. Of several, each has a point for the unit that
    is nearest to its limit.
    """
    every = list(programs.values())
    alus = [one for one in every[0] if one.name.endswith("ALUs")]
    most = sum(one.most for one in alus)
    found = [
        _Point(name, way, computed(limits)) for name, limits in programs.items() for way in _ways(limits, len(every))
    ]
    ways = {point.way.name: point.way for point in found}
    colours = dict(zip(ways, _COLOURS, strict=False))
    corners = [most / _width(way) for way in ways.values()]
    places = [place for place in (*(point.x for point in found), *corners) if place] or [1.0]
    left, right = min(places) / _ROOM, max(places) * _ROOM
    heights = [point.y for point in found if point.y] or [1.0]
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(7.5, 4.6), layout="constrained")
        axes = figure.add_subplot()
        # What is said of them is where no points are.
        end, align = (right, "right") if len(every) == 1 else (left, "left")
        _roof(axes, (end, align), most, "add and mul ALUs", "-")
        _roof(axes, (end, align), max(alu.most for alu in alus), "one of them", ":")
        if len(every) == 1:
            _roof(axes, (end, align), _unstalled(every[0]), "its instructions, if none waits", "-.")
        for number, way in enumerate(ways.values()):
            _way(axes, way, most, left, colours[way.name], _LINES[number])
        for point in found:
            _point(axes, point, most, colours[point.way.name], name=len(every) > 1)
        _label(
            axes, next(iter(programs)) if len(every) == 1 else "", (left, right), (min(heights) / _ROOM, most * _ROOM)
        )
        metadata = {"Date": None} if output.suffix == ".svg" else {}
        figure.savefig(output, dpi=150, metadata=metadata)


class _Point(NamedTuple):
    """A program and a unit: operations a clock are `y`."""

    name: str
    way: Limit
    y: float

    @property
    def x(self) -> float:
        """Operations for a byte."""
        return self.y / (self.way.used * self.way.word_bytes)


def computed(limits: Sequence[Limit]) -> float:
    """Operations of the ALUs in a clock."""
    return sum(one.used for one in limits if one.name.endswith("ALUs"))


def _unstalled(limits: Sequence[Limit]) -> float:
    """How many there would be if an instruction was always issued."""
    issue = next(one for one in limits if one.name == "issue")
    return computed(limits) / issue.part if issue.part else 0.0


def _ways(limits: Sequence[Limit], programs: int) -> list[Limit]:
    """Units that move something; the nearest one to its limit, if there are several programs."""
    ways = [one for one in limits if one.word_bytes and one.used]
    return ways if programs == 1 else sorted(ways, key=lambda one: one.part)[-1:]


def _width(way: Limit) -> float:
    """Bytes a clock."""
    return way.most * way.word_bytes


def _roof(axes: Axes, end: tuple[float, str], height: float, said: str, style: str) -> None:
    """What can be computed, said at an end of the line, and how it is aligned there."""
    place, align = end
    axes.axhline(height, linestyle=style, color=_ROOF, linewidth=1.4)
    text = f"{said}: {height:.3g} operations a clock"
    axes.annotate(
        text, (place, height), xytext=(-4 if align == "right" else 4, 3), textcoords="offset points", ha=align
    )


def _way(axes: Axes, way: Limit, most: float, left: float, colour: str, line: tuple[float, str]) -> None:
    """What a unit lets through."""
    width = _width(way)
    label = f"{way.name}: {width:g} bytes a clock"
    axes.plot([left, most / width], [left * width, most], line[1], color=colour, linewidth=line[0], label=label)


def _point(axes: Axes, point: _Point, most: float, colour: str, *, name: bool) -> None:
    """Where a program is, and how far it is to what limits it."""
    axes.plot([point.x] * 2, [point.y, min(point.x * _width(point.way), most)], "--", color=colour, linewidth=0.8)
    axes.plot(point.x, point.y, "o", color=colour)
    text = point.name if name else f"{point.way.part:.0%}"
    axes.annotate(text, (point.x, point.y), xytext=(5, -3), textcoords="offset points", va="top")


def _label(axes: Axes, name: str, across: tuple[float, float], up: tuple[float, float]) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(*across)
    axes.set_ylim(*up)
    axes.grid(which="major", color=_GRID)
    axes.set_axisbelow(True)
    axes.set_xlabel("operations for a byte that is moved")
    axes.set_ylabel("operations in a clock")
    axes.set_title(name)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="lower right", frameon=False)
