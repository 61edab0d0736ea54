"""Reads of the VPM along a path: vectors that are set up and not read yet, and where they lie."""

from vc4.records.vpm import VpmReadSetup, VpmSize

from ..model.vpm.blocks import row_of, vector_places
from .effects import Does
from .path_state import Memory, Turn

__all__ = ["UNREAD", "Unread", "read_setup", "rows_read"]

#: Vectors that are still to be read of each set-up, at the least.
Unread = tuple[int, ...]

#: What a count or stride of 0 stands for, and how many addresses there are.
_MOST_VECTORS, _MOST_STRIDE, _ADDRESSES = 16, 64, 256
#: Set-ups that are remembered.
_MOST_SETUPS = 2


def read_setup(turn: Turn) -> VpmReadSetup | None:
    """The reads of vectors that an instruction sets up, if it does and its word is known."""
    if not any(act.does is Does.WRITE and act.what == "vr_setup" for act in turn.acts):
        return None
    word = turn.values.get("vr_setup")
    return None if word is None or word >> 30 else VpmReadSetup.from_bits(word)


def _vectors(setup: VpmReadSetup) -> int:
    return setup.count or _MOST_VECTORS


def rows_read(setup: VpmReadSetup) -> set[int]:
    """The rows of the VPM that the vectors of a set-up lie in; none for a reserved size."""
    if setup.size is VpmSize.RESERVED_3:
        return set()
    stride = setup.stride or _MOST_STRIDE
    addresses = {(setup.address + number * stride) % _ADDRESSES for number in range(_vectors(setup))}
    shape = setup.size, bool(setup.laned), bool(setup.horizontal)
    return {row for address in addresses for row in row_of(vector_places(address, *shape)).tolist()}


def _step(turn: Turn, unread: Unread) -> Unread:
    if turn.parts_paths or turn.node.left == 1:
        return ()
    if unread and any(act.does is Does.READ and act.what == "vpm" for act in turn.acts):
        unread = (unread[0] - 1, *unread[1:]) if unread[0] > 1 else unread[1:]
    setup = read_setup(turn)
    return unread if setup is None else (*unread, _vectors(setup))[-_MOST_SETUPS:]


#: The vectors that are still to be read. Of what came before paths part, nothing is known.
UNREAD = Memory((), _step)
