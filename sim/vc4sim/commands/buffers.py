"""Options of `vc4 run` that say what becomes of buffers: files, figures, comparisons."""

import argparse
import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..problem import BadInput
from ..workload import Buffer, Workload
from ..workload.array_check import ArrayCheck
from ..workload.array_type import ArrayType, read_array
from .plot import check_plot, plot

__all__ = ["add_buffers", "check_buffers", "keep_buffers"]

_ARRAY_FILE = ".npy"


class _Kept(NamedTuple):
    """What an option says: a buffer, and a file."""

    buffer: str
    file: Path


def add_buffers(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument(
        "--save",
        action="append",
        default=[],
        type=_kept(_ARRAY_FILE),
        metavar="NAME=FILE.npy",
        help="write what a buffer holds at the end as an array of NumPy; may be given several times, as the next two",
    )
    parser.add_argument(
        "--plot",
        action="append",
        default=[],
        type=_kept(None),
        metavar="NAME[=FILE.png]",
        help="draw what it holds with matplotlib: one axis as a line, two as an image (default: NAME.png)",
    )
    parser.add_argument(
        "--expect",
        action="append",
        default=[],
        type=_expected,
        metavar="NAME=@FILE.npy",
        help="compare it with an array of NumPy; the status is 1 if they differ",
    )
    parser.add_argument(
        "--tolerance",
        type=_tolerance,
        default=0.0,
        metavar="T",
        help="--expect takes floats with |difference| <= T + T * |expected|, and integers with |difference| <= T (default: 0)",
    )


def _kept(suffix: str | None) -> Callable[[str], _Kept]:
    """Type of an option: a buffer, and a file with this suffix, or any, which may be left out."""

    def convert(text: str) -> _Kept:
        name, _, file = text.partition("=")
        if suffix and not file.endswith(suffix):
            raise argparse.ArgumentTypeError(f"must be NAME=FILE{suffix}, not {text!r}")
        return _Kept(name, Path(file or f"{name}.png"))

    return convert


def _expected(text: str) -> _Kept:
    """Type of an option: a buffer, and a file with an array."""
    name, _, file = text.partition("=@")
    if not file:
        raise argparse.ArgumentTypeError(f"must be NAME=@FILE{_ARRAY_FILE}, not {text!r}")
    return _Kept(name, Path(file))


def _tolerance(text: str) -> float:
    """Type of an option: a number that is not negative."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not (0 <= value < math.inf):
        raise argparse.ArgumentTypeError(f"must be a number that is not negative, not {text!r}")
    return value


def _buffer(workload: Workload, name: str, option: str) -> Buffer:
    for buffer in workload.buffers:
        if buffer.name == name:
            return buffer
    names = ", ".join(buffer.name for buffer in workload.buffers)
    raise BadInput(f"{option} {name}: there is no buffer of this name{': there are ' if names else ''}{names}")


def check_buffers(workload: Workload, options: argparse.Namespace) -> Workload:
    """The same, with what its buffers must hold at the end.

    Raises `BadInput`, before anything runs, for buffers that do not exist, for what cannot be plotted, and for arrays that they
    cannot hold.
    """
    for kept in options.save:
        _buffer(workload, kept.buffer, "--save")
    for kept in options.plot:
        buffer = _buffer(workload, kept.buffer, "--plot")
        if buffer.type is None:
            raise BadInput(f"--plot {buffer.name}: say what it is, like --buffer {buffer.name}=f32:{buffer.size // 4}")
        check_plot(buffer.name, buffer.type.shape, kept.file)
    checks = [
        _check(_buffer(workload, kept.buffer, "--expect"), kept.file, options.tolerance) for kept in options.expect
    ]
    return dataclasses.replace(workload, checks=(*workload.checks, *checks))


def _check(buffer: Buffer, file: Path, tolerance: float) -> ArrayCheck:
    """What a buffer must hold; one of which nobody has said what it is takes any array of its size."""
    values = read_array(file)
    try:
        type = buffer.type or ArrayType.of(values)
        if type.nbytes != buffer.size:
            raise BadInput(f"has {type.nbytes} bytes, not {buffer.size}")
        return ArrayCheck(buffer.name, buffer.address, type.taken(values), tolerance)
    except BadInput as error:
        raise BadInput(f"--expect {buffer.name}: {file}: {error}") from None


def keep_buffers(workload: Workload, memory: bytes, options: argparse.Namespace) -> None:
    """Write files and figures of what buffers hold in `memory`."""
    for kept in options.save:
        values = workload.array_of(_buffer(workload, kept.buffer, "--save"), memory)
        with kept.file.open("wb") as file:
            np.save(file, values)
    for kept in options.plot:
        plot(kept.buffer, workload.array_of(_buffer(workload, kept.buffer, "--plot"), memory), kept.file)
