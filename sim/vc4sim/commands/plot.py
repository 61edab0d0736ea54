"""Arrays as figures."""

from pathlib import Path

import numpy as np

from ..problem import BadInput

__all__ = ["check_plot", "plot"]

_MOST_AXES = 2


def check_plot(name: str, shape: tuple[int, ...], file: Path) -> None:
    """Raises `BadInput` if an array of this shape cannot be drawn into `file`."""
    if len(shape) > _MOST_AXES:
        raise BadInput(f"--plot {name}: has {len(shape)} axes, and {_MOST_AXES} are the most that can be drawn")
    try:
        # It is not needed for anything else, and slow to load.
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        raise BadInput("--plot needs matplotlib: pip install 'vc4-rtl[plot]'") from None
    if file.suffix[1:] not in FigureCanvasBase.filetypes:
        raise BadInput(f"{file}: a figure is a .png, .svg or .pdf file")


def plot(name: str, values: np.ndarray, file: Path) -> None:
    """Draw one axis as a line, and two as an image whose first row is at the top."""
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    axes = figure.subplots()
    if values.ndim == _MOST_AXES:
        figure.colorbar(axes.imshow(values, interpolation="nearest"), ax=axes)
    else:
        axes.plot(np.atleast_1d(values), marker="." if values.size <= 64 else "", linewidth=1)
        axes.grid(alpha=0.3)
    axes.set_title(name)
    figure.savefig(file, dpi=150)
