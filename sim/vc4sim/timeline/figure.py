"""Draws a part of a timeline, for a page: a viewer shows all of it."""

import json
from pathlib import Path
from typing import NamedTuple

from ..problem import BadInput

try:
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle
except ImportError as _error:
    raise ImportError("figures need matplotlib: pip install 'vc4-rtl[plot]'") from _error

__all__ = ["draw"]

_COLOURS = {
    "program": "#c9d1da",
    "label": "#dfe4ea",
    "instruction": "#8fb8de",
    "stall": "#eeb4a2",
    "memory": "#b9dcae",
    "job": "#c9d1da",
    "tile": "#f4e3a1",
    "stage": "#d5c8ea",
}
_SETTINGS = {"font.family": "DejaVu Sans Mono", "font.size": 6.5, "svg.hashsalt": "vc4", "svg.fonttype": "path"}
_WIDTH, _ROW_INCHES, _MARGIN_INCHES = 9.5, 0.19, 0.7
_NAME_INCHES, _CHARACTER_INCHES = 1.6, 0.602 * 6.5 / 72  # of the monospaced font


class _Slice(NamedTuple):
    track: tuple[int, int]
    depth: int
    first: float
    last: float
    name: str
    category: str


def draw(timeline: Path, output: Path, first: int, last: int) -> None:
    """Draw the tracks with slices in the clocks from `first` to the one before `last`, into an SVG or PNG file by the suffix of
    `output`. Raises `BadInput` if there are none.
    """
    events = json.loads(timeline.read_text("utf-8"))["traceEvents"]
    names = {(one["pid"], one["tid"]): one["args"]["name"] for one in events if one.get("name") == "thread_name"}
    found = [one for one in _slices(events) if one.first < last and one.last > first]
    if not found:
        raise BadInput(f"{timeline}: has nothing in the clocks {first} to {last - 1}")
    rows = sorted({(one.track, one.depth) for one in found})
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(_WIDTH, _MARGIN_INCHES + _ROW_INCHES * len(rows)), layout="constrained")
        axes = figure.add_subplot()
        inches = (_WIDTH - _NAME_INCHES) / (last - first)
        for one in found:
            begin, end = max(one.first, first), min(one.last, last)
            place = (begin, rows.index((one.track, one.depth)) + 0.06)
            colour = _COLOURS.get(one.category, "#ffffff")
            axes.add_patch(Rectangle(place, end - begin, 0.88, facecolor=colour, edgecolor="white", linewidth=0.5))
            fits = int((end - begin) * inches / _CHARACTER_INCHES) - 1
            if fits >= min(len(one.name), 3):
                axes.text(begin + 0.3 / inches * 0.1, place[1] + 0.44, one.name[:fits], va="center", clip_on=True)
        axes.set_xlim(first, last)
        axes.set_ylim(len(rows), 0)
        axes.set_yticks([number + 0.5 for number in range(len(rows))])
        axes.set_yticklabels([names.get(track, "") if not depth else "" for track, depth in rows])
        axes.set_xlabel("clock")
        axes.tick_params(axis="y", length=0)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        metadata = {"Date": None} if output.suffix == ".svg" else {}
        figure.savefig(output, dpi=150, metadata=metadata)


def _slices(events: list[dict]) -> list[_Slice]:
    """All of them, with how many hold each."""
    open_, found = {}, []
    for one in sorted((event for event in events if event["ph"] in "BEX"), key=lambda event: event["ts"]):
        track = one["pid"], one["tid"]
        stack = open_.setdefault(track, [])
        if one["ph"] == "B":
            stack.append(one)
        elif one["ph"] == "E":
            begun = stack.pop()
            found.append(_Slice(track, len(stack), begun["ts"], one["ts"], begun["name"], begun["cat"]))
        else:
            found.append(_Slice(track, len(stack), one["ts"], one["ts"] + one["dur"], one["name"], one["cat"]))
    return found
