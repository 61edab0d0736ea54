"""`vc4 screen`: what a board shows."""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from vc4.dvi.mode import VGA
from vc4.dvi.picture import PictureFormat

from ..problem import BadInput, ExitStatus
from ..uart.board import open_board
from ..uart.screen import PIXEL_BYTES, Place, Screen
from ..uart.transport import is_device
from .options import Commands, integer

__all__ = ["register"]

_ADDRESS = integer(0, 0xFFFF_FFFF)


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "screen",
        help="show a picture on the screen of a board",
        description="Show a picture on the screen of a board that was built with --screen: that of a file, or what is in its "
        "memory, as a program has stored it there. Without a picture, and in any case at the end, say how many frames were "
        "shown, and how many rows memory did not bring in time. See docs/user/boards.md.",
    )
    parser.add_argument("board", metavar="uart:DEVICE", help="the board, as in uart:/dev/ttyUSB0,1000000")
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "picture",
        metavar="FILE",
        type=Path,
        nargs="?",
        help=f"a picture of {VGA.columns.shown} by {VGA.rows.shown} pixels at the most, PNG or what else Pillow reads",
    )
    what.add_argument("--address", metavar="N", type=_ADDRESS, help="a picture in memory, with the next three")
    what.add_argument("--off", action="store_true", help="no picture: bars of eight colours")
    parser.add_argument("--width", metavar="N", type=integer(1, 4096), help="pixels of a row in memory")
    parser.add_argument("--height", metavar="N", type=integer(1, 4096), help="rows in memory")
    parser.add_argument("--pitch", metavar="N", type=integer(1, 1 << 20), help="bytes from a row to the next one")
    parser.add_argument(
        "--format",
        choices=[one.name for one in PictureFormat],
        default=PictureFormat.BGR565.name,
        help="of pixels in memory (default: BGR565)",
    )
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    if not is_device(options.board):
        raise BadInput(f"{options.board}: a board is uart:DEVICE")
    if options.address is None and (options.width or options.height or options.pitch):
        raise BadInput("--width, --height and --pitch are for --address")
    if options.address is not None and not (options.width and options.height):
        raise BadInput("--address wants --width and --height")
    pixels = PictureFormat[options.format]
    picture = _read(options.picture) if options.picture else None
    with open_board(options.board) as board:
        screen = Screen(board)
        if picture is not None:
            place = screen.send(picture, pixels)
            print(f"{options.picture}: {place.width} by {place.height} pixels at {place.address:#010x}")
        elif options.address is not None:
            pitch = options.pitch or options.width * PIXEL_BYTES[pixels]
            screen.show(Place(options.address, pitch, options.width, options.height, pixels))
        elif options.off:
            screen.hide()
        told = screen.told()
    print(f"{told.frames} frames, {told.missed} rows not in time")
    return ExitStatus.PASS


def _read(path: Path) -> np.ndarray:
    try:
        with Image.open(path) as image:
            return np.asarray(image.convert("RGB"))
    except UnidentifiedImageError:
        raise BadInput(f"{path}: this is no picture") from None
