"""What a real chip does: a Raspberry Pi 3 with Mesa 22.3.6, as Mesa's continuous integration records it.

The file has the tests that do not pass there, and how they end; a line of `skip` is a regular expression that is searched for in
names. Commas of names are hyphens in it.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

__all__ = ["SKIPPED", "UNSTABLE", "verdict_of_the_chip"]

_FILE = "rpi3_mesa_22_3_6.tsv"
#: Verdicts that say nothing: it was not run there, or ends now so and now so.
SKIPPED, UNSTABLE = "skip", "flake"


@cache
def _record() -> tuple[Mapping[str, str], re.Pattern[str]]:
    lines = resources.files(__package__).joinpath(_FILE).read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    skipped = "|".join(name for name, verdict in rows if verdict == SKIPPED)
    return {name: verdict for name, verdict in rows if verdict != SKIPPED}, re.compile(skipped)


def verdict_of_the_chip(name: str) -> str:
    """Of a test, or a subtest: `pass` also stands for a test that skips itself there."""
    ends, skipped = _record()
    return SKIPPED if skipped.search(name) else ends.get(name.replace(",", "-"), "pass")
