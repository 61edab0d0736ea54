"""Which batches of vertices can have rows of the VPM (guide, tables 69, 70 and 87)."""

from collections.abc import Mapping

from ..vpm.vpm import BINNER_LIMIT_ERROR, RENDERER_LIMIT_ERROR, SIZE_ERROR, Vpm, VpmState, set_error

__all__ = ["RowAllocation"]

#: Rows of a block, the unit of VPMBASE; and blocks of a unit of the limits.
_BLOCK_ROWS, _LIMIT_BLOCKS = 4, 6
_LIMIT_ERRORS = (BINNER_LIMIT_ERROR, RENDERER_LIMIT_ERROR)


class RowAllocation:
    """VPMBASE and VPACNTL, as far as they decide whether a batch can ever have rows. Each QPU of the model has rows of its own, so no
    batch waits for some.

    user_blocks : reserved for programs of users
    """

    def __init__(self, vpm: VpmState):
        self.user_blocks = 0
        self._vpm = vpm
        self._blocks = len(Vpm(vpm).words) // _BLOCK_ROWS
        self._limits: tuple[int, int] | None = None  # of binner and renderer

    def limit(self, fields: Mapping[str, int]) -> None:
        """A write of VPACNTL."""
        limits = (fields["VPABALIM"] + 1) * _LIMIT_BLOCKS, (fields["VPARALIM"] + 1) * _LIMIT_BLOCKS
        self._limits = limits if fields["VPALIMEN"] else None

    def refuses(self, blocks: int, renders: bool) -> str:
        """Why a batch of binner or renderer that needs so many blocks never gets them, or nothing; then the host finds it in ERRSTAT."""
        free = self._blocks - self.user_blocks
        most = self._limits[renders] if self._limits else blocks
        if blocks > free:
            set_error(self._vpm, SIZE_ERROR)
        if blocks > most:
            set_error(self._vpm, _LIMIT_ERRORS[renders])
        allowed = min(free, most)
        return (
            f"a batch of vertices needs {blocks} blocks of the VPM, and gets {max(allowed, 0)}"
            if blocks > allowed
            else ""
        )
