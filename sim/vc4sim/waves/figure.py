"""Draws the pipeline over time: a row for each stage, with the instructions that pass through it."""

import math
from pathlib import Path

from ..problem import BadInput
from .stages import STAGE_TITLES
from .vcd import Passage, PipelineWaves, read_pipeline

try:
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch, Rectangle
except ImportError as _error:
    raise ImportError("figures need matplotlib: pip install 'vc4-rtl[plot]'") from _error

__all__ = ["DEFAULT_CLOCKS", "render"]

#: Clocks of a figure, if nobody says how many.
DEFAULT_CLOCKS = 40

_LONGEST = 400
_CLOCK_INCHES = 0.345
_ROW_INCHES = 0.36
_MARGIN_INCHES = 0.75  # for the names of the rows
_PADDING_INCHES = 0.07
_FONT_POINTS = 6.5
_CHARACTER_INCHES = 0.602 * _FONT_POINTS / 72  # of the monospaced font that comes with matplotlib
_COLOURS = ("#cfe3f5", "#fbe3c4", "#d5ecd0", "#f6d3d6", "#e3d8f0", "#f4efc3", "#d2eceb", "#ead9cc")
_EDGE = "#5b6470"
_GRID = "#e4e7eb"
_STALL_COLOUR = "#d9534f"
_QUAD_COLOURS = ("#f2f4f7", "#dfe4ea", "#c9d1da", "#b1bcc8")
_SLOT_CLOCKS = 4
_TICK_CLOCKS = 4
_SETTINGS = {
    "font.family": "DejaVu Sans Mono",
    "font.size": _FONT_POINTS,
    "svg.hashsalt": "vc4",  # the same waves give the same file
    "svg.fonttype": "path",
}
_ROWS = (*STAGE_TITLES.values(), "quad", "stall")


def render(vcd: Path, output: Path, *, first: int | None = None, last: int | None = None) -> None:
    """Draw the pipeline in the file `vcd` from clock `first` to `last`, into an SVG or PNG file by the suffix of `output`.

    By default `first` is where the first instruction is in SP, and the figure has `DEFAULT_CLOCKS` clocks. Raises
    `BadInput` if the waves cannot be read, or there are no such clocks.
    """
    if output.suffix not in (".svg", ".png"):
        raise BadInput(f"{output}: a figure is an .svg or a .png file")
    waves = read_pipeline(vcd)
    begins = [passages[0].start for passages in waves.stages.values() if passages]
    start = min(begins, default=0) if first is None else first
    end = min(start + DEFAULT_CLOCKS if last is None else last + 1, waves.clocks)
    if not start < end:
        raise BadInput(f"{vcd}: has the clocks 0 to {waves.clocks - 1}, none of them is to be drawn")
    if end - start > _LONGEST:
        raise BadInput(f"{vcd}: {end - start} clocks are more than the {_LONGEST} that fit in a figure")
    with mpl.rc_context(_SETTINGS):
        figure = _figure(waves, start, end)
        metadata = {"Date": None} if output.suffix == ".svg" else {}
        figure.savefig(output, dpi=150, metadata=metadata)


def _figure(waves: PipelineWaves, start: int, end: int) -> Figure:
    width = (end - start) * _CLOCK_INCHES + _MARGIN_INCHES + 0.15
    height = len(_ROWS) * _ROW_INCHES + 0.4
    figure = Figure(figsize=(width, height), facecolor="white")
    left, bottom = _MARGIN_INCHES / width, 0.1 / height
    axes = figure.add_axes((left, bottom, 1 - left - 0.15 / width, 1 - bottom - 0.3 / height))
    _frame(axes, start, end)
    for row, stage in enumerate(STAGE_TITLES):
        for passage in waves.stages[stage]:
            _box(axes, row, passage, start, end)
    _quads(axes, waves, start, end)
    _stalls(axes, waves, start, end)
    return figure


def _frame(axes: Axes, start: int, end: int) -> None:
    """Axes, names of the rows, and the time in clocks along the top."""
    axes.set_xlim(start, end)
    axes.set_ylim(len(_ROWS), 0)
    axes.set_yticks([row + 0.5 for row in range(len(_ROWS))], _ROWS, fontsize=8, fontweight="bold")
    ticks = range(-(-start // _TICK_CLOCKS) * _TICK_CLOCKS, end + 1, _TICK_CLOCKS)
    axes.set_xticks(list(ticks), [str(tick) for tick in ticks], fontsize=7)
    axes.xaxis.tick_top()
    axes.annotate("clock", (start, 0), xytext=(-6, 6), textcoords="offset points", ha="right", fontsize=7)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.vlines(range(start, end + 1), 0, len(_ROWS), color=_GRID, linewidth=0.4, zorder=0)
    axes.hlines(range(len(_ROWS) + 1), start, end, color=_GRID, linewidth=0.6, zorder=0)


def _box(axes: Axes, row: int, passage: Passage, start: int, end: int) -> None:
    """An instruction in a stage, cut where the figure ends."""
    left, right = max(passage.start, start), min(passage.end, end)
    if left >= right:
        return
    colour = _COLOURS[passage.pc // 8 % len(_COLOURS)]
    _rectangle(axes, left, right, row, colour, _EDGE)
    _label(axes, left, right, row, passage.text)


def _rectangle(axes: Axes, left: float, right: float, row: int, colour: str, edge: str) -> None:
    axes.add_patch(
        FancyBboxPatch(
            (left + 0.06, row + 0.12),
            right - left - 0.12,
            0.76,
            boxstyle="round,pad=0,rounding_size=0.12",
            mutation_aspect=_CLOCK_INCHES / _ROW_INCHES,
            facecolor=colour,
            edgecolor=edge,
            linewidth=0.6,
            zorder=2,
        )
    )


def _label(axes: Axes, left: float, right: float, row: int, text: str, colour: str = "black") -> None:
    """As much of the text as there is room for, in the middle."""
    room = math.floor(((right - left) * _CLOCK_INCHES - _PADDING_INCHES) / _CHARACTER_INCHES)
    if len(text) > room:
        text = text[: room - 1].rstrip(" ;,") + "…" if room > 2 else ""
    axes.text((left + right) / 2, row + 0.5, text, ha="center", va="center", color=colour, zorder=3)


def _quads(axes: Axes, waves: PipelineWaves, start: int, end: int) -> None:
    """The quad that is in RA, clock by clock."""
    row = _ROWS.index("quad")
    for clock, quad in enumerate(waves.quads[start:end], start):
        if quad is not None:
            axes.add_patch(Rectangle((clock, row + 0.2), 1, 0.6, facecolor=_QUAD_COLOURS[quad], linewidth=0, zorder=1))
            _label(axes, clock, clock + 1, row, str(quad))


def _stalls(axes: Axes, waves: PipelineWaves, start: int, end: int) -> None:
    """Slots into which no instruction went, with the reason; slots in a row with the same reason are one box."""
    row = _ROWS.index("stall")
    joined: list[tuple[int, int, str]] = []
    for clock, reason in waves.stalls:
        begin = clock + 1 - _SLOT_CLOCKS
        if joined and joined[-1][1:] == (begin, reason):
            begin = joined.pop()[0]
        joined.append((begin, clock + 1, reason))
    for begin, stop, reason in joined:
        left, right = max(begin, start), min(stop, end)
        if left < right:
            _rectangle(axes, left, right, row, _STALL_COLOUR, _STALL_COLOUR)
            _label(axes, left, right, row, reason, "white")
