"""The memories that a board may have."""

from vc4.boards.board import Board
from vc4.boards.sdram_core import SdramCore

from ..problem import BadInput

__all__ = ["MEMORIES", "SDRAM", "core_of"]

SDRAM = "sdram"
#: Names of them, the usual one first.
MEMORIES = ("on-chip", SDRAM)


def core_of(board: Board) -> SdramCore:
    """The controller of the SDRAM of a board. Raises `BadInput` if there is no SDRAM, no LiteDRAM, or it cannot be that fast."""
    if not board.sdram:
        raise BadInput(f"{board.doc} has no SDRAM for which a controller is made")
    try:
        from .sdram import sdram_core
    except ModuleNotFoundError:
        raise BadInput("LiteDRAM is not installed: pip install 'vc4-rtl[sdram]'") from None
    try:
        return sdram_core(board.sdram, board.clock_hz)
    except ValueError as error:
        raise BadInput(f"{board.doc}: {error}") from None
