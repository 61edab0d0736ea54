"""The tables of figures in the documentation.

`python -m vc4sim.synth.page docs/reference/fpga` prints what `docs/reference/fpga.md` has of them, from the files that `vc4 synth
--json` and `vc4 build --json` have left in that folder.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from vc4.config import PRESETS

from .targets import PARTS

__all__ = ["block_table", "board_table", "read_all"]


def read_all(folder: Path) -> Mapping[str, Mapping]:
    """All figures of a folder, by the names of their files."""
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def block_table(folder: str, figures: Mapping[str, Mapping]) -> Iterator[str]:
    """A row for each part of the GPU. `folder`, as a link has it, has the files."""

    def order(name: str) -> tuple[int, int]:
        return list(PARTS).index(figures[name]["part"]), list(PRESETS).index(figures[name]["config"])

    yield "| `--part` | of `--config` | is | logic cells | plan | flip-flops | multipliers | block RAMs | MHz, by seeds |"
    yield "|---|---|---|---:|---:|---:|---:|---:|---:|"
    for name in sorted((name for name, found in figures.items() if "part" in found), key=order):
        found = figures[name]
        part = PARTS[found["part"]]
        plan = part.bounds.cells_goal if part.bounds else part.plan
        yield _row(
            f"[`{found['part']}`]({folder}/{name})",
            f"`{found['config']}`",
            part.doc,
            f"{found['cells']['TRELLIS_COMB']:,}",
            f"{plan:,}" if plan else "",
            *_hard_blocks(found),
            _clocks(found),
        )


def board_table(folder: str, figures: Mapping[str, Mapping]) -> Iterator[str]:
    """A row for each build of a board. `folder`, as a link has it, has the files."""
    yield "| command | logic cells | flip-flops | multipliers | block RAMs | MHz asked for | reached, by seeds |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for name, found in figures.items():
        if "board" in found:
            command = found["command"].partition(" --json")[0]
            cells = f"{found['cells']['TRELLIS_COMB']:,} of {found['available']['TRELLIS_COMB']:,}"
            yield _row(
                f"[`{command}`]({folder}/{name})",
                cells,
                *_hard_blocks(found),
                f"{found['mhz_asked']:g}",
                _clocks(found),
            )


def _hard_blocks(found: Mapping) -> Iterator[str]:
    for name in ("TRELLIS_FF", "MULT18X18D", "DP16KD"):
        yield f"{found['cells'][name]:,}" if found["cells"][name] else ""


def _clocks(found: Mapping) -> str:
    return ", ".join(f"{mhz:.1f}" for mhz in found["seeds"].values())


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _main(arguments: Iterable[str]) -> None:
    for argument in arguments:
        folder = Path(argument)
        figures = read_all(folder)
        print("\n".join([*board_table(folder.name, figures), "", *block_table(folder.name, figures)]))


if __name__ == "__main__":
    _main(sys.argv[1:])
