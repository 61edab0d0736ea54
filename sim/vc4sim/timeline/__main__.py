"""`python -m vc4sim.timeline FILE.json PICTURE --window FIRST:LAST`: draws a part of a timeline."""

import argparse
import sys

from ..commands.options import json_file, picture_file, window
from ..problem import BadInput
from .figure import draw

__all__ = ["main"]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m vc4sim.timeline", description="Draw a part of a timeline.")
    parser.add_argument("timeline", metavar="FILE.json", type=json_file)
    parser.add_argument("picture", metavar="PICTURE", type=picture_file)
    parser.add_argument("--window", metavar="FIRST:LAST", type=window, required=True, help="clocks that are drawn")
    options = parser.parse_args()
    try:
        draw(options.timeline, options.picture, *options.window)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
