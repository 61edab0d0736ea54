"""`vc4 gl piglit`: conformance tests, and how they end on a chip."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from ..gl.conformance import Row, Setup, agreement, conform, missing, read_table
from ..gl.piglit import Test, default_home, find_tests
from ..gl.programs import driver_variables
from ..problem import BadInput, ExitStatus
from .options import Commands, integer, seconds

__all__ = ["add_piglit"]

_ABOUT = """\
Run piglit, Mesa's conformance tests, on Mesa's driver and this GPU, and write a table: how
each test ends here, on Mesa's own renderer softpipe if something is wrong, and on a real
Raspberry Pi 3. Tests that the table has are not run again: delete its lines to have them.
"""
_EXAMPLES = """\
For example: vc4 gl piglit --list tests.txt --out conformance
"""
_MOST_JOBS, _LIMIT = 64, 120.0


def add_piglit(commands: Commands) -> argparse.ArgumentParser:
    """Add the sub-command of `vc4 gl`."""
    parser = commands.add_parser(
        "piglit",
        help="run conformance tests",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--list", metavar="FILE", type=Path, help="names of tests, one a line (default: all)")
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=integer(1, _MOST_JOBS),
        default=os.cpu_count() or 1,
        help="tests at a time (default: cores)",
    )
    parser.add_argument("--limit", metavar="SECONDS", type=seconds, default=_LIMIT, help="for each test (default: 120)")
    parser.add_argument(
        "--out", metavar="FOLDER", type=Path, default=Path("conformance"), help="of the table (default: conformance)"
    )
    parser.add_argument(
        "--piglit",
        metavar="FOLDER",
        type=Path,
        default=default_home(),
        help="where piglit is (default: where Debian has it)",
    )
    parser.set_defaults(execute=_execute)
    return parser


def _execute(options: argparse.Namespace) -> int:
    driver_variables(options.prefix)
    tests = _chosen(options.list, options.piglit)
    setup = Setup(options.prefix, options.piglit, options.out, options.on, options.limit)
    left = missing(tests, options.out)
    with tqdm(
        total=len(tests), initial=len(tests) - len(left), unit=" tests", disable=not sys.stderr.isatty(), leave=False
    ) as progress:
        for test in conform(left, setup, options.jobs):
            progress.set_postfix_str(test.name, refresh=False)
            progress.update()
    rows = read_table(options.out)
    differing = [row for row in rows if row.counts and not row.agrees]
    for row in differing:
        print(f"{row.test}: {row.here} here, {row.chip} on the chip")
    print(_summary(rows, tests))
    return ExitStatus.DIFFERS if differing else ExitStatus.PASS


def _chosen(file: Path | None, home: Path) -> list[Test]:
    """Tests of a list, or all of them."""
    tests = find_tests(home)
    if file is None:
        return tests
    try:
        names = [line for line in file.read_text().splitlines() if line]
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from None
    by_name = {test.name: test for test in tests}
    for number, name in enumerate(names, 1):
        if name not in by_name:
            raise BadInput(f"{file}:{number}: piglit has no test {name} for this GPU")
    return [by_name[name] for name in names]


def _summary(rows: Sequence[Row], tests: Sequence[Test]) -> str:
    """Of the tests, and of all rows, which have their parts, too."""
    names = {test.name for test in tests}
    wholes = [row for row in rows if row.test in names]
    verdicts = ", ".join(f"{count:,} {verdict}" for verdict, count in Counter(row.here for row in wholes).most_common())
    whole, every = ("{:,} of {:,}".format(*agreement(some)) for some in (wholes, rows))
    return f"{verdicts}\nas on the chip: {whole} tests that both have run; with their parts {every}"
