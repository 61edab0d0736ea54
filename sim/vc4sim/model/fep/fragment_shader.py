"""QPUs that shade fragments."""

from ...launch import Launch
from ..compiled import Buffers
from ..qps.scheduler import FRAGMENT
from ..qps.shaders import HangingProgram, Shaders
from ..qpu.fragment_state import FragmentState
from ..qpu.instructions import units_mask
from ..tlb.tlb import TileBuffer
from ..unbuilt import FRAGMENT_UNITS
from .fragments import FragmentProgram, HangingShader

__all__ = ["FragmentShader"]

#: Instructions of a program that count as one that does not end.
_LIMIT = 1 << 16


class FragmentShader:
    """Runs fragment shaders.

    fragments : what their threads get
    tile : where they are drawn
    shaders : what runs the programs
    limit : instructions after which a program counts as one that does not end
    """

    def __init__(self, shaders: Shaders, fragments: Buffers[FragmentState], tile: TileBuffer, has_tmus: bool):
        self.fragments, self.tile, self.shaders = fragments, tile, shaders
        self.limit = _LIMIT
        self._units = units_mask(FRAGMENT_UNITS if has_tmus else FRAGMENT_UNITS - {"tmu"})

    @property
    def qpu(self) -> int | None:
        """That shades the next vector, if one can now."""
        return self.shaders.free_qpu(FRAGMENT)

    @property
    def lacks(self) -> str:
        """What vectors wait for, if no QPU can shade now."""
        return self.shaders.lacks(FRAGMENT)

    def shade(self, program: FragmentProgram) -> None:
        """Run a program for the vector of thread 0 of that QPU. Raises `HangingShader`."""
        launch = Launch(program.code, program.uniforms, program.threaded)
        try:
            self.shaders.run(FRAGMENT, launch, self._units, self.limit)
        except HangingProgram as hanging:
            raise HangingShader(f"fragment shader at {hanging.at:#010x}: {hanging}") from None
