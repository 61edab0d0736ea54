"""Draws captured frames on the RTL, and prints a table of what limits them: `python -m vc4sim.frames tests/data/cases/gl/*`."""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from vc4.config import PRESETS, preset

from ..clist import load_capture
from ..model.cle.cle import RENDERING
from ..render.picture import is_top_first, picture_of, save
from ..render.sizes import frame_size
from ..workload.case import CASE_FILE
from .activity import StageClocks, limit_of
from .draw import DrawRun
from .host import DrawHost

__all__ = ["Row", "main", "row_of"]

_COUNTED = ("FEP_PRIMITIVES", "FEP_QUADS")
_HEAD = (
    "| frame | jobs | clocks | pixels a clock | quads | quads a clock | primitives | clocks a primitive | limited by |",
    "|---|---:|---:|---:|---:|---:|---:|---:|---|",
)


class Row(NamedTuple):
    """What a frame took.

    pixels : of all tiles of all jobs
    stages : of all jobs together
    """

    name: str
    jobs: int
    clocks: int
    pixels: int
    counts: Counter[str]
    stages: tuple[StageClocks, ...]

    def __str__(self) -> str:
        quads, primitives = self.counts["FEP_QUADS"], self.counts["FEP_PRIMITIVES"]
        each = f"{self.clocks / primitives:,.0f}" if primitives else ""
        limit = limit_of(self.stages)
        return (
            f"| `{self.name}` | {self.jobs} | {self.clocks:,} | {self.pixels / self.clocks:.2f} | {quads:,} | "
            f"{quads / self.clocks:.3f} | {primitives:,} | {each} | {limit.name}, {limit.busy / self.clocks:.0%} |"
        )


def row_of(folder: Path, config: str, on: str = "native", pictures: Path | None = None) -> Row:
    """Draw all jobs of a frame, and perhaps write the picture into a folder."""
    capture = load_capture(folder)
    host = DrawHost(capture, preset(config).drawing, on, counted=_COUNTED)
    runs: list[DrawRun] = []
    pixels = 0
    for job in capture.jobs:
        run, _ = host.run(job)
        if RENDERING in job.threads:
            runs.append(run)
            width, height = frame_size(job)
            pixels += width * height
    if pictures:
        picture = picture_of(capture, host.memory)
        save(picture, pictures / f"frame_{capture.name}.png", top_first=is_top_first(capture))
    stages = tuple(
        StageClocks(found[0].name, *(sum(counts) for counts in zip(*(one[1:] for one in found), strict=True)))
        for found in zip(*(run.stages for run in runs), strict=True)
    )
    counts = sum((Counter(run.counts) for run in runs), Counter())
    return Row(capture.name, len(runs), sum(run.cycles for run in runs), pixels, counts, stages)


def main() -> None:
    """A line for each frame."""
    parser = argparse.ArgumentParser(
        prog="python -m vc4sim.frames", description="Draw captured frames on the RTL; print what limits them."
    )
    parser.add_argument("cases", metavar="CASE", nargs="+", type=Path, help="directories with case.json")
    parser.add_argument("--config", choices=PRESETS, default="gpu", help="configuration of the GPU (default: gpu)")
    parser.add_argument("--pictures", metavar="FOLDER", type=Path, help="write frame_NAME.png of each into it")
    options = parser.parse_args()
    print("\n".join(_HEAD))
    folders = [folder for folder in options.cases if (folder / CASE_FILE).exists()]
    for folder in tqdm(folders, unit=" frames", disable=not sys.stderr.isatty()):
        print(row_of(folder, options.config, pictures=options.pictures), flush=True)


if __name__ == "__main__":
    main()
