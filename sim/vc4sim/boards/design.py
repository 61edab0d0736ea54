"""The GPU on a board as the files that tools of an FPGA read."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from amaranth import Elaboratable
from amaranth.build import Platform

from vc4.boards.board import Board

from ..hierarchy import used, without_checks
from ..problem import BadInput
from ..uncollected import uncollected

__all__ = ["TOP", "Design", "design_of"]

#: Name of the top module, and of the files.
TOP = "top"


@dataclass(frozen=True, slots=True)
class Design:
    """What Amaranth makes of a design for a platform.

    platform : the platform, which knows the device
    files : texts by the names of files, as Amaranth calls them
    verilog : of these, the names of modules that the design has instances of
    """

    platform: Platform
    files: Mapping[str, str]
    verilog: Sequence[str] = ()


def design_of(board: Board, top: Elaboratable, extra: Mapping[str, str] | None = None, **overrides: str) -> Design:
    """`top`, elaborated for the platform of `board`, with `extra` files and `overrides` of Amaranth's templates. Its checks are
    left out.

    Raises `BadInput` if there is no amaranth-boards, and for what the board cannot do, as a clock.
    """
    try:
        board.check()
        platform = board.platform()
    except ModuleNotFoundError:
        raise BadInput("amaranth-boards is not installed: pip install 'vc4-rtl[fpga]'") from None
    except ValueError as error:
        used(top)
        raise BadInput(f"{board.doc}: {error}") from None
    # One Yosys for everyone: the one that comes with Amaranth, unless the user decides otherwise.
    os.environ.setdefault("AMARANTH_USE_YOSYS", "builtin")
    with uncollected():
        for name, text in (extra or {}).items():
            platform.add_file(name, text)
        plan = platform.prepare(without_checks(top, platform), TOP, **overrides)
    return Design(platform, plan.files, [name for name in extra or {} if name.endswith(".v")])
