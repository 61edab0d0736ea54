"""Draws the pictures of the page about textures: `python -m vc4sim.textures docs/images`."""

import argparse
from pathlib import Path

from tqdm import tqdm

from .drawing import draw
from .scenes import FIGURES
from .sheet import sheet

__all__ = ["main"]


def main() -> None:
    """Write a file for each figure."""
    parser = argparse.ArgumentParser(
        prog="python -m vc4sim.textures", description="Draw pictures of textures on the RTL."
    )
    parser.add_argument("folder", type=Path, help="where to write them, such as docs/images")
    parser.add_argument("--only", choices=FIGURES, help="one figure instead of all")
    options = parser.parse_args()
    figures = {options.only: FIGURES[options.only]} if options.only else FIGURES
    options.folder.mkdir(parents=True, exist_ok=True)
    with tqdm(total=sum(len(figure.panels) for figure in figures.values()), unit=" pictures") as progress:
        for name, figure in figures.items():
            pictures = []
            for panel in figure.panels:
                pictures.append(draw(panel.texture, panel.view, panel.sampling))
                progress.update()
            sheet(figure, pictures).save(options.folder / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
