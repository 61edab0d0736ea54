"""Coverage of random programs as a page of the documentation.

`python -m vc4sim.coverage.page > docs/reference/coverage.md` writes it again, from a million instructions on the model, and
takes a few minutes.
"""

import sys
from collections.abc import Iterator

from tqdm import tqdm

from vc4.config import V3DConfig
from vc4.isa.hazards import HAZARDS

from ..backends import model
from ..backends.base import Watcher
from ..random_programs import random_job
from .count import Coverage, share
from .groups import GROUPS
from .rules import UNBROKEN, RuleCount
from .table import explained

__all__ = ["INSTRUCTIONS", "left_out", "page", "unbroken"]

INSTRUCTIONS = 1_000_000
_LENGTH = 4700

_INTRODUCTION = """\
# Coverage of random programs

`vc4 lockstep` runs random programs, and counts what they have *executed* in cells: products of a few properties of an
instruction and of what is around it. `vc4 lockstep --coverage` prints this table for its own run; below are the first
{instructions:,} instructions from seed 1 on, in programs of {length:,} words.

* *Operand* is where an operand comes from: `r4 half_a` is r4 with an unpack, `A nop` the last quad on the port of file A.
  An operation that has no such operand has the cell nevertheless, as the word has the field.
* *Pack* has the sixteen packs of file A, and after them with `pm` those of colours, reserved codes included.
* *Place* is where an instruction is: in a delay slot of a branch, in a slot of a thread switch, or free.
* *Hazard* is something that depends on what an ALU wrote one, two or three instructions before, in the same thread.

The products of everything with everything are too many to be reached, and so they are not in the total.
"""


def page(coverage: Coverage, rules: RuleCount) -> Iterator[str]:
    """Lines of the page, in Markdown."""
    yield _INTRODUCTION.format(instructions=INSTRUCTIONS, length=_LENGTH)
    yield "| group | reached | of cells |"
    yield "|---|---|---|"
    for group in GROUPS:
        about = "" if group.in_total else " (not in the total)"
        reached, total = coverage.counts(group)
        yield f"| {group.name}{about} | {share(reached, total)} | {total:,} |"
    yield f"\n{coverage.summary().capitalize()}.\n"
    missing = [f"* {group.name}: {hole}" for group in GROUPS if group.in_total for hole in coverage.holes(group)]
    yield "## Missing\n"
    yield from missing or ["Nothing."]
    yield "\n## Left out\n"
    yield "Cells that no program can reach are not counted.\n"
    yield from left_out()
    yield "\n## Rules\n"
    broken = ", ".join(one.rule for one in HAZARDS if one.rule in rules.broken)
    yield f"One run of twenty keeps to the [restrictions](restrictions.md). {rules.instructions:,} instructions of all have"
    yield f"broken {broken}; of an instruction that breaks several, the first one counts.\n"
    yield from unbroken()


def unbroken() -> Iterator[str]:
    """The table of rules that nothing breaks."""
    yield "| not broken | why |"
    yield "|---|---|"
    yield from (f"| {', '.join(rules)} | {reason} |" for reason, rules in UNBROKEN.items())


def left_out() -> Iterator[str]:
    """The table of cells that are not counted."""
    yield "| group | cells | why |"
    yield "|---|---|---|"
    for group in GROUPS:
        yield from (f"| {group.name} | {cells:,} | {reason} |" for reason, cells in explained(group).items())


def _both(coverage: Coverage, rules: RuleCount) -> Watcher:
    def watch(event) -> None:
        coverage(event)
        rules(event)

    return watch


def _measured() -> tuple[Coverage, RuleCount]:
    """The model runs random programs."""
    coverage, rules, seed = Coverage(), RuleCount(), 1
    with tqdm(total=INSTRUCTIONS, unit=" instructions") as progress:
        while coverage.instructions < INSTRUCTIONS:
            job = random_job(seed, _LENGTH, V3DConfig())
            rules.begin(job)
            before = coverage.instructions
            model.run(job, _both(coverage, rules))
            coverage.finish()
            progress.update(coverage.instructions - before)
            seed += 1
    return coverage, rules


if __name__ == "__main__":
    sys.stdout.write("\n".join(page(*_measured())) + "\n")
